"""A race of ``risks_versus_peers.py``: one problem, pragam and its rivals, each in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import pragam
from _common import cpu_limit
from _peers import SWEEP, Runner, Timed
from _risk_peers import Rival
from _risk_rows import Case
from versus_peers import again, fastest, sweep

#: A dual bound this near to the least J known is J*.
TIGHT = 1e-7
#: A bound below this share of J says nothing, and may be negative.
NOTHING = 1e-6
#: What the reference is asked for.
REFERENCE = 1e-9
#: Loose enough for a first fit, which imports packages and maps memory.
WARM_UP = 0.5


class Judge:
    """Bounds of the minimum of J, and J of whatever comes; several problems are summed."""

    def __init__(self, case: Case, cap: float) -> None:
        self._case, self._cap, self._least = case, cap, np.inf

    @cached_property
    def _problems(self) -> list[pragam.Problem]:
        return [build() for build in self._case.builds]

    @cached_property
    def _bound(self) -> float:
        """Our dual bound, the best that the cap allows."""
        share = self._cap / len(self._problems)
        results = [pragam.solve(problem, tol=REFERENCE, callback=cpu_limit(share)) for problem in self._problems]
        self._least = sum(result.certificate.primal for result in results)
        return max(sum(result.certificate.dual for result in results), NOTHING * self._least)

    def gap(self, fit: Timed) -> float:
        """The relative gap that a fit of ours has certified."""
        return fit.alpha

    def excess(self, fit: Timed) -> float:
        """J(w) over the bound, less 1."""
        bound = self._bound
        parts = np.split(np.asarray(fit.w, dtype=np.float64), len(self._problems))
        J = sum(problem.primal(w) for problem, w in zip(self._problems, parts, strict=True))
        self._least = min(self._least, J)
        return J / bound - 1

    @property
    def doubt(self) -> float:
        """How far J* is from the bound, relatively: J* is the bound itself, or the least J where that is far away."""
        excess = self._least / self._bound - 1
        return 0.0 if excess <= TIGHT else excess

    def settled(self, excess: float) -> float:
        """J(w)/J* - 1, now that all have been seen."""
        return (excess - self.doubt) / (1 + self.doubt)


class Contestant:
    """Somebody in a race: ``fits`` has [gap or excess, least seconds] for each of its own tolerances."""

    def __init__(self, name: str, rival: Rival, cap: float) -> None:
        self.name, self.kind, self._cap = name, rival.kind, cap
        # pragam is told of the cap and comes back with what it has.
        self._runner = Runner(rival.prepare, 2 * cap if rival.kind == "certified" else cap, name)
        self.fits: dict[float, list[Any]] = {}
        self.missed: dict[float, float] = {}
        self.failed = ""

    def search(self, judge: Judge, tols: list[float]) -> None:
        """The first fits, at all tolerances that may be of use."""
        try:
            first = self._runner.fit(WARM_UP)
            if self.kind != "timed":
                self.fits = sweep(self._runner, judge, tols, self.kind == "certified")
            elif first is not None:
                self.fits = {WARM_UP: [0.0, first.seconds]}
        except ImportError:
            self.failed = "not installed"
        except RuntimeError as error:
            if self.kind == "certified":
                raise
            self.failed = f"fails: {error}"

    def settle(self, judge: Judge) -> None:
        """Judge the fits of the search by all that was seen; what a fit of ours has missed is not repeated."""
        if self.kind == "judged":
            self.fits = {tol: [judge.settled(excess), seconds] for tol, (excess, seconds) in self.fits.items()}
        if self.kind == "certified":
            self.missed = {tol: gap for tol, (gap, _) in self.fits.items() if gap > tol}
            self.fits = {tol: entry for tol, entry in self.fits.items() if tol not in self.missed}

    def repeat(self, tols: list[float]) -> None:
        """Time what counts once more."""
        again(self._runner, self.fits, tols, self.kind != "judged")

    def last(self, tol: float) -> Timed | None:
        """A fit to look at."""
        return self._runner.fit(tol)

    def seconds(self, tol: float) -> float | str:
        """To the relative gap ``tol``, or why there are none: the cap came ("> cap"), or its tolerances ended."""
        if self.failed:
            return self.failed
        found = self.fits.get(tol, [0, np.inf])[1] if self.kind == "certified" else fastest(self.fits, tol)
        if found < np.inf:
            return float(found)
        return "never" if float(SWEEP[-1]) in self.fits else f"> {self._cap:g}"

    @property
    def nearest(self) -> float:
        """The least excess."""
        return min((excess for excess, _ in self.fits.values()), default=np.nan) if self.kind == "judged" else np.nan

    def close(self) -> None:
        self._runner.close()


@dataclass
class Outcome:
    """Seconds of ours for each tolerance (or "> cap"), and of the rivals; the gap where ours was not certified."""

    row: str
    problem: str
    tols: list[float]
    ours: list[float | str]
    missed: dict[float, float]
    rivals: dict[str, list[float | str]]
    nearest: dict[str, float]
    doubt: float = np.nan
    says: str = ""

    def ratio(self, rival: str, i: int) -> float:
        """The rival's time over ours; nan if one of them has none."""
        theirs, mine = self.rivals[rival][i], self.ours[i]
        return np.nan if isinstance(mine, str) or isinstance(theirs, str) else theirs / mine

    def best(self, i: int) -> float:
        """The ratio of the fastest rival; nan if there is none."""
        ratios = [ratio for rival in self.rivals if np.isfinite(ratio := self.ratio(rival, i))]
        return min(ratios, default=np.nan)


def race(row: str, problem: str, case: Case, tols: Sequence[float], cap: float, repeats: int) -> Outcome:
    """All contestants on one problem, in turns."""
    wanted = list(case.tols or tols)
    everyone = {"pragam": Rival(lambda: case.ours, "certified"), **case.rivals}
    contestants = {name: Contestant(name, rival, cap) for name, rival in everyone.items()}
    ours = contestants["pragam"]
    judge = Judge(case, cap)
    for contestant in contestants.values():
        contestant.search(judge, wanted)
    for contestant in contestants.values():
        contestant.settle(judge)
    for _ in range(repeats - 1):
        for contestant in contestants.values():
            contestant.repeat(wanted)
    shown = ours.last(max(wanted)) if case.says else None
    for contestant in contestants.values():
        contestant.close()
    return Outcome(
        row,
        problem,
        wanted,
        [ours.seconds(tol) for tol in wanted],
        ours.missed,
        {name: [contestants[name].seconds(tol) for tol in wanted] for name in case.rivals},
        {name: contestants[name].nearest for name in case.rivals},
        judge.doubt if any(rival.kind == "judged" for rival in case.rivals.values()) else np.nan,
        case.says(shown.w) if shown and case.says else "",
    )
