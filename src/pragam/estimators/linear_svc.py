"""A linear support vector classifier that knows how good it is."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model._base import LinearClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from pragam import solvers
from pragam.estimators.callbacks import FRAMES_AROUND_FIT, CallbackSupportMixin, FitTasks, with_callbacks
from pragam.one_vs_rest import Job, Stop, both, one_vs_rest, solve_all
from pragam.problem import Problem
from pragam.progress import ProgressLine
from pragam.result import Result, Status
from pragam.risks.labels import example_weights
from pragam.solve import Callback, solve

#: Problems with at most this many stored entries are solved to rounding, whatever the tolerance: it costs
#: milliseconds, rarely a tenth of a second, and makes weighting a sample the same as repeating it, to the digits
#: that people compare.
POLISHED_ENTRIES = 20_000
_POLISH_TOL = 1e-14
#: An iteration may be a tenth of a pass: 200 left one small problem in a hundred unpolished.
_POLISH_ITER = 2000


class LinearSVC(CallbackSupportMixin, LinearClassifierMixin, ClassifierMixin, BaseEstimator):
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
        1 shows the progress of the gap.

    Attributes
    ----------
    coef_, intercept_, classes_ : the model, as in scikit-learn
    dual_coef_ : (1 or n_classes, n_support) array
        y_i alpha_i / lam, between -C and C times the weight; ``coef_`` is ``dual_coef_ @ X[support_]`` up to the gap.
    support_ : indices of the rows with a nonzero dual variable
    certificate_ : Certificate, or a list of them (one per class)
    history_ : History, or a list
    status_ : Status, or a list
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
        X, y = validate_data(self, X, y, accept_sparse=["csr", "csc"], dtype=[np.float64, np.float32], order=None)
        check_classification_targets(y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"y must have at least two classes, not one class: {self.classes_.tolist()}")
        problems = self._problems(X, y, sample_weight)
        results = self._solve(problems)
        self._remember(problems, results)
        self._warn(results)
        return self

    def _problems(self, X: Any, y: Any, sample_weight: Any) -> list[Problem]:
        n = len(y)
        weights = example_weights(y, sample_weight, self._known_class_weight())
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
        with ProgressLine("LinearSVC") if self.verbose else nullcontext() as line:
            jobs = [
                self._job(problem, start, seed, line, partial(tasks.problem, k))
                for k, (problem, start, seed) in enumerate(zip(problems, starts, seeds, strict=True))
            ]
            results = solve_all(jobs, self.max_seconds, n_threads)
        tasks.end()
        return results

    def _job(self, problem: Problem, start: Any, seed: int, line: Callback | None, task: Any) -> Job:
        entries = problem.A.storage.stored  # type: ignore[attr-defined]

        def job(max_seconds: float | None, stop: Stop) -> Result:
            with task() as listener:
                result = solve(
                    problem, self.solver, tol=self.tol, max_iter=self.max_iter, max_seconds=max_seconds, start=start,
                    callback=both(line, both(listener, stop)), random_state=seed,
                )  # fmt: skip
                if result.converged and entries <= POLISHED_ENTRIES:
                    result = _polish(problem, result, max_seconds, stop, seed)
            return result

        return job

    def _starts(self, problems: list[Problem]) -> list[Any]:
        alphas = getattr(self, "_alphas", None) if self.warm_start else None
        size = problems[0].Q.size
        if alphas is None or alphas[0] != self.classes_.tolist() or alphas[1].shape != (len(problems), size):
            return [None] * len(problems)
        return list(alphas[1])

    def _remember(self, problems: list[Problem], results: list[Result]) -> None:
        alphas = np.array([result.alpha for result in results])
        signs = np.array([-problem.A.scale for problem in problems])  # type: ignore[attr-defined]
        self._alphas = (self.classes_.tolist(), alphas)
        self.coef_ = np.array([result.w for result in results])
        self.intercept_ = np.array([result.bias for result in results])
        self.support_ = np.flatnonzero(alphas.any(axis=0))
        self.dual_coef_ = (signs * alphas)[:, self.support_] / problems[0].lam
        self.n_iter_ = max(result.n_iter for result in results)
        one = len(results) == 1
        self.certificate_ = results[0].certificate if one else [result.certificate for result in results]
        self.history_ = results[0].history if one else [result.history for result in results]
        self.status_ = results[0].status if one else [result.status for result in results]

    def _warn(self, results: list[Result]) -> None:
        missed = [result for result in results if not result.converged]
        if not missed:
            return
        worst = max(missed, key=lambda result: result.certificate.relative_gap)
        seconds = worst.history.seconds[-1:].sum()  # a solve that was interrupted at its start has no history
        which = f"{len(missed)} of {len(results)} one-vs-rest problems: " if len(results) > 1 else ""
        warnings.warn(
            f"{which}{worst.status} The certified relative gap is {worst.certificate.relative_gap:.2e}, and tol="
            f"{self.tol:g} was asked for, after {worst.n_iter} iterations and {seconds:.2g} s "
            f"(max_iter={self.max_iter}, max_seconds={self.max_seconds}). {_remedy(worst.status)}",
            ConvergenceWarning,
            stacklevel=3 + FRAMES_AROUND_FIT,
        )


def _polish(problem: Problem, result: Result, max_seconds: float | None, stop: Stop, seed: int) -> Result:
    """The same problem to rounding, from the answer found: what improves is kept, with its certificate."""
    if result.certificate.relative_gap <= _POLISH_TOL or solvers.Dcd.missing(problem):
        return result
    left = None if max_seconds is None else max(max_seconds - result.history.seconds[-1], 0.0)
    finer = solve(
        problem, "dcd", tol=_POLISH_TOL, max_iter=_POLISH_ITER, max_seconds=left, start=result, callback=stop,
        random_state=seed,
    )  # fmt: skip
    if finer.status is Status.INTERRUPTED:
        stop.set()  # this problem is solved, but Ctrl-C means the others too
    if finer.certificate.gap > result.certificate.gap:
        return result
    return Result(
        finer.w, finer.alpha, finer.certificate, Status.CONVERGED, result.history, result.solver,
        result.n_iter,
    )  # fmt: skip


def _seeds(random_state: Any, n: int) -> list[int]:
    if isinstance(random_state, np.random.RandomState):
        return random_state.randint(2**31 - 1, size=n).tolist()
    return [int(random_state or 0)] * n


def _remedy(status: Status) -> str:
    if status is Status.STALLED:
        return "Raise tol to what is reached here, scale the columns of X, or lower C."
    if status is Status.FAILED:
        return "Scale the columns of X: float64 cannot hold the numbers that this problem makes."
    return "Raise max_iter or max_seconds, raise tol, scale the columns of X, or lower C."
