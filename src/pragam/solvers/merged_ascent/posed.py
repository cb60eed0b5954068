"""What a task of the method works on beside the rows of a group: its dual variables, sent once and in few bytes."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.operators import ScaledRows, SharedRows
from pragam.operators.base import Vector
from pragam.operators.data_rows import DataRows
from pragam.operators.storage import Storage
from pragam.problem import DataProblem
from pragam.solvers.block_newton.posed import Thin
from pragam.solvers.dcd.multipliers import centred2


class Duals(NamedTuple):
    """The dual variables of a group: how they read its rows, their boxes and their plane."""

    number: NDArray[np.int64] | None  # of the row of the group that each one reads, in order; None: its own
    joint: bool  # whether those of one row are moved together
    centre: Vector  # m (:mod:`pragam.solvers.merged_ascent.plane`); empty without a bias
    scale: Thin
    c: Thin
    lower: Thin
    upper: Thin
    kappa: Thin
    sigma: Thin

    @classmethod
    def of(cls, problem: DataProblem, at: slice, first: int, joint: bool, centre: Vector) -> Duals:
        """Those of a group whose first row has this number."""
        A, Q = problem.A, problem.Q
        kappa = np.broadcast_to(problem.g.curvature, Q.size)
        columns = (A.scale, problem.c, Q.lower, Q.upper, kappa, problem.B.sigma)
        number = None if A.number is None else A.number[at] - first
        return cls(number, joint, centre, *(Thin.of(column[at]) for column in columns))


class Part(NamedTuple):
    """Some rows of the group, as they are stored, with their dual variables."""

    at: slice  # of the dual variables of the group
    A: DataRows


class Lengths(NamedTuple):
    """What is found of the rows when they are first met, and follows from them alone."""

    squares: Vector  # |a_i + sigma_i m|^2
    lifts: Vector  # A m; zeros without a bias


@dataclass
class Posed:
    """The dual variables of a group, and the lengths of its rows, which any process finds again."""

    duals: Duals
    _lengths: Lengths | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __reduce__(self) -> tuple[object, ...]:
        return Posed, (self.duals,)

    def parts(self, storages: Sequence[Storage]) -> list[Part]:
        """The rows, in parts as they are stored."""
        own, row, begin = self.duals, 0, 0
        found = []
        for X in storages:
            end = row + X.shape[0]
            if own.number is None:
                at, number = slice(row, end), None
            else:
                at = slice(begin, int(np.searchsorted(own.number, end)))
                number = own.number[at] - row
            scale = own.scale.cut(at)
            found.append(Part(at, ScaledRows(X, scale) if number is None else SharedRows(X, number, scale)))
            row, begin = end, at.stop
        return found

    def lengths(self, parts: list[Part]) -> Lengths:
        """Those of all rows."""
        with self._lock:
            if self._lengths is None:
                found = [self._measured(part) for part in parts]
                self._lengths = Lengths(*(np.concatenate(each) for each in zip(*found, strict=True)))
            return self._lengths

    def _measured(self, part: Part) -> Lengths:
        norms, centre = part.A.row_norms(), self.duals.centre
        if not centre.size:
            return Lengths(norms**2, np.zeros(len(norms)))
        lifts = part.A.matvec(centre)
        return Lengths(centred2(norms, self.duals.sigma.cut(part.at), lifts, float(centre @ centre)), lifts)
