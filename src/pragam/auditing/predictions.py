r"""Which predictions on X the exact optimum shares with the model, as far as its certificate decides it.

Every optimum lies near the certified point (:mod:`pragam.certificate.region`), so each of its scores lies in an
interval (:meth:`pragam.models.LinearModel.bounds`). The rule of the record says which predictions all
points of the intervals share, and which none has (:mod:`pragam.risks.rules`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pragam.models import LinearModel
from pragam.models.base import Solves
from pragam.numerics.vector import Vector


class Agreement(NamedTuple):
    """How many predictions on X are proven to be the optimum's, proven not to be, or neither."""

    agree: int
    differ: int
    undecided: int


def agreement(model: Any, samples: Any, solves: Solves) -> Agreement | None:
    """Compare the model's predictions with those of the optima of its problems.

    None where no prediction can be proven: those of numbers, and of sequences and graphs.
    """
    if not (isinstance(model, LinearModel) and model.risk.has_labels):
        return None
    return compared(model, model.scores(samples), *optimum_scores(model, samples, solves))


def optimum_scores(model: LinearModel, samples: Any, solves: Solves) -> tuple[Vector, Vector]:
    """(n, outputs) each: between which numbers the scores of every optimum lie."""
    best = replace(model, tensors=model.tensors_of(model.risk, model.labels, solves))
    low, high = np.moveaxis(best.bounds(samples), 2, 0)
    return low, high


def compared(model: LinearModel, scores: Vector, low: Vector, high: Vector) -> Agreement:
    """Count the rows whose prediction by these scores all others between low and high share, or none does."""
    rule, labels, cut = model.risk.rule, np.arange(len(model.labels)), model.calibration
    said = rule.predict(scores, labels, **cut)
    same = (said == rule.predict(low, labels, **cut)).reshape(len(low), -1).all(axis=1)
    agree = int(np.sum(same & rule.proven(low, high, labels, **cut)))
    differ = int(np.sum(rule.refuted(said, low, high, labels, **cut)))
    return Agreement(agree, differ, len(low) - agree - differ)
