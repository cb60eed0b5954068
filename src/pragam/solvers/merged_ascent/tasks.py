r"""A round, as a task on one group: pure in a point, its bias, and what this group has of alpha.

::

    alpha' <- sweeps from alpha         as if the other groups stood still
    A' of each direction                what a merge asks for (:mod:`pragam.solvers.merged_ascent.directions`)

X w and A' alpha, which a certificate of (w, alpha) asks for, are made around it by the storage. Everything that is sent
fits into a few vectors, so no process has a state. The sweeps are those of
:mod:`pragam.solvers.dcd.sweep`, with one generator for the order of the parts and of their rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from pragam._kernels.coordinate.records import (
    ALPHA,
    CURVATURE,
    LOWER,
    NO_PLANES,
    OWN,
    SCALE,
    SLOPE,
    UPPER,
    C,
    Planes,
    Variables,
)
from pragam.operators.base import Vector
from pragam.operators.storage import Place, Storage
from pragam.solvers.dcd.sweep import WorkingSet, empty_table
from pragam.solvers.merged_ascent.directions import directions
from pragam.solvers.merged_ascent.posed import Part, Posed


class Outset(NamedTuple):
    """Where a round begins."""

    b: Vector
    lam: float
    rho: float  # the weight of what a group leaves its plane by (:mod:`pragam.solvers.merged_ascent.plane`)
    sweeps: int


class Own(NamedTuple):
    """What a group is sent of its own: the last points, the latest first, and a seed."""

    points: tuple[Vector, ...]
    seed: int


class Climbed(NamedTuple):
    """What a group answers."""

    after: Vector  # alpha'
    shifts: Vector  # A' of each direction, a row for each


def climb(place: Place, storages: tuple[Storage, ...], w: Vector, outset: Outset, own: Own) -> tuple[Climbed, Vector]:
    """The round of a group at w; alpha as coefficients of its rows."""
    posed, alpha = place.beside, own.points[0]
    parts = posed.parts(storages)
    after, moved = _swept(posed, parts, alpha, w, outset, own.seed)
    duals, every = posed.duals, slice(0, len(alpha))
    table = directions(own.points, after, (duals.lower.cut(every), duals.upper.cut(every)), duals.scale.cut(every))
    shifts = [(w - moved) * outset.lam, *(_adjoint(parts, each, len(w)) for each in table[1:])]
    coefficients = np.concatenate([part.A.gathered(alpha[part.at]) for part in parts])
    return Climbed(after, np.array(shifts)), coefficients


def _adjoint(parts: Sequence[Part], alpha: Vector, d: int) -> Vector:
    """A' alpha, as a product with the blocks one after the other finds it."""
    total = np.zeros(d)
    for part in parts:
        total += part.A.storage.rmatvec(part.A.gathered(alpha[part.at]))
    return total


def _swept(
    posed: Posed, parts: list[Part], alpha: Vector, start: Vector, outset: Outset, seed: int
) -> tuple[Vector, Vector]:
    """alpha after the sweeps, and w moved along from its start."""
    w, rng = start.copy(), np.random.default_rng(seed)
    work, reach = _laid_out(posed, parts, alpha, outset, w), [inf] * len(parts)
    for _ in range(outset.sweeps):
        for k in rng.permutation(len(work)).tolist():
            reach[k] = work[k].sweep(outset.lam, reach[k], int(rng.integers(2**62))).drift2
    return np.concatenate([each.alpha for each in work]), w


def _laid_out(posed: Posed, parts: list[Part], alpha: Vector, outset: Outset, w: Vector) -> list[WorkingSet]:
    """The variables of each part at alpha; their sweeps share w, and what is off the plane."""
    duals, lengths, table = posed.duals, posed.lengths(parts), empty_table(len(alpha))
    c, lower, upper, kappa, sigma = (
        thin.cut(slice(0, len(alpha))) for thin in (duals.c, duals.lower, duals.upper, duals.kappa, duals.sigma)
    )
    q = lengths.squares / outset.lam + kappa + outset.rho * sigma**2
    columns = {C: c, LOWER: lower, UPPER: upper, CURVATURE: q, OWN: kappa, ALPHA: alpha}
    for column, values in columns.items():
        table[:, column] = values
    table[:, SLOPE] = np.nan
    planes = NO_PLANES
    if duals.centre.size:
        moment = float(duals.centre @ w)
        running, multiplier = np.array([0.0, moment]), outset.b - moment
        terms, centre2 = np.column_stack((sigma, lengths.lifts)), float(duals.centre @ duals.centre)
        planes = Planes(terms, None, running, multiplier, outset.rho, centre2)
    found = []
    for at, A in parts:
        rows, n = A.contiguous_rows(), at.stop - at.start
        table[at, SCALE] = A.scale
        own_kappa = kappa[at] if kappa.any() else None
        variables = Variables(table[at], rows.number, own_kappa, duals.joint)
        found.append(
            WorkingSet(rows, variables, planes._replace(terms=planes.terms[at]), w, np.arange(n, dtype=np.int64), n)
        )
    return found
