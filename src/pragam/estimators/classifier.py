"""What every classifier shares: labels, and the weights of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.linear_model._base import LinearClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import check_classification_targets

from pragam.driver.result import Result
from pragam.estimators.certified import CertifiedEstimator
from pragam.operators.base import Vector
from pragam.problem import Problem
from pragam.risks.arguments import example_weights


class CertifiedClassifier(LinearClassifierMixin, ClassifierMixin, CertifiedEstimator):
    """A :class:`CertifiedEstimator` of labels; ``classes_`` and the weights of classes are known in ``_problems``."""

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's convention)
        **CertifiedEstimator._parameter_constraints,
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def __init__(self, *, class_weight: Any = None, **parameters: Any) -> None:
        super().__init__(**parameters)
        self.class_weight = class_weight

    def _weights(self, y: NDArray[Any], sample_weight: Vector | None) -> Vector:
        if y.dtype.kind not in "biuUS":  # those are labels whatever they hold, and asking takes half a millisecond
            check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"y must have at least two classes, not one class: {self.classes_.tolist()}")
        class_weight = self.class_weight
        if isinstance(class_weight, dict):  # labels that do not occur in this fit are passed over, as in scikit-learn
            class_weight = {label: weight for label, weight in class_weight.items() if label in self.classes_}
        return example_weights(y, sample_weight, class_weight)

    def _keep_model(self, problems: list[Problem], results: list[Result], y: NDArray[Any]) -> None:
        super()._keep_model(problems, results, y)
        self.n_support_ = counts(self.classes_, y[self.support_])

    def _start_key(self) -> Any:
        return self.classes_.tolist()


def counts(classes: Any, y: Any, weights: Any = None) -> Any:
    """How many rows, or how much of their weight, each class has."""
    return np.bincount(np.searchsorted(classes, y), weights, minlength=len(classes))
