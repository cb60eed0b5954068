"""Estimators of rows: classifiers, regressors and labellers share the door to X and y, and what a linear model has."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from pragam.certificate import Certificate
from pragam.driver.solve import Progress
from pragam.estimators import intercept
from pragam.estimators.base import CertifiedEstimator
from pragam.estimators.compat import SparseCoefMixin, with_callbacks
from pragam.estimators.frames import validated
from pragam.estimators.left_out import LeavesOneOut
from pragam.estimators.parameters import estimator, flag, positive
from pragam.estimators.targets import check_classes
from pragam.models import Fitted, LinearModel, save_onnx, to_onnx
from pragam.models.features import Constant, Features
from pragam.models.standardize import Standardize
from pragam.numerics.arguments import array_of, refuse_masked
from pragam.numerics.vector import Vector
from pragam.operators.storage import Blocked
from pragam.risks.arguments import check_length, example_weights, refuse_mixed
from pragam.risks.scaling import c_of, lam_of
from pragam.samples import Rows

if TYPE_CHECKING:
    from typing_extensions import Self

_X: Any = {"accept_sparse": ["csr", "csc"], "dtype": [np.float64, np.float32], "order": None}


@estimator
class RowEstimator(SparseCoefMixin, LeavesOneOut, CertifiedEstimator):
    """X is a matrix with a target for each row.

    Parameters
    ----------
    C : float > 0
        Weight of the losses against 1/2 |w|^2; lam = 1/(n C) in the functions of :mod:`pragam.risks`.
    standardize : bool
        Whether the weights that are penalised are those of standardised columns, of mean 0 and deviation 1 on the
        training data, each row with its weight. Sparse X stays sparse. A column that never changes has the weight 0.

    Attributes
    ----------
    coef_ : (outputs, d) array
        The weights, in the units of X.
    intercept_ : (outputs,) array
        What is added to the scores.
    support_ : array of int
        The rows of the training data that the model is made of, in any of its problems.
    dual_coef_ : (outputs, n_support) array
        ``coef_`` is ``dual_coef_ @ X[support_]`` up to the gap; with ``standardize=True``, of the standardised columns.
    """

    C: float = positive(1.0, first=True)
    standardize: bool = flag(False)

    #: How scikit-learn is to check y, and what one target is called.
    _checks_of_y: ClassVar[dict[str, Any]] = {}
    _target: ClassVar[str] = "label"
    _easier: ClassVar[str] = "lower C"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @with_callbacks
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model; the certificate is in ``certificate_``.

        Parameters
        ----------
        X : (n, d) array or sparse matrix; float32 and float64, CSR and CSC are used without a copy. Or a packed data
            set (:func:`pragam.open_packed`), which need not fit into memory
        y : (n,) labels of a classifier, numbers of a regressor; None: those of packed data
        sample_weight : (n,) numbers >= 0, optional
        """
        return self._fit(X, y, sample_weight)

    def predict(self, X: Any) -> Any:
        """A prediction for each row of X."""
        rows = self._rows(X)
        return self.model_.predict(rows)

    def decision_bounds(self, X: Any) -> Vector:
        """What no further optimisation can change: bounds of the decision values of the exact optimum.

        For every optimum of the problem that was fitted, the decision value of a row lies between the two numbers. They
        follow from the certificate (:mod:`pragam.certificate.region`) and are infinite where it proves nothing.

        Returns
        -------
        (n, 2) array, the least and the greatest value; (n, columns, 2) if there are several decision values
        """
        rows = self._rows(X)
        return self.model_.decision_bounds(rows)

    def certify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """The certificate, computed anew from the training data, the weights and the dual points.

        ``sample_weight`` is needed no more: the model keeps what it was fitted with.
        """
        check_is_fitted(self)
        return self._certify(self._samples(X, y, sample_weight, False))

    def to_onnx(self, path: str | os.PathLike[str] | None = None, dtype: Any = "float64") -> Any:
        """The model as an ONNX graph (the extra ``onnx``), which programs in other languages run without Python.

        Its input ``X`` has the columns of fit. The outputs of a classifier are ``label`` and ``scores``, which are
        those of ``decision_function``; the output of a regressor is ``prediction``. A Pipeline is converted by
        :func:`pragam.onnx.convert`.

        Parameters
        ----------
        path : where to write it, whole or not at all
        dtype : "float64" or "float32", the type of X, in which all is computed

        Returns
        -------
        onnx.ModelProto
        """
        check_is_fitted(self)
        if path is not None:
            save_onnx(path, self.model_, dtype)
        return to_onnx(self.model_, dtype)

    def support_vectors(self, X: Any) -> Any:
        """The rows ``support_`` of the training data X: the model keeps their numbers, not the rows."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        n = self.model_.fingerprint.get("n")
        if X.shape[0] != n:
            raise ValueError(f"X has {X.shape[0]} rows, and the training data have {n}: pass the X of fit")
        return X[self.support_]

    # What the base asks for.

    def _samples(self, X: Any, y: Any = None, sample_weight: Any = None, reset: bool = True) -> Rows:
        if isinstance(X, Blocked):
            return self._in_blocks(X, y, sample_weight, reset)
        refuse_masked(X=X, y=y, sample_weight=sample_weight)
        self._check_target(X, y)
        X, y = validated(self, X, y, reset, **_X, **self._checks_of_y)
        weights = None if sample_weight is None else example_weights(np.empty(X.shape[0]), sample_weight, None)
        return Rows.of(X, y, weights)

    def _in_blocks(self, X: Blocked, y: Any, sample_weight: Any, reset: bool) -> Rows:
        """Data on the disk, whose numbers were checked there, with y of their own unless there is another one."""
        samples = Rows.of(X, y, sample_weight)
        if samples.y is None:
            raise ValueError("y is None, and the data have no labels of their own")
        check_length(array_of("y", samples.y), X.shape[0], self._target)
        self._check_columns(X, reset)
        weights = None if samples.weights is None else example_weights(np.empty(samples.n), samples.weights, None)
        return Rows.of(X, samples.y, weights)

    def _check_columns(self, X: Blocked, reset: bool) -> None:
        """As many as at the fit."""
        if reset:
            self.n_features_in_ = X.shape[1]
            if hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
        elif X.shape[1] != self.n_features_in_:
            name = type(self).__name__
            raise ValueError(f"X has {X.shape[1]} features, but {name} is expecting {self.n_features_in_} features")

    def _check_target(self, X: Any, y: Any) -> None:
        """What is wrong with y, in the words of the risks; the rest is scikit-learn's."""
        targets, n = array_of("y", y), count(X)
        if y is not None and targets.ndim == 1 and n is not None:
            check_length(targets, n, self._target)

    def _rows(self, X: Any) -> Rows:
        check_is_fitted(self)
        if isinstance(X, Blocked):
            self._check_columns(X, reset=False)
            return Rows.of(X)
        return Rows.of(validate_data(self, X, **_X, reset=False))

    def _lam(self, samples: Any) -> float:
        return lam_of(self.C, samples.n)

    def _features(self, samples: Any) -> Features:
        return intercept.features_of(self, samples)

    def _keep(self, model: Any) -> None:
        super()._keep(model)
        coef, intercept = model.weights()
        self.coef_, self.intercept_ = model.risk.rule.shown(coef), model.risk.rule.shown(intercept)

    def _keep_solves(self, fitted: Fitted, samples: Any) -> None:
        super()._keep_solves(fitted, samples)
        weights = self.model_.risk.rule.shown(self.model_.row_weights(fitted.problems))
        self.support_ = np.flatnonzero(weights.any(axis=0))
        self.dual_coef_ = weights[:, self.support_]

    def _halfway(self, progress: Progress, model: Any, samples: Any) -> dict[str, Any]:
        risk, labels, features = model
        (shape,) = risk.shape(labels)
        biases = progress.certificate.biases if shape.biases else np.zeros(shape.outputs)
        made = LinearModel.of_weights(risk, labels, progress.w.reshape(shape.rows, -1), biases, features=features)
        twin = clone(self)
        twin._keep(made.calibrated(features.of(samples)))
        parameters = self.get_params(deep=False)
        return {name: value for name, value in vars(twin).items() if name not in parameters}

    @classmethod
    def _parameters(cls, model: Any) -> dict[str, Any]:
        """C stands for lam, fit_intercept for biases or a constant feature; a record has class weights as pairs."""
        n, constant = model.fingerprint.get("n"), model.features.find(Constant)
        biases = any(shape.biases for shape in model.risk.shape(model.labels))
        more: dict[str, Any] = {"fit_intercept": biases} | ({"C": c_of(model.risk.lam, n)} if n else {})
        if model.features.find(Standardize) is not None:
            more |= {"standardize": True}
        if constant is not None:
            more |= {"fit_intercept": True, "intercept_scaling": constant.value}
        known = super()._parameters(model) | more
        if isinstance(known.get("class_weight"), tuple):
            known["class_weight"] = dict(known["class_weight"])
        return known


