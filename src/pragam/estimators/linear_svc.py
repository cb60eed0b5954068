"""A linear support vector classifier that knows how good it is."""

from __future__ import annotations

import time
import warnings
from contextlib import nullcontext
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model._base import LinearClassifierMixin, SparseCoefMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from pragam import solvers
from pragam.estimators import advice
from pragam.estimators.callbacks import FRAMES_AROUND_FIT, CallbackSupportMixin, FitTasks, with_callbacks
from pragam.estimators.exact_end import at_the_optimum
from pragam.estimators.total import total_certificate, total_history, worst_status
from pragam.one_vs_rest import Job, Stop, Unsolved, both, one_vs_rest, solve_all
from pragam.operators import check_data
from pragam.optimum import neighbourhood
from pragam.problem import Problem
from pragam.progress import ProgressLine
from pragam.result import History, Result
from pragam.risks.arguments import example_weights, refuse_masked
from pragam.solve import Callback, solve


class LinearSVC(CallbackSupportMixin, LinearClassifierMixin, SparseCoefMixin, ClassifierMixin, BaseEstimator):
    r"""Linear SVM with the hinge loss and an unpenalised intercept, trained to a certified duality gap.

    Minimises  1/2 |w|^2 + C sum_i weight_i [1 - y_i (<x_i, w> + b)]_+ ; more than two classes are done one against
    the rest. In the scaling of :func:`pragam.hinge`, lam = 1/(n C).

    Parameters
    ----------
    C : float > 0
        Weight of the loss.
    fit_intercept : bool
        Whether there is an intercept b. It is not penalised.
    tol : float >= 0
        The relative duality gap to certify: the objective is then at most ``tol`` (relatively) above its minimum.
    solver : str
        One of ``pragam.solvers.names()``.
    class_weight : dict, "balanced" or None
    max_iter, max_seconds : budgets, None for none
        When one ends first, the best model so far is kept, with its gap, and a ConvergenceWarning says so.
        So does Ctrl-C.
    warm_start : bool
        Start from the previous fit's dual variables if it had as many rows and the same classes.
    n_jobs : int or None
        Threads for the one-vs-rest problems.
    random_state : int, RandomState or None
        None is a fixed seed: equal fits give equal models.
    verbose : int
        1 shows the progress of the gap, on one line for all classes.

    Attributes
    ----------
    coef_, intercept_, classes_ : the model, as in scikit-learn
    dual_coef_ : (1 or n_classes, n_support) array
        y_i alpha_i / lam, between -C and C times the weight; ``coef_`` is ``dual_coef_ @ X[support_]`` up to the gap.
    support_ : indices of the rows with a nonzero dual variable, in any of the problems
    n_support_ : (n_classes,) how many of them each class has
    certificate_ : Certificate
        With several classes that of the sum of the one-vs-rest problems, which is one problem.
    status_ : Status, with several classes the worst
    certificates_, histories_, statuses_ : lists, one entry per problem
    n_iter_ : int, the most iterations that a problem took
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012 (scikit-learn's convention)
        "C": [Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "solver": [StrOptions(set(solvers.names()))],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "max_iter": [Interval(Integral, 0, None, closed="left"), None],
        "max_seconds": [Interval(Real, 0, None, closed="left"), None],
        "warm_start": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        solver: str = "auto",
        class_weight: Any = None,
        max_iter: int | None = None,
        max_seconds: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.solver = solver
        self.class_weight = class_weight
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
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearSVC:
        """Fit the model; the certificate is in ``certificate_``.

        Parameters
        ----------
        X : (n, d) array or sparse matrix; float32 and float64, CSR and CSC are used without a copy
        y : (n,) labels
        sample_weight : (n,) numbers >= 0, optional
        """
        self._validate_params()
        refuse_masked(X=X, y=y, sample_weight=sample_weight)
        X, y = validate_data(self, X, y, accept_sparse=["csr", "csc"], dtype=[np.float64, np.float32], order=None)
        if y.dtype.kind not in "biuUS":  # those are labels whatever they hold, and asking takes half a millisecond
            check_classification_targets(y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"y must have at least two classes, not one class: {self.classes_.tolist()}")
        weights = example_weights(y, sample_weight, self._known_class_weight())
        problems = self._problems(X, y, weights)
        results = self._solve(problems)
        self._remember(problems, results, y)
        self._warn(problems, results, y, weights)
        return self

    @property
    def history_(self) -> History:
        """What was certified on the way; with several classes, of the sum of the problems."""
        check_is_fitted(self)
        return total_history(self.histories_, self._begun, self.certificates_)

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
        They follow from the certificate (:mod:`pragam.optimum`) and are infinite where it proves nothing.

        Returns
        -------
        (n, 2) array, the least and the greatest value; (n, n_classes, 2) with several classes
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=["csr", "csc"], dtype=[np.float64, np.float32], reset=False)
        storage = check_data(X)
        coef: Any = self.coef_
        rows = coef if isinstance(coef, np.ndarray) else coef.toarray()  # after sparsify
        bounds = [near.decisions(storage, w) for near, w in zip(self._optima, rows, strict=True)]
        return bounds[0] if len(bounds) == 1 else np.stack(bounds, axis=1)

    def _problems(self, X: Any, y: Any, weights: Any) -> list[Problem]:
        n = len(y)
        lam = 1 / (n * self.C)
        if not (np.isfinite(lam) and lam > 0):
            raise ValueError(f"C = {self.C!r} is too extreme for {n} rows: 1/(n C) must be a positive finite number")
        return one_vs_rest(X, y, self.classes_, lam, self.fit_intercept, weights)

    def _known_class_weight(self) -> Any:
        """class_weight without labels that do not occur in this fit, as in scikit-learn."""
        if not isinstance(self.class_weight, dict):
            return self.class_weight
        return {label: weight for label, weight in self.class_weight.items() if label in self.classes_}

    def _solve(self, problems: list[Problem]) -> list[Result]:
        tasks = FitTasks(self, len(problems))
        starts = self._starts(problems)
        seeds = _seeds(self.random_state, len(problems))
        n_threads = min(effective_n_jobs(self.n_jobs), len(problems))
        self._begun = [0.0] * len(problems)
        clock = time.perf_counter()
        with ProgressLine("LinearSVC", n_problems=len(problems)) if self.verbose else nullcontext() as line:
            jobs = [
                self._job(k, clock, problem, start, seed, line and line.part(k), partial(tasks.problem, k))
                for k, (problem, start, seed) in enumerate(zip(problems, starts, seeds, strict=True))
            ]
            results = solve_all(jobs, self.max_seconds, n_threads)
        tasks.end()
        return results

    def _job(
        self, k: int, clock: float, problem: Problem, start: Any, seed: int, line: Callback | None, task: Any
    ) -> Job:
        def job(max_seconds: float | None, stop: Stop) -> Result:
            self._begun[k] = time.perf_counter() - clock
            with task() as listener:
                callback = both(line, listener)
                result = solve(
                    problem, Unsolved() if stop.is_set() else self.solver, tol=self.tol, max_iter=self.max_iter,
                    max_seconds=max_seconds, start=start, callback=callback, random_state=seed,
                )  # fmt: skip
                return at_the_optimum(problem, result, self.tol, self.max_iter, max_seconds, callback, stop)

        return job

    def _starts(self, problems: list[Problem]) -> list[Any]:
        alphas = getattr(self, "_alphas", None) if self.warm_start else None
        size = problems[0].Q.size
        if alphas is None or alphas[0] != self.classes_.tolist() or alphas[1].shape != (len(problems), size):
            return [None] * len(problems)
        return list(alphas[1])

    def _remember(self, problems: list[Problem], results: list[Result], y: Any) -> None:
        alphas = np.array([result.alpha for result in results])
        signs = np.array([-problem.A.scale for problem in problems])  # type: ignore[attr-defined]
        self._alphas = (self.classes_.tolist(), alphas)
        self.coef_ = np.array([result.w for result in results])
        self.intercept_ = np.array([result.bias for result in results])
        self.support_ = np.flatnonzero(alphas.any(axis=0))
        self.n_support_ = _counts(self.classes_, y[self.support_])
        self.dual_coef_ = (signs * alphas)[:, self.support_] / problems[0].lam
        self.n_iter_ = max(result.n_iter for result in results)
        self.certificates_ = [result.certificate for result in results]
        self.histories_ = [result.history for result in results]
        self.statuses_ = [result.status for result in results]
        self.certificate_ = total_certificate(self.certificates_)
        self.status_ = worst_status(self.statuses_)
        pairs = zip(problems, results, strict=True)
        self._optima = [neighbourhood(problem, result.w, result.certificate) for problem, result in pairs]

    def _warn(self, problems: list[Problem], results: list[Result], y: Any, weights: Any) -> None:
        text, category = advice.unfinished(results, self.tol, self.max_iter, self.max_seconds), ConvergenceWarning
        if not text and len(problems) > 1:
            scores = problems[0].A.storage.matmat(self.coef_) + self.intercept_  # type: ignore[attr-defined]
            text = advice.never_predicted(self.classes_, scores, _counts(self.classes_, y, weights))
            category = UserWarning
        if text:
            warnings.warn(text, category, stacklevel=3 + FRAMES_AROUND_FIT)


def _counts(classes: Any, y: Any, weights: Any = None) -> Any:
    """How many rows, or how much of their weight, each class has."""
    return np.bincount(np.searchsorted(classes, y), weights, minlength=len(classes))


def _seeds(random_state: Any, n: int) -> list[int]:
    if isinstance(random_state, np.random.RandomState):
        return random_state.randint(2**31 - 1, size=n).tolist()
    return [int(random_state or 0)] * n
