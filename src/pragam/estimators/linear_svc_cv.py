"""LinearSVC with C by cross-validation, and probabilities from its folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from pragam.estimators.calibration import METHODS, probabilities_of
from pragam.estimators.compat import StrOptions
from pragam.estimators.cross_validated import CrossValidated
from pragam.estimators.linear_svc import LinearSVC
from pragam.estimators.parameters import estimator, parameter
from pragam.estimators.search import FoldFound
from pragam.numerics.vector import Vector


def _is_calibrated(estimator: Any) -> bool:
    return estimator.calibrate is not None


@estimator
class LinearSVCCV(CrossValidated, LinearSVC):
    """:class:`LinearSVC` at the C that cross-validation finds on a grid: each fold is a path of certified solves.

    The score is the accuracy unless ``scoring`` says otherwise.

    Parameters
    ----------
    calibrate : "sigmoid", "isotonic" or None
        Whether the decision values of the rows that each fold left out, at the C found, make ``predict_proba``: by a
        sigmoid for each class, or by a rising line, which takes some thousand rows. No model is fitted for it. Several
        classes are normalised to a sum of 1.
    """

    calibrate: str | None = parameter(None, StrOptions(set(METHODS)), None)

    @available_if(_is_calibrated)
    def predict_proba(self, X: Any) -> Vector:
        """(n, classes): probabilities in the order of ``classes_``, by ``calibrate``."""
        decision = self.decision_function(X)
        return self.model_.probabilities.of(decision)

    @available_if(_is_calibrated)
    def predict_log_proba(self, X: Any) -> Vector:
        """The logarithms of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _validate_params(self) -> None:
        super()._validate_params()
        if self.calibrate is not None and not self.refit:
            raise ValueError("calibrate needs refit=True: probabilities are those of the model of all rows")

    def _margins(self, model: Any, X: Any) -> Any:
        return None if self.calibrate is None else model.decision_function(X)

    def _end(self, samples: Any, found: Sequence[FoldFound]) -> None:
        """The decision values of all rows left out, by the model of their own fold, and their classes."""
        if self.calibrate is None:
            return
        for fold in found:
            if not np.array_equal(fold.labels, self.classes_):
                lacking = np.setdiff1d(self.classes_, fold.labels)[0]
                raise ValueError(f"a fold has no row of the class {lacking} to train on: use fewer folds to calibrate")
        rows = np.concatenate([fold.held for fold in found])
        margins = np.concatenate([fold.margins[self.best_index_] for fold in found])
        code = self.model_.risk.target.encode(samples.y, self.model_.labels)[rows]
        weights = None if samples.weights is None else samples.weights[rows]
        self.model_ = replace(self.model_, probabilities=probabilities_of(self.calibrate, margins, code, weights))
