"""One competitor on one data set, measured: what a worker process does, and the only place that reads the clock."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from pragam.compare import data
from pragam.compare.clocked import Clocked
from pragam.compare.competitors import Competitor, named
from pragam.compare.experiment import Reference
from pragam.compare.judge import Judge
from pragam.compare.peers import Fitted, Peer
from pragam.compare.problems import PROBLEMS
from pragam.compare.sequences import SequenceJudge, SequenceLabels
from pragam.compare.thinning import Thinning
from pragam.compare.traced import Point, Traced, support
from pragam.driver.result import Result
from pragam.driver.solve import solve
from pragam.solvers import choose
from pragam.solvers.base import AnySolver

#: Examples of each class that a first fit gets, so that imports and compilation are off the clock.
_FEW = 20
#: The limit of that fit: enough to call every function that must be compiled.
_WARM_UP_LIMIT, _WARM_UP_TOL = 50, 1e-4

#: A fit of fewer seconds is timed three times: one alone tells of cold caches and of what else the machine does.
_SHORT = 0.05

Answer = dict[str, Any]


class Bench:
    """A data set and a problem on it, in memory once."""

    def __init__(self, folder: str, problem: str, lam: float) -> None:
        self.X, self.y, X_test, y_test = data.load(Path(folder))
        self.make, self.lam = PROBLEMS[problem], lam
        begin = perf_counter()
        self.problem = self.make(self.X, self.y, lam)
        self.preparation = perf_counter() - begin
        kind: type[Judge] = SequenceJudge if isinstance(y_test, SequenceLabels) else Judge
        self.judge = kind(self.problem, X_test, y_test)

    @property
    def few(self) -> tuple[Any, Any]:
        """Some rows of both classes, or some sequences."""
        if isinstance(self.y, SequenceLabels):
            few = self.y.first(_FEW)
            return self.X[: len(few)], few
        rows = np.concatenate([np.flatnonzero(self.y > 0)[:_FEW], np.flatnonzero(self.y <= 0)[:_FEW]])
        return self.X[rows], np.array(self.y[rows])

    def unfit(self, solvers: Sequence[str]) -> list[str]:
        """Those of ours that lack something here."""
        return [name for name in solvers if not self._fits(named(name).make())]

    def _fits(self, solver: Any) -> bool:
        try:
            choose(solver, self.problem)
        except ValueError:
            return False
        return True

    def reference(self, tol: float, max_seconds: float) -> Answer:
        """The optimum, as far as it can be proved in this time."""
        begin = perf_counter()
        result = solve(self.problem, tol=tol, max_seconds=max_seconds, stall=False)
        proof = result.certificate
        found = Reference(
            proof.primal, proof.dual, proof.relative_gap, tol, perf_counter() - begin, result.solver,
            self.judge.accuracy(result.w, result.biases), support(result.alpha),
        )  # fmt: skip
        return asdict(found)


class SolverBench:
    """A solver of ours: timed once or more, and traced in a run of its own that is equal to the bit."""

    def __init__(self, bench: Bench, solver: AnySolver, tol: float, thinning: Thinning) -> None:
        self._bench, self._tol, self._thinning = bench, tol, thinning
        self._solver = choose(solver, bench.problem)
        begin = perf_counter()
        solve(bench.make(*bench.few, 1.0), solver, tol=tol, max_iter=_WARM_UP_LIMIT, stall=False)
        self.ready = {"preparation": bench.preparation, "compilation": perf_counter() - begin}

    def clocked(self, max_seconds: float | None, max_iter: int | None) -> Answer:
        """One run on the clock: when each kept step was done."""
        watch = Clocked(self._solver)
        begin = perf_counter()
        result = self._solve(watch, max_seconds, max_iter)
        if not watch.times:
            raise ValueError(result.reason or str(result.status))
        steps = self._thinning.steps(result.n_iter)
        seconds = [watch.times[step] - begin for step in steps]
        return {**self._summary(result), "step": steps, "seconds": seconds}

    def traced(self, max_iter: int) -> Answer:
        """The same run, off the clock: what each kept step is worth."""
        steps = self._thinning.steps(max_iter)
        watch = Traced(self._solver, self._bench.judge, steps)
        result = self._solve(watch, None, max_iter)
        columns = dict(zip(Point._fields, map(list, zip(*watch.points, strict=True)), strict=True))
        return {**self._summary(result), "step": steps[: len(watch.points)], **columns}

    def _solve(self, watch: AnySolver, max_seconds: float | None, max_iter: int | None) -> Result:
        return solve(
            self._bench.problem, watch, tol=self._tol, max_seconds=max_seconds, max_iter=max_iter, stall=False,
            random_state=0,
        )  # fmt: skip

    @staticmethod
    def _summary(result: Result) -> Answer:
        alpha = result.alpha.tobytes() if isinstance(result.alpha, np.ndarray) else b""
        bits = hashlib.sha256(result.w.tobytes() + alpha).hexdigest()[:16]
        return {
            "n_iter": result.n_iter, "status": (not result.converged and result.reason) or str(result.status),
            "bits": bits, "label": result.solver,
        }  # fmt: skip


class PeerBench:
    """A peer, fitted anew for each iteration limit."""

    def __init__(self, bench: Bench, peer: Peer) -> None:
        self._bench, self._peer = bench, peer
        self._bias = bench.problem.n_biases > 0
        begin = perf_counter()
        few_X, few_y = peer.convert(*bench.few)
        peer.fit(few_X, few_y, 1.0, self._bias, _WARM_UP_LIMIT, _WARM_UP_TOL)
        compiled = perf_counter()
        y = bench.y if isinstance(bench.y, SequenceLabels) else np.array(bench.y)
        X = bench.X.copy()  # in memory, and writable: some packages insist
        copied = perf_counter()
        self._X, self._y = peer.convert(X, y)
        self.ready = {"compilation": compiled - begin, "preparation": perf_counter() - copied}

    def fit(self, limit: int) -> Answer:
        """One fit on the clock, and what it is worth off it. Of a short one, the median of three."""
        fitted, seconds = self._timed(limit)
        if seconds < _SHORT:
            seconds = median([seconds, self._timed(limit)[1], self._timed(limit)[1]])
        biases = None if fitted.bias is None or not self._bias else np.array([fitted.bias])
        judge, w = self._bench.judge, fitted.w() if callable(fitted.w) else fitted.w
        return {
            "limit": limit, "seconds": seconds, "n_iter": fitted.n_iter, "support": fitted.support,
            "primal": judge.primal(w, biases) if self._peer.minimises else np.nan,
            "accuracy": judge.accuracy(w, biases), "chunk_f1": judge.chunk_f1(w),
        }  # fmt: skip

    def _timed(self, limit: int) -> tuple[Fitted, float]:
        begin = perf_counter()
        fitted = self._peer.fit(self._X, self._y, self._bench.lam, self._bias, limit, self._peer.tightest)
        return fitted, perf_counter() - begin


def prepare(name: str, folder: str, lam: float | None, test: str | None, tune: bool) -> Answer:
    """Read a data set and leave it where the others find it. If ``tune``, lam is chosen on a part of its rows."""
    from pragam.samples.fingerprint import data_fingerprint

    begin = perf_counter()
    prepared = data.prepare(name, lam, test)
    data.save(prepared, Path(folder))
    facts = {**asdict(prepared.facts), "seconds": perf_counter() - begin}
    tuning = None
    if tune and isinstance(prepared.y, SequenceLabels):
        raise ValueError(f"{name}: lam is chosen by validation for two classes only, not for sequences")
    if tune:
        found = import_module("pragam.selection").tune(prepared.X, prepared.y, bias=False)
        tuning, note = found.columns(), "λ is the best on a validation split of the training rows"
        facts |= {"lam": found.best, "note": note}
    y = prepared.y
    shape = (y.labels, y.lengths) if isinstance(y, SequenceLabels) else (y,)
    return {"facts": facts, "tuning": tuning, "sha256": data_fingerprint(prepared.X, *shape)["sha256"]}


def bench_of(competitor: dict[str, Any], folder: str, lam: float, tol: float, thinning: list[Any]) -> Any:
    """The competitor on the data in this folder, ready to be measured."""
    who = Competitor(**competitor)
    made, bench = who.make(), Bench(folder, who.problem, lam)
    return PeerBench(bench, made) if isinstance(made, Peer) else SolverBench(bench, made, tol, Thinning(*thinning))
