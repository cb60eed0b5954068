"""One competitor on one data set in one repeat: what is still missing in the journal is measured, in a worker."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pragam.compare import peers
from pragam.compare.competitors import Competitor
from pragam.compare.fold import about
from pragam.compare.journal import Journal, Record
from pragam.compare.plan import PEER_FACTOR, Plan, next_limit
from pragam.compare.process import LostError, Worker

#: Seconds for reading the data, imports and compilation, before anything is measured.
_START_CAP = 300.0
_CONVERGED = "It says that it has converged."
_OVER = "The time budget ended before it said that it had converged."
_LIMIT = "The iteration limit ended it before it said that it had converged."
_DIFFERS = "Not repeatable: the traced run differs from the timed one."


@dataclass(frozen=True)
class Turn:
    """A competitor's turn: its run on the data in ``folder``, named ``data``, for one of the repeats."""

    plan: Plan
    journal: Journal
    data: str
    lam: float
    folder: Path
    who: Competitor
    repeat: int
    data_dir: str | None = None

    @property
    def is_done(self) -> bool:
        """Whether there is nothing left to measure in this repeat."""
        if any(not end["retry"] for end in self._records("end")):
            return True
        if self.repeat == 0:
            return False
        return not self._limits() if self.who.is_peer else bool(self._records("clocked")) or not self._all("traced")

    def take(self) -> None:
        """Measure it. Whatever goes wrong becomes the status of the run."""
        if self.who.is_peer and not self.who.file and not peers.is_installed(peers.by_name(self.who.name)):
            package = peers.by_name(self.who.name).package
            self.end(f"Not installed: pip install {package}", retry=True)
            return
        try:
            with Worker(self.plan.threads, self.data_dir) as worker:
                self._open(worker)
                status = self._fit(worker) if self.who.is_peer else self._solve(worker)
        except LostError as error:
            status = str(error)
        if status:
            self.end(status)

    def _open(self, worker: Worker) -> None:
        arguments = {"competitor": asdict(self.who), "folder": str(self.folder), "lam": self.lam}
        settings = {"tol": self.plan.tol, "thinning": [self.plan.thinning.every, self.plan.thinning.factor]}
        ready = worker.ask("open", _START_CAP, **arguments, **settings)
        if not self._all("ready"):
            self._add("ready", ready)

    def _solve(self, worker: Worker) -> str:
        """Time a run of ours. The first one fixes the number of iterations, and is traced."""
        first = self._all("clocked", repeat=0)
        if not self._records("clocked"):
            budget: dict[str, Any] = {"max_seconds": self.plan.seconds, "max_iter": self.plan.max_iter}
            if first:
                budget = {"max_seconds": None, "max_iter": first[0]["n_iter"]}
            timed = self._add("clocked", worker.ask("clocked", self.plan.cap, **budget))
            first = first or [timed]
        if self.repeat:
            return ""
        if not (traced := self._all("traced")):
            traced = [self._add("traced", worker.ask("traced", self.plan.cap, max_iter=first[0]["n_iter"]))]
        same = (traced[0]["n_iter"], traced[0]["bits"]) == (first[0]["n_iter"], first[0]["bits"])
        return str(first[0]["status"]) if same else f"{first[0]['status']} {_DIFFERS}"

    def _fit(self, worker: Worker) -> str:
        """Fits with rising limits; in later repeats with the limits of the first."""
        if self.repeat:
            for limit in self._limits():
                self._add("fit", worker.ask("fit", self.plan.cap, limit=limit))
            return ""
        fits = self._records("fit")
        while not (status := self._verdict(fits)):
            limit = next_limit(fits[-1]["limit"]) if fits else 1
            limit = min(limit, self.plan.max_iter or limit)
            fits.append(self._add("fit", worker.ask("fit", self.plan.cap, limit=limit)))
        return status

    def _verdict(self, fits: list[Record]) -> str:
        """Why a peer needs no further fit; empty if it does."""
        if not fits:
            return ""
        last = fits[-1]
        if last["n_iter"] is not None and last["n_iter"] < last["limit"]:
            return _CONVERGED
        times = [fit["seconds"] for fit in fits]
        if times[-1] >= self.plan.seconds or sum(times) >= PEER_FACTOR * self.plan.seconds:
            return _OVER
        return _LIMIT if last["limit"] == self.plan.max_iter else ""

    def _limits(self) -> list[int]:
        """Of the first repeat, those that this one has not had."""
        done = {fit["limit"] for fit in self._records("fit")}
        return [fit["limit"] for fit in self._all("fit", repeat=0) if fit["limit"] not in done]

    def end(self, status: str, retry: bool = False) -> None:
        last = self._records("end")[-1:]
        if not last or last[0]["status"] != status:
            self._add("end", {"status": status, "retry": retry})

    def _add(self, kind: str, fields: Record) -> Record:
        return self.journal.add(kind, data=self.data, solver=self.who.name, repeat=self.repeat, **fields)

    def _records(self, kind: str) -> list[Record]:
        return self._all(kind, self.repeat)

    def _all(self, kind: str, repeat: int | None = None) -> list[Record]:
        found: Iterable[Record] = about(self.journal.records, self.data, self.who.name, kind)
        return [each for each in found if repeat in (None, each["repeat"])]
