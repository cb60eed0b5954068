"""Ordinal regression by thresholds on one direction, that knows how good it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from pragam.estimators.parameters import estimator, parameter, word
from pragam.estimators.rows import RowClassifier
from pragam.numerics.vector import Vector
from pragam.risks import OrdinalHinge, Risk
from pragam.risks.levels import categories_of
from pragam.samples import Rows


@estimator
class OrdinalSVC(RowClassifier):
    r"""Levels by thresholds on one linear score, trained to a certified duality gap.

    Minimises  1/2 |w|^2 + C sum_i weight_i sum over k of [1 - t_ik (<x_i, w> - theta_k)]_+ ,  t_ik = +1 if y_i is above
    level k, else -1. In the scaling of :func:`pragam.ordinal_hinge`, lam = 1/(n C).

    y holds numbers, which keep their order, or any labels with ``order``, or an ordered type: a pandas Categorical or a
    polars Enum.

    Parameters
    ----------
    C : float > 0
        Weight of the losses against 1/2 |w|^2.
    thresholds : "all" or "immediate"
        Which thresholds a row counts for: all, or the two next to its level.
    order : list of levels, the lowest first, or None
        Needed where labels have no order of their own, as strings. Levels that do not occur are allowed.

    Attributes
    ----------
    coef_ : (1, d) array
        The direction.
    intercept_ : (n_levels - 1,) array
        Minus the thresholds.
    thresholds_ : (n_levels - 1,) array
        theta_k, between level k and the next.
    classes_ : array
        The levels, the lowest first.
    dual_coef_ : (1, n_support) array
        ``coef_`` is ``dual_coef_ @ X[support_]`` up to the gap.
    """

    thresholds: str = word("all", "immediate")
    order: Any = parameter(None, "array-like", None)

    _risks: ClassVar[tuple[str, ...]] = ("ordinal_hinge",)

    def __sklearn_tags__(self) -> Any:
        """Classes without an order, as those of scikit-learn's checks, do not lie along one direction."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    @property
    def thresholds_(self) -> Vector:
        """theta_k = -intercept_[k]."""
        return -self.intercept_

    def _samples(self, X: Any, y: Any = None, sample_weight: Any = None, reset: bool = True) -> Rows:
        """The levels of an ordered type are kept beside y, which becomes an array."""
        known = categories_of(y) if self.order is None and reset else None
        return replace(super()._samples(X, y, sample_weight, reset), labels=known)

    def _risk(self, samples: Any) -> Risk:
        order = samples.labels if self.order is None else self.order
        return OrdinalHinge(lam=self._lam(samples), thresholds=self.thresholds, order=order)

    def _advice(self, samples: Any) -> str:
        """Categories that are left over from other data are levels too."""
        absent = np.setdiff1d(self.classes_, np.unique(samples.y)).tolist() if samples.labels is not None else []
        names = ", ".join(map(repr, absent))
        return f"y has no example of level {names}: its thresholds follow from the others" if absent else ""
