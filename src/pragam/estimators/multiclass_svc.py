"""The Crammer-Singer classifier with any costs, that knows how good it is."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from pragam.estimators.parameters import budget, class_weights, estimator, flag, parameter
from pragam.estimators.rows import RowClassifier
from pragam.risks import MulticlassHinge, Risk


@estimator
class MulticlassSVC(RowClassifier):
    r"""Linear classifier of several classes in one problem (Crammer and Singer), trained to a certified duality gap.

    Minimises  1/2 sum_k |w_k|^2 + C sum_i weight_i max over k of cost[y_i, k] + f_k(x_i) - f_{y_i}(x_i),
    f_k(x) = <x, w_k> + b_k. In the scaling of :func:`pragam.multiclass_hinge`, lam = 1/(n C).

    Parameters
    ----------
    C : float > 0
        Weight of the losses against 1/2 sum_k |w_k|^2.
    cost : (K, K) numbers >= 0 with a zero diagonal, or None
        cost[j, k] is the margin asked for between class j, the true one, and class k: 1 unless given. Classes are
        sorted.
    fit_intercept : bool
        Whether there is an intercept of each class, which is not penalised.
    class_weight : dict, "balanced" or None
        What the losses of a class count, by label; "balanced" makes the classes count the same.
    max_seconds : float >= 0 or None
        The most seconds of the fit; 60 unless set, since large problems of this kind take long. When they end first,
        the best model so far is kept, with its gap, and a ConvergenceWarning says so.

    Attributes
    ----------
    coef_ : (1, d) array for two classes, the difference of their weights; else (n_classes, d)
        The weights.
    intercept_ : (1,) array for two classes, else (n_classes,)
        The intercepts.
    """

    cost: Any = parameter(None, "array-like", None)
    fit_intercept: bool = flag(True)
    class_weight: Any = class_weights()
    max_seconds: float | None = budget(60.0, Real)

    _risks: ClassVar[tuple[str, ...]] = ("multiclass_hinge",)

    def _risk(self, samples: Any) -> Risk:
        own: Any = {"cost": self.cost, "bias": self.fit_intercept, "class_weight": self.class_weight}
        return MulticlassHinge(lam=self._lam(samples), **own)
