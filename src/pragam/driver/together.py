r"""Several problems on the same rows are started together: one pass over X moves the weights of all of them.

The classes of a one-vs-rest model differ in their signs alone, so while they are far from the optimum the sequential
dual method sweeps over groups of them as over the labels of one problem
(:mod:`pragam.solvers.sequential_dual.stacked`). Each problem then has its own certificate, of its own point: those of a
group share two products with X. A problem that is not within the tolerance goes on alone, from there.

Groups, orders and seeds depend on the problems alone, so a model is the same for every number of threads, which share
the groups. A group is started by the first of its problems whose turn has come.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from pragam.certificate import Lower, Upper, bounds_together
from pragam.driver.checkpoint.keeper import Keeper, keeping
from pragam.driver.checkpoint.of_solve import belongs_to
from pragam.driver.checkpoint.place import Checkpoint, Checkpoints
from pragam.driver.record import Reached, Record
from pragam.problem import AnyProblem
from pragam.runtime.interrupts import Signals, listen
from pragam.runtime.threads import one_blas_thread
from pragam.solvers import Auto, Dcd
from pragam.solvers.base import Seen, Start
from pragam.solvers.sequential_dual import SequentialDual, parts, stacked

#: The most problems that are swept over together: their weights of a feature, in single precision, fill a cache line of
#: 64 bytes. On news20 two groups of 10 take 1.2 times as long as one of 20, but threads can share them.
_LARGEST = 16
#: A tolerance that is no less than this is reached together.
_LOW = 1e-3
#: For a tighter one each goes on alone at this relative gap: dcd copies the rows that still move, which are others for
#: each problem, and has a momentum for each. On news20 to 1e-4, 0.1 and 1e-3 take 1.1 to
#: 1.2 times as long; to 1e-6 the differences are within the noise.
_CLOSE = 1e-2
#: For a low tolerance the gap of the sum is brought to this share of it: those of the problems differ by half as much
#: again.
_AIM = 0.8
#: Together once more if more than this share of the problems is not within the tolerance.
_MANY = 0.25
#: So often at the most.
_ROUNDS = 3
#: A group is left when the passes exceed what its problems should take alone by this factor.
_PATIENCE = 2.0
#: The share of its time that a group may take before its problems go on alone.
_TIME = 0.5
#: Seconds for the certificates after an interrupt.
_GRACE = 0.7


@dataclass
class Group:
    """Problems that are started together, and what they have reached once they were; nothing if that has failed."""

    problems: list[Any]
    tol: float
    seed: int
    max_iter: int | None
    max_seconds: float
    expected: float  # passes to the tolerance, or to where each goes on alone
    place: Checkpoint | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    is_started: bool = False
    found: list[Reached] = field(default_factory=list)

    def start(self) -> None:
        """Sweeps over all, and a certificate for each. Ctrl-C ends the sweeps; what they have reached is certified.

        After an error nothing is reached, and a warning says so.
        """
        self.is_started = True
        with listen() as signals, one_blas_thread(), np.errstate(all="ignore"):
            if self.place is None:
                self.found = self._swept(signals)
                return
            digests = self.place.digests
            problem: Any = stacked(self.problems)
            belongs = belongs_to(problem, SequentialDual(momentum=False), digests, tol=self.tol, seed=self.seed)
            objects = {"stacked": problem, **{f"problem {k}": own for k, own in enumerate(self.problems)}}
            with keeping(self.place.path, "group", belongs, objects) as keeper:
                left, is_over = keeper.found() or ([], False)
                self.found = left if is_over else self._swept(signals, keeper, left)

    def _swept(self, signals: Signals, keeper: Keeper | None = None, left: Any = ()) -> list[Reached]:
        try:
            return _Together(self, signals, keeper, left).reached()
        except KeyboardInterrupt:  # before the first sweep; each problem then ends by itself, where it stands
            return []
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            warnings.warn(
                f"{len(self.problems)} problems could not be started together ({what:.200}). Each is solved by "
                "itself, which takes longer.",
                RuntimeWarning,
                stacklevel=3,
            )
            return []


class Together:
    """The groups of some problems, and where each problem stands after the start of its own."""

    def __init__(self, groups: list[tuple[list[int], Group]]) -> None:
        self._groups = groups
        self._places = {k: (group, place) for own, group in groups for place, k in enumerate(own)}

    @property
    def order(self) -> list[int]:
        """All problems, neighbours of different groups, so that threads start different groups."""
        longest = max(len(own) for own, _ in self._groups)
        return [own[place] for place in range(longest) for own, _ in self._groups if place < len(own)]

    def reached(self, k: int) -> Reached | None:
        """What problem k has reached; None if it has to begin by itself. The first to ask starts the group."""
        group, place = self._places[k]
        with group.lock:
            if not group.is_started:
                group.start()
        return group.found[place] if group.found else None


def together(
    problems: Sequence[AnyProblem],
    tol: float,
    max_iter: int | None,
    max_seconds: float | None,
    seed: int,
    kept: Checkpoints | None = None,
) -> Together | None:
    """Groups of the problems, if all go together and coordinate ascent is what they would be solved by; else None."""
    K = len(problems)
    if K < 2 or max_iter == 0 or max_seconds == 0 or Dcd.missing(problems[0]):
        return None
    who, cost = Auto().first(problems[0], _aim(tol))
    if who != Dcd.name or stacked(problems[:2]) is None:
        return None
    groups: list[tuple[list[int], Group]] = []
    for places in np.array_split(np.arange(K), -(-K // _LARGEST)):
        share = inf if max_seconds is None else _TIME * max_seconds * len(places) / K
        own = [problems[k] for k in places]
        place = None if kept is None else kept.of(f"group-{len(groups)}")
        groups.append((places.tolist(), Group(own, tol, seed + int(places[0]), max_iter, share, cost.passes, place)))
    return Together(groups)


def _aim(tol: float) -> float:
    """The relative gap of the sum to which a group is brought."""
    return _AIM * tol if tol >= _LOW else _CLOSE


class _Together:
    """The start of a group at work."""

    def __init__(self, group: Group, signals: Signals, keeper: Keeper | None = None, left: Any = ()) -> None:
        problem = stacked(group.problems) if keeper is None else keeper.objects["stacked"]
        if problem is None:
            raise ValueError("the problems do not go together")
        self.group, self.signals, self.problem, self.keeper = group, signals, problem, keeper
        self.begin, self.before = time.perf_counter(), 0.0
        self.method = SequentialDual(momentum=False)
        self.is_cut = False  # whether a signal or a budget has ended the sweeps
        if left:
            vars(self).update(left)
            return
        self.aim, self.steps, self.round = _aim(group.tol), 0, 0
        self.records = [Record(own, group.tol) for own in group.problems]
        with signals.raising:
            self.state = self.method.init(problem, np.random.default_rng(group.seed), None, self.aim)

    @property
    def seconds(self) -> float:
        return self.before + (time.perf_counter() - self.begin)

    def reached(self) -> list[Reached]:
        """Sweeps and certificates, until most are within the tolerance or it is time for each to go on alone."""
        found = self._reached()
        if self.keeper is not None and not self.is_cut:
            self.keeper.write(found, is_over=True, steps=self.steps)
        return found

    def _reached(self) -> list[Reached]:
        group, records, starts = self.group, self.records, []
        while self.round < _ROUNDS:
            is_over = self._advance()
            self.round += 1
            starts = self._certify(records)
            gaps = [record.certificate.relative_gap for record in records]
            is_few = sum(gap > group.tol for gap in gaps) <= _MANY * len(gaps)
            if is_over or is_few or group.tol < _LOW:
                break
            self.aim *= min(0.9 * group.tol / max(gaps), 0.7)
        passes, name = self.state.passes, self.method.name
        return [
            Reached(record, start, self.steps, passes, self.seconds, name)
            for record, start in zip(records, starts, strict=True)
        ]

    def _advance(self) -> bool:
        """Sweeps until the gap of the sum looks small enough; whether that is the end in any case."""
        group, limit = self.group, _PATIENCE * self.group.expected
        most = inf if group.max_iter is None else group.max_iter
        try:
            while self.method.estimate(self.problem, self.state) > self.aim:
                if self.keeper is not None:
                    self.keeper.perhaps(self._left(), steps=self.steps)
                self.is_cut = self.steps >= most or self.signals.asked or self.seconds > group.max_seconds
                if self.is_cut and self.keeper is not None:
                    self.keeper.write(self._left(), steps=self.steps)
                if self.is_cut or self.state.passes > limit:
                    return True
                with self.signals.raising:
                    self.state = self.method.step(self.problem, self.state)
                self.steps += 1
        except KeyboardInterrupt:
            self.is_cut = True
        return self.is_cut or self.steps >= most

    def _left(self) -> dict[str, Any]:
        """What a run needs that goes on."""
        names = "state", "records", "aim", "steps", "round"
        return {name: getattr(self, name) for name in names} | {"before": self.seconds}

    def _certify(self, records: list[Record]) -> list[Start]:
        """Certify where each problem stands, and say from where it may go on."""
        group = self.group
        pairs = parts(len(records), *self.method.candidate(self.problem, self.state))
        with self.signals.grace(_GRACE if self.signals.asked else inf):
            bounds = bounds_together(group.problems, [pair.w for pair in pairs], [pair.alpha for pair in pairs])
            for record, pair, (upper, lower) in zip(records, pairs, bounds, strict=True):
                record.keep(pair, record.judge_bounds(upper, lower))
                record.note(self.steps, self.state.passes, self.seconds)
        found = zip(group.problems, pairs, bounds, strict=True)
        return [self._start(problem, pair, upper, lower) for problem, pair, (upper, lower) in found]

    def _start(self, problem: AnyProblem, pair: Start, upper: Upper, lower: Lower) -> Start:
        """(w(alpha), alpha) and the scores, by the products that the certificates have made, if these are of alpha."""
        if upper.product is None or lower.product is None or lower.argument is not lower.alpha:
            return pair
        seen = Seen(upper.product + problem.c, self.state.last.drift2, self.state.passes)
        return Start(lower.product / -problem.lam, lower.alpha, seen=seen)