@estimator
class RowClassifier(ClassifierMixin, RowEstimator):
    """Labels of classes or levels.

    Attributes
    ----------
    classes_ : array
        The labels, in the order of the outputs.
    n_support_ : (n_classes,) array of int
        How many of the rows ``support_`` each class has.
    """

    def decision_function(self, X: Any) -> Vector:
        """(n,) for two classes, positive for the second; else a score for each class, of which the largest wins."""
        rows = self._rows(X)
        return self.model_.decision(rows)

    def _check_target(self, X: Any, y: Any) -> None:
        refuse_mixed(y)
        super()._check_target(X, y)

    def _samples(self, X: Any, y: Any = None, sample_weight: Any = None, reset: bool = True) -> Rows:
        samples = super()._samples(X, y, sample_weight, reset)
        check_classes(samples.y)
        return samples

    def _keep_solves(self, fitted: Fitted, samples: Any) -> None:
        super()._keep_solves(fitted, samples)
        code = self.model_.risk.target.encode(samples.y, self.model_.labels)[self.support_]
        self.n_support_ = np.bincount(code, minlength=len(self.classes_)) if code.ndim == 1 else code.sum(axis=0)


@estimator
class RowRegressor(RegressorMixin, RowEstimator):
    """Numbers.

    Attributes
    ----------
    coef_ : (d,) array
        The weights; (outputs, d) if there are several outputs.
    intercept_ : float
        What is added to the scores; (outputs,) array if there are several outputs.
    """

    _checks_of_y: ClassVar[dict[str, Any]] = {"y_numeric": True}
    _target: ClassVar[str] = "number"

    def _keep(self, model: Any) -> None:
        super()._keep(model)
        if len(self.coef_) == 1:
            self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])


def count(X: Any) -> int | None:
    """The rows of X; None if that is no matrix, of which scikit-learn will say more."""
    shape = getattr(X, "shape", None) or (len(X) if isinstance(X, (list, tuple)) else None,)
    return shape[0]
