"""What every estimator shares: it checks the data, solves problems, keeps a model and proves how good it is.

An estimator of one's own says which problems it solves (``_problems``) and, unless every problem is one output of the
model, how their solutions become ``coef_`` and ``intercept_`` (``_keep_model``). Three more hooks have defaults.
"""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model._base import SparseCoefMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from pragam import solvers
from pragam.certificate.optimum import neighbourhood
from pragam.certificate.totals import total_certificate
from pragam.driver.result import History, Result
from pragam.driver.totals import total_history, worst_status
from pragam.estimators import advice
from pragam.estimators.callbacks import FRAMES_AROUND_FIT, CallbackSupportMixin, with_callbacks
from pragam.estimators.html import CertificateHTML
from pragam.estimators.jobs import solve_problems
from pragam.numerics.arguments import refuse_masked
from pragam.operators import check_data
from pragam.operators.base import Vector
from pragam.operators.storage import Storage
from pragam.problem import Problem
from pragam.risks.arguments import example_weights

if TYPE_CHECKING:
    from typing_extensions import Self


class CertifiedEstimator(CertificateHTML, CallbackSupportMixin, SparseCoefMixin, BaseEstimator):
    """A linear model that minimises the sum of some problems, each to a certified relative gap of ``tol``.

    The problems have as many dual variables each. The parameters are those of every estimator; see
    :class:`pragam.LinearSVC`, which describes them and the attributes that ``fit`` leaves.
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012 (scikit-learn's convention)
        "tol": [Interval(Real, 0, None, closed="left")],
        "solver": [StrOptions(set(solvers.names()))],
        "max_iter": [Interval(Integral, 0, None, closed="left"), None],
        "max_seconds": [Interval(Real, 0, None, closed="left"), None],
        "warm_start": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }
    #: How scikit-learn is to check y, beside its length: ``{"y_numeric": True}`` for a regressor.
    _checks_of_y: dict[str, Any] = {}  # noqa: RUF012
    #: What several problems are called, and what makes one easier, in a warning.
    _several, _easier = "problems", "lower C"

    def __init__(
        self,
        *,
        tol: float = 1e-4,
        solver: str = "auto",
        max_iter: int | None = None,
        max_seconds: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.tol = tol
        self.solver = solver
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model; the certificate is in ``certificate_``.

        Parameters
        ----------
        X : (n, d) array or sparse matrix; float32 and float64, CSR and CSC are used without a copy
        y : (n,) labels of a classifier, numbers of a regressor
        sample_weight : (n,) numbers >= 0, optional
        """
        self._validate_params()
        refuse_masked(X=X, y=y, sample_weight=sample_weight)
        X, y = validate_data(
            self, X, y, accept_sparse=["csr", "csc"], dtype=[np.float64, np.float32], order=None, **self._checks_of_y
        )
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        weights = self._weights(y, sample_weight)
        data = check_data(X)
        problems = self._problems(data, y, weights)
        results, self._begun = solve_problems(self, problems, self._starts(problems))
        self._keep_proofs(problems, results)
        self._keep_model(problems, results, y)
        self._warn(results, data, y, weights)
        return self

    # What an estimator says of itself.

    def _problems(self, X: Storage, y: NDArray[Any], weights: Vector) -> list[Problem]:
        """The problems to solve; ``weights`` are those of the rows."""
        raise NotImplementedError(f"{type(self).__name__} does not say which problems it solves: define _problems")

    def _weights(self, y: NDArray[Any], sample_weight: Vector | None) -> Vector:
        """The weights of the rows, and a first look at y."""
        return example_weights(y, sample_weight, None)

    def _keep_model(self, problems: list[Problem], results: list[Result], y: NDArray[Any]) -> None:
        """Set ``coef_``, ``intercept_`` and what else is the model.

        Here every problem is an output, as ``decision_bounds`` takes it to be, and every dual variable belongs to a row
        of X (:class:`pragam.operators.ScaledRows`).
        """
        alphas = self._alphas[1]
        scales = np.array([problem.A.scale for problem in problems])
        self.coef_ = np.array([result.w for result in results])
        self.intercept_ = np.array([result.bias for result in results])
        self.support_ = np.flatnonzero(alphas.any(axis=0))
        self.dual_coef_ = (-scales * alphas)[:, self.support_] / problems[0].lam

    def _start_key(self) -> Any:
        """What must not have changed since the last fit if its dual variables are to start this one."""
        return None

    def _advice(self, data: Storage, y: NDArray[Any], weights: Vector) -> str:
        """What to say of a model that is certified; nothing if empty."""
        return ""

    # What follows from the certificates.

    @property
    def history_(self) -> History:
        """What was certified on the way; of the sum of the problems, if there are several."""
        check_is_fitted(self)
        return total_history(self.histories_, self._begun, self.certificates_)

    def plot(self, kind: str = "gap", **options: Any) -> Any:
        """A figure of the fitted model, by matplotlib (the extra ``plot``); returns its Axes.

        Parameters
        ----------
        kind : "gap", "coefficients" or "certificates"
            :func:`pragam.plot.gap`, :func:`pragam.plot.coefficients` or :func:`pragam.plot.certificates`.
        options
            Those of that function, such as ``ax``.
        """
        from pragam import plot

        check_is_fitted(self)
        figures: dict[str, Any] = {
            "gap": plot.gap,
            "coefficients": plot.coefficients,
            "certificates": plot.certificates,
        }
        if kind not in figures:
            raise ValueError(f"kind must be one of {', '.join(figures)}, not {kind!r:.40}")
        return figures[kind](self, **options)

    def support_vectors(self, X: Any) -> Any:
        """The rows ``support_`` of the training data X: the model keeps their numbers, not the rows."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        n = self._alphas[1].shape[1]
        if X.shape[0] != n:
            raise ValueError(f"X has {X.shape[0]} rows, and the training data have {n}: pass the X of fit")
        return X[self.support_]

    def decision_bounds(self, X: Any) -> Any:
        r"""What no further optimisation can change: bounds of the decision values of the exact optimum.

        For every optimum (w*, b*) of the problem that was fitted, <w*, x> + b* lies between the two numbers for x.
        They follow from the certificate (:mod:`pragam.certificate.optimum`) and are infinite where it proves nothing.

        Returns
        -------
        (n, 2) array, the least and the greatest value; (n, n_outputs, 2) if there are several outputs, as there are
        for more than two classes
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=["csr", "csc"], dtype=[np.float64, np.float32], reset=False)
        storage = check_data(X)
        coef: Any = self.coef_
        rows = np.atleast_2d(coef if isinstance(coef, np.ndarray) else coef.toarray())  # sparse after sparsify
        parts = zip(self._optima, np.split(rows, len(self._optima)), strict=True)
        bounds = np.concatenate([near.decisions(storage, w) for near, w in parts], axis=1)
        return bounds[:, 0] if bounds.shape[1] == 1 else bounds

    def _starts(self, problems: list[Problem]) -> list[Any]:
        key, alphas = getattr(self, "_alphas", (None, None)) if self.warm_start else (None, None)
        shape = (len(problems), problems[0].Q.size)
        if alphas is None or key != self._start_key() or alphas.shape != shape:
            return [None] * len(problems)
        return list(alphas)

    def _keep_proofs(self, problems: list[Problem], results: list[Result]) -> None:
        self._alphas = (self._start_key(), np.array([result.alpha for result in results]))
        self.n_iter_ = max(result.n_iter for result in results)
        self.certificates_ = [result.certificate for result in results]
        self.histories_ = [result.history for result in results]
        self.statuses_ = [result.status for result in results]
        self.certificate_ = total_certificate(self.certificates_)
        self.status_ = worst_status(self.statuses_)
        pairs = zip(problems, results, strict=True)
        self._optima = [neighbourhood(problem, result.w, result.certificate) for problem, result in pairs]

    def _warn(self, results: list[Result], data: Storage, y: NDArray[Any], weights: Vector) -> None:
        text, category = advice.unfinished(results, self), ConvergenceWarning
        if not text:
            text, category = self._advice(data, y, weights), UserWarning
        if text:
            warnings.warn(text, category, stacklevel=3 + FRAMES_AROUND_FIT)
