r"""The two rounds of a step, as tasks on one block: pure functions of a point, a log and a direction.

The centre of the proximal term follows from a log of (w, b, tau), whose first entry is the start:

    beta = clip(1/2 + s / (2 band)) at the start,    beta <- clip((beta + tau s) / (1 + tau bend)) at each later one

A process that has not seen some entries replays them, with a product each. So no worker has a state. X w, and the A'
alpha of a certificate, are made around the first task by the storage.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pragam import _kernels
from pragam._kernels.newton.records import Boxes
from pragam.operators.base import Vector
from pragam.operators.storage import Place, Storage
from pragam.solvers.block_newton.posed import Part


class Entry(NamedTuple):
    """Where a stage ended, and its tau; 0 of the start."""

    w: Vector
    b: Vector
    tau: float


class Point(NamedTuple):
    """The biases at which the rows are looked at, and what the stage's proximal term is."""

    b: Vector
    tau: float
    blur: float
    band: float  # slopes beyond it begin at a bound
    log: tuple[Entry, ...]


class Ahead(NamedTuple):
    """A direction from (w, b), and the steps at which to look."""

    w: Vector
    point: Point
    dw: Vector
    db: Vector
    steps: Vector


class Seen(NamedTuple):
    """The Hessian of the rows, as the first round finds it."""

    outer: Vector  # sum of weight_i a_i a_i', upper triangle
    border: Vector  # (K, d): sum of weight_i sigma_i a_i over each plane
    totals: Vector  # sum of weight_i sigma_i^2 over each plane

    @classmethod
    def zero(cls, d: int, planes: int) -> Seen:
        """Of no rows."""
        return cls(np.zeros((d, d)), np.zeros((planes, d)), np.zeros(planes))

    def add(self, other: Seen) -> None:
        """What other rows add to the sums."""
        for own, more in zip(self, other, strict=True):
            own += more


def look(place: Place, storages: tuple[Storage, ...], w: Vector, point: Point, own: None) -> tuple[Seen, Vector]:
    """At (w, b): the Hessian of the proximal problem, and its alpha as coefficients of the rows."""
    parts = list(place.beside.parts(storages))
    products, centre = _stand(place, w, point, parts)
    planes, coefficients = len(point.b), []
    outer, border, totals = found = Seen.zero(len(w), planes)
    for part, product in zip(parts, products, strict=True):
        s, boxes = part.slopes(product, point.b), part.boxes._replace(base=centre[part.at])
        alpha = alpha_of(part.ends, boxes.size, follow(boxes, s, point.tau))
        coefficients.append(part.A.gathered(alpha))
        weights = np.empty(len(s))
        _kernels.get("box_weights")(boxes, s, point.tau, point.blur, weights, 1)
        rows = np.flatnonzero(weights)
        part.A.add_outer(rows, weights[rows], outer)
        if planes:
            weights *= part.B.sigma
            border += part.A.adjoints(weights, part.B.group, planes)
            totals += part.B.rmatvec(weights)
    return found, np.concatenate(coefficients)


def slopes_ahead(place: Place, ahead: Ahead, own: None) -> Vector:
    """The derivative of the rows' part along the direction, at all steps at once."""
    point, parts = ahead.point, list(place.beside.parts(place.storages()))
    products, centre = _stand(place, ahead.w, point, parts)
    total, out = np.zeros(len(ahead.steps)), np.empty(len(ahead.steps))
    for part, product in zip(parts, products, strict=True):
        s, boxes = part.slopes(product, point.b), part.boxes._replace(base=centre[part.at])
        ds = part.A.matvec(ahead.dw)
        if point.b.size:
            ds += part.B.matvec(ahead.db)
        _kernels.get("box_slopes")(boxes, s, ds, point.tau, ahead.steps, out, 1)
        total += out
        total += float(part.ends.anchor @ ds)
    return total


def first_centre(boxes: Boxes, s: Vector, band: float) -> Vector:
    """Where the rows are at the start. With all at their bounds none would be free, and the Hessian empty."""
    beta = 0.5 + s / (2 * band)
    if boxes.bend.size:
        beta = np.divide(s, boxes.bend, out=beta, where=boxes.bend > 0)  # the maximum itself, which no bound need stop
    return within(boxes, beta)


def position(boxes: Boxes, s: Vector, tau: float) -> Vector:
    """Where beta would be at these slopes if there were no bounds."""
    u = boxes.base + tau * s
    if boxes.bend.size:
        u /= 1 + tau * boxes.bend
    return u


def within(boxes: Boxes, u: Vector) -> Vector:
    """The nearest positions in the boxes."""
    return np.clip(u, boxes.low, boxes.high) if boxes.bend.size else np.clip(u, 0.0, 1.0)


def follow(boxes: Boxes, s: Vector, tau: float) -> Vector:
    """beta at these slopes."""
    return within(boxes, position(boxes, s, tau))


def alpha_of(ends: tuple[Vector, Vector, Vector], size: Vector, beta: Vector) -> Vector:
    """The dual variables, exactly in their boxes."""
    anchor, lower, upper = ends
    alpha = size * beta
    alpha += anchor
    return np.clip(alpha, lower, upper, out=alpha)


def _stand(place: Place, w: Vector, point: Point, parts: list[Part]) -> tuple[tuple[Vector, ...], Vector]:
    """X w of each part, and the centre that the log leads to."""
    posed, storages = place.beside, [part.A.storage for part in parts]
    with posed.lock:
        if posed.seen > len(point.log):
            posed.seen = 0
        for entry in point.log[posed.seen :]:
            products = place.products(entry.w, storages)
            posed.centre = _after(entry, posed.centre, parts, products, point.band)
            posed.seen += 1
        return place.products(w, storages), posed.centre


def _after(entry: Entry, centre: Vector, parts: list[Part], products: tuple[Vector, ...], band: float) -> Vector:
    """The centre that an entry leads to, from the one before."""
    new = np.empty(sum(len(part.c) for part in parts))
    for part, product in zip(parts, products, strict=True):
        s = part.slopes(product, entry.b)
        if entry.tau == 0:
            new[part.at] = first_centre(part.boxes, s, band)
        else:
            new[part.at] = follow(part.boxes._replace(base=centre[part.at]), s, entry.tau)
    return new
