r"""What was measured: solvers on data sets, as data. Nothing here runs a solver or draws a figure.

For a data set and a solver, w_t is what the solver would answer after iteration t, and

    err_t = min over t' <= t of J(w_t') - J*,        J* = min J.

J* is known as an interval only, [dual, primal] of the :class:`Reference`, so err_t is one too. Its ends differ by less
than anybody can see where the reference has reached its tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class DataFacts:
    """A data set as it was used."""

    name: str
    n: int
    d: int
    nnz: int
    lam: float
    n_test: int = 0
    test: str = ""  # where the test rows come from: "file", or "20 % of the rows, seed 0"
    stand_in_for: str = ""  # the set that these generated rows stand for; empty for real data
    source: str = ""
    note: str = ""
    seconds: float = 0.0  # to read and prepare it
    sequences: int = 0  # how many there are, if the rows are tokens of such

    @property
    def title(self) -> str:
        """The name, which says of generated rows what they are."""
        return f"{self.name} (synthetic stand-in for {self.stand_in_for})" if self.stand_in_for else self.name

    @property
    def caption(self) -> str:
        """n, d, non-zeros and lambda, as under a figure."""
        exponent = np.log2(self.lam)
        lam = "2" + f"{exponent:.0f}".translate(_RAISED) if exponent == round(exponent) else f"{self.lam:.3g}"
        n = f"{self.sequences:,} sequences, {self.n:,} tokens" if self.sequences else f"n = {self.n:,}"
        return f"{n}, d = {self.d:,}, {self.nnz:,} non-zeros, λ = {lam}"


@dataclass(frozen=True)
class Reference:
    """The optimum of a problem as far as it is proved: dual <= J* <= primal."""

    primal: float
    dual: float
    relative_gap: float
    tol: float  # that was asked for
    seconds: float
    solver: str
    accuracy: float = np.nan  # of its weights on the test rows
    support: float = np.nan  # dual variables that are not zero; NaN: the dual point is no vector

    @property
    def is_reached(self) -> bool:
        return self.relative_gap <= self.tol


@dataclass(frozen=True)
class Run:
    """A solver on a data set: one entry a point, by increasing iterations. No points and a reason: it did not run."""

    data: str
    solver: str
    problem: str = "hinge"  # the key of its reference: "hinge", "hinge with a bias" or "sequences"
    is_peer: bool = False
    status: str = ""  # how it ended, a sentence; or why there are no points
    iteration: Floats = field(default_factory=lambda: np.empty(0))
    seconds: Floats = field(default_factory=lambda: np.empty((0, 0)))  # (repeats, points)
    primal: Floats = field(default_factory=lambda: np.empty(0))  # J(w_t)
    iterate: Floats = field(default_factory=lambda: np.empty(0))  # J of the raw iterate; NaN where w_t is the iterate
    gap: Floats = field(default_factory=lambda: np.empty(0))  # the relative gap certified so far; NaN before the first
    accuracy: Floats = field(default_factory=lambda: np.empty(0))  # on the test rows, of the best w so far
    support: Floats = field(
        default_factory=lambda: np.empty(0)
    )  # dual variables of w_t that are not zero; NaN: unknown
    chunk_f1: Floats = field(default_factory=lambda: np.empty(0))  # of the same w; NaN of data without chunks
    preparation: float = 0.0  # seconds for data conversion, once
    compilation: float = 0.0  # seconds for imports and compilation, once

    @property
    def has_points(self) -> bool:
        return len(self.iteration) > 0

    @property
    def best(self) -> Floats:
        """min over t' <= t of J(w_t'). A J that is not finite, NaN here, is no minimum."""
        return np.fmin.accumulate(self.primal) if self.has_points else self.primal

    @property
    def clock(self) -> Floats:
        """The median over the repeats, seconds for each point."""
        return np.median(self.seconds, axis=0) if self.has_points else np.empty(0)

    @property
    def spread(self) -> tuple[Floats, Floats]:
        """The least and the largest over the repeats."""
        if not self.has_points:
            return np.empty(0), np.empty(0)
        return self.seconds.min(axis=0), self.seconds.max(axis=0)


@dataclass(frozen=True)
class Experiment:
    """All that a comparison has measured so far."""

    options: dict[str, Any]
    machine: dict[str, Any]  # processor, cores, memory, threads, versions
    data: dict[str, DataFacts]
    references: dict[tuple[str, str], Reference]  # (data, problem): the optimum
    runs: tuple[Run, ...]
    failures: dict[str, str] = field(default_factory=dict)  # data sets that could not be read, and why
    tuning: dict[str, dict[str, list[float]]] = field(default_factory=dict)  # data: columns lam, accuracy, error, gap
    unfit: dict[str, tuple[str, ...]] = field(default_factory=dict)  # data: solvers that do not fit, which have no run

    @property
    def solvers(self) -> list[str]:
        """Their names in the order of the first run."""
        return list(dict.fromkeys(run.solver for run in self.runs))

    def run(self, data: str, solver: str) -> Run | None:
        return next((run for run in self.runs if (run.data, run.solver) == (data, solver)), None)

    def reference(self, run: Run) -> Reference | None:
        return self.references.get((run.data, run.problem))

    def error(self, run: Run) -> tuple[Floats, Floats]:
        """The ends of err_t: J(best) - primal of the reference, 0 at least, and J(best) - dual."""
        reference = self.reference(run)
        if reference is None:
            return np.full(len(run.best), np.nan), np.full(len(run.best), np.nan)
        return np.maximum(run.best - reference.primal, 0.0), run.best - reference.dual

    def relative_error(self, run: Run) -> Floats:
        """The upper end of err_t over J*, which decides "time to"."""
        reference = self.reference(run)
        if reference is None or not reference.primal > 0:
            return np.full(len(run.best), np.nan)
        return self.error(run)[1] / reference.primal

    def time_to(self, run: Run, eps: float) -> float:
        """Median seconds of the soonest point with err_t <= eps J*; inf if there is none.

        A peer's fits are independent, and one with more iterations may have taken less time.
        """
        return self._first(run, eps, run.clock)

    def iterations_to(self, run: Run, eps: float) -> float:
        """Iterations until err_t <= eps J*; inf if it was not seen."""
        return self._first(run, eps, run.iteration)

    def _first(self, run: Run, eps: float, values: Floats) -> float:
        reached = np.flatnonzero(self.relative_error(run) <= eps)
        return float(values[reached].min()) if len(reached) else np.inf
