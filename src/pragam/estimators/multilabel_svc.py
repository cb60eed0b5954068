"""The classifier of sets of labels, right ones above wrong ones, that knows how good it is."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import column_or_1d

from pragam.estimators.parameters import budget, estimator, flag
from pragam.estimators.rows import RowClassifier, count
from pragam.numerics.arguments import array_of
from pragam.risks import MulticlassHinge, MultilabelHinge, Risk
from pragam.risks.arguments import check_shape
from pragam.samples import Rows
from pragam.samples.label_sets import indicator, is_label_sets, labels_in


@estimator
class MultilabelSVC(RowClassifier):
    r"""Linear ranking of labels, right above wrong, trained to a certified duality gap.

    Minimises  1/2 sum_k |w_k|^2 + C sum_i weight_i [max over right a, wrong c of 1 + f_c(x_i) - f_a(x_i)]_+ ,
    f_k(x) = <x, w_k> + b_k. In the scaling of :func:`pragam.multilabel_hinge`, lam = 1/(n C).

    y is an indicator matrix, dense or sparse, or a list of sets of labels. Labels with a score above ``cut_`` are
    predicted: the risk knows only differences of scores, so the cut is chosen on the training data, with the fewest
    wrong labels. With one label a row instead, y a vector, this is the multiclass hinge.

    Parameters
    ----------
    C : float > 0
        Weight of the losses against 1/2 sum_k |w_k|^2.
    fit_intercept : bool
        Whether there is an intercept of each label, which is not penalised.
    max_seconds : float >= 0 or None
        The most seconds of the fit; 60 unless set, since large problems of this kind take long. When they end first,
        the best model so far is kept, with its gap, and a ConvergenceWarning says so.

    Attributes
    ----------
    cut_ : float
        The score above which a label is predicted; 0 for labels in a vector.
    classes_ : array
        The labels: those of the sets, sorted, or the numbers of the columns.
    n_support_ : (n_labels,) array of int
        How many of the rows ``support_`` have each label.
    """

    fit_intercept: bool = flag(True)
    max_seconds: float | None = budget(60.0, Real)

    _risks: ClassVar[tuple[str, ...]] = ("multilabel_hinge", "multiclass_hinge")
    _checks_of_y: ClassVar[dict[str, Any]] = {"multi_output": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = tags.target_tags.multi_output = True
        return tags

    @property
    def cut_(self) -> float:
        """The score above which a label is predicted."""
        return float(self.model_.calibration.get("cut", 0.0))

    def predict_sets(self, X: Any) -> list[tuple[Any, ...]]:
        """The labels of each row, by name: what ``predict`` says as an indicator matrix."""
        return [tuple(self.classes_[row].tolist()) for row in self.predict(X).astype(bool)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the rows whose labels are all right, as scikit-learn has it."""
        return float(super().score(X, self._as_matrix(y, self.classes_) if is_label_sets(y) else y, sample_weight))

    def _samples(self, X: Any, y: Any = None, sample_weight: Any = None, reset: bool = True) -> Rows:
        if not is_label_sets(y):
            samples = super()._samples(X, y, sample_weight, reset)
            if samples.y.shape[1:] == (1,):
                return replace(samples, y=column_or_1d(samples.y, warn=True))
            return samples if reset or samples.y.ndim == 1 else replace(samples, labels=self.classes_)
        names = labels_in(y) if reset else self.classes_
        return replace(super()._samples(X, self._as_matrix(y, names), sample_weight, reset), labels=names)

    def _check_target(self, X: Any, y: Any) -> None:
        shape, n = y.shape if hasattr(y, "shape") else array_of("y", y).shape, count(X)
        if len(shape) == 2 and n not in (None, shape[0]):
            check_shape(shape, n)
        super()._check_target(X, y)

    def _as_matrix(self, sets: Any, names: Any) -> Any:
        return indicator(sets, names).astype(np.int64)

    def _risk(self, samples: Any) -> Risk:
        risk = MulticlassHinge if samples.y.ndim == 1 else MultilabelHinge
        return risk(lam=self._lam(samples), bias=self.fit_intercept)
