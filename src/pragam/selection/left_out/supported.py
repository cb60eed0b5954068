"""Which models have an exact leave-one-out error here, and what is said of the others."""

from __future__ import annotations

from typing import Any

from pragam.certificate.left_out import MarginProblem, has_margins
from pragam.models import LinearModel
from pragam.risks import OneVsRest, Risk
from pragam.risks.margins import Margin
from pragam.risks.record import Labels

_WHAT = "leave-one-out is for two classes with the hinge, the squared or the smoothed hinge, on rows in memory"


def check_supported(risk: Risk, labels: Labels, samples: Any) -> None:
    """Refuse, in a sentence, what has no exact leave-one-out error here; before anything is solved."""
    if not isinstance(risk, (Margin, OneVsRest)):
        names = sorted({each.name for each in getattr(risk, "risks", (risk,))})
        raise ValueError(f"{_WHAT}, and this is {', '.join(names)}")
    if len(labels) != 2:
        raise ValueError(f"{_WHAT}, and these are {len(labels)} classes")
    if samples.in_blocks:
        raise ValueError(f"{_WHAT}, and these are packed")


def posed(model: Any, samples: Any) -> MarginProblem:
    """The problem that the model solves on these samples; refused if its rows cannot be left out."""
    check_supported(model.risk, model.labels, samples)
    if not isinstance(model, LinearModel):
        raise ValueError(f"{_WHAT}, and this model is of kind {model.kind}")
    model.check_trained_on(samples)
    (problem,) = model.pose(samples)
    if not has_margins(problem):
        raise ValueError(f"{_WHAT}, and this operator hands out no rows of its own")
    return problem
