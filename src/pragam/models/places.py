"""Where the optimum of each problem of a linear model is: tensors of the model, and the bounds that they make.

===============  ===========================================================================================
radius           |w - w*| at most, and ``low`` <= b_k* <= ``high`` (:mod:`pragam.certificate.optimum`)
reach            |w* - ``centre``| at most, and ``least`` <= b_k* + <``anchor``_k, w* - centre> <= ``most``
kinks            rows of an inequality; those of zeros say nothing (:mod:`pragam.certificate.region`)
===============  ===========================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pragam.certificate.combined import ENTRIES
from pragam.certificate.optimum import Neighbourhood, bias_intervals, radius
from pragam.certificate.region import Region, nowhere, region
from pragam.driver.result import Result
from pragam.numerics.vector import Vector
from pragam.problem import AnyProblem
from pragam.risks import Shape

SHAPES: dict[str, tuple[str, ...]] = {
    "radius": ("rows",), "low": ("outputs",), "high": ("outputs",),
    "centre": ("rows", "d"), "reach": ("rows",), "anchor": ("anchors", "d"), "least": ("outputs",),
    "most": ("outputs",), "kinks": ("rows", "kinks", "d + 2"),
}  # fmt: skip
#: A gap of which more than this share is rounding leaves nothing to a region: a small fit would take a fifth longer.
_ROUNDING = 0.5
OPEN_ENDED = ("radius", "low", "high", "reach", "least", "most")


@dataclass(frozen=True, eq=False)
class Place:
    """Of one problem with weights w: a ball around w, and a region, which hold every optimum both."""

    w: Vector
    near: Neighbourhood
    region: Region

    def decisions(self, X: Any) -> Vector:
        """(n, outputs, 2): between which numbers the scores of every optimum lie, by a few products."""
        return narrower(self.near.decisions(X, self.w), self.region.decisions(X))


def narrower(one: Vector, other: Vector) -> Vector:
    """What two intervals share."""
    return np.stack([np.maximum(one[..., 0], other[..., 0]), np.minimum(one[..., 1], other[..., 1])], axis=-1)


def finer(places: Sequence[Place], X: Any, ends: Vector) -> Vector:
    """The intervals of these rows, where kinks narrow them."""
    found = [(place.region.combined(X), len(place.region.low)) for place in places]
    first = np.cumsum([0, *(outputs for _, outputs in found)]).tolist()
    parts = [
        ends[:, k : k + outputs] if by_kinks is None else narrower(ends[:, k : k + outputs], by_kinks)
        for k, (by_kinks, outputs) in zip(first, found, strict=False)
    ]
    return np.concatenate(parts, axis=1)


def tensors_of(
    shapes: Sequence[Shape], solves: Sequence[tuple[AnyProblem, Result]], is_thorough: bool = False
) -> dict[str, Vector]:
    """The tensors of solved problems. All matrices of kinks together are no larger than one may be.

    ``is_thorough``: also where most of the gap is rounding.
    """
    entries = ENTRIES // max(len(shapes), 1)
    parts = [_of_problem(shape, *each, entries, is_thorough) for shape, each in zip(shapes, solves, strict=True)]
    longest = max(part["kinks"].shape[1] for part in parts)
    has_anchors = any(len(part["anchor"]) for part in parts)
    for shape, part in zip(shapes, parts, strict=True):
        part["kinks"] = np.pad(part["kinks"], ((0, 0), (0, longest - part["kinks"].shape[1]), (0, 0)))
        if has_anchors and not len(part["anchor"]):
            part["anchor"] = np.zeros((shape.outputs, part["anchor"].shape[1]))
    return {name: np.concatenate([part[name] for part in parts]) for name in SHAPES}


def _of_problem(
    shape: Shape, problem: AnyProblem, result: Result, entries: int, is_thorough: bool
) -> dict[str, Vector]:
    """Those of one; without biases these are 0."""
    none, proof = np.zeros(0 if shape.biases else shape.outputs), result.certificate
    low, high = bias_intervals(problem, result.w, proof)
    if proof.slack > _ROUNDING * proof.gap and not is_thorough:
        place = nowhere(result.w.reshape(shape.rows, -1), problem.n_biases)
    else:
        place = region(problem, result.w, result.alpha, proof, shape.rows, entries)
    return {
        "radius": np.full(shape.rows, radius(proof, problem.lam)),
        "low": np.concatenate([low, none]),
        "high": np.concatenate([high, none]),
        **_stored(place),
    }


def _stored(place: Region) -> dict[str, Vector]:
    rows, d = place.centre.shape
    return {
        "centre": place.centre,
        "reach": np.full(rows, place.reach),
        "anchor": place.anchor,
        "least": place.low,
        "most": place.high,
        "kinks": place.kinks[None] if rows == 1 else np.zeros((rows, 0, d + 2)),
    }


def of_strangers(coef: Vector, outputs: int) -> dict[str, Vector]:
    """Where nothing is proven."""
    wide = np.full(outputs, np.inf)
    tensors = {"radius": np.full(len(coef), np.inf), "low": -wide, "high": wide}
    return tensors | _stored(nowhere(coef, outputs))


def places_of(shapes: Sequence[Shape], own: dict[str, Vector]) -> list[Place]:
    """What the tensors say of each problem."""
    found, rows, outputs = [], 0, 0
    for shape in shapes:
        at, of = slice(rows, rows + shape.rows), slice(outputs, outputs + shape.outputs)
        near = Neighbourhood(float(own["radius"][rows]), own["low"][of], own["high"][of])
        kinks = own["kinks"][rows]
        kinks = kinks[kinks.any(axis=1)]
        ends = own["least"][of], own["most"][of]
        place = Region(own["centre"][at], float(own["reach"][rows]), own["anchor"][of], *ends, kinks)
        found.append(Place(own["coef"][at], near, place))
        rows, outputs = rows + shape.rows, outputs + shape.outputs
    return found


def check(shapes: Sequence[Shape], own: dict[str, Vector]) -> None:
    """Refuse tensors that do not fit together, as in a file that was changed."""
    if (own["radius"] < 0).any() or (own["low"] > own["high"]).any():
        raise ValueError("radius must be >= 0, and low at most high: they bound where the optimum is")
    if (own["reach"] < 0).any() or (own["least"] > own["most"]).any():
        raise ValueError("reach must be >= 0, and least at most most: they bound where the optimum is")
    d, outputs = own["coef"].shape[1], len(own["intercept"])
    if own["kinks"].shape[2] != d + 2:
        raise ValueError(f"kinks must have {d + 2} columns, two more than coef")
    if own["kinks"].any() and any(shape.outputs > 1 for shape in shapes):
        raise ValueError("kinks must be 0 where a problem has several outputs")
    if len(own["anchor"]) not in (0, outputs):
        raise ValueError(f"anchor must have no row, or one for each of {outputs} intercepts")
