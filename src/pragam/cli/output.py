"""The output of a command: one JSON object on standard output, or a warning on standard error."""

from __future__ import annotations

import json
import sys
from math import isfinite
from typing import Any

from pragam.certificate import Certificate


def show_json(record: dict[str, Any]) -> None:
    """One object on one line, with every number in full. JSON has no infinity, so an infinite number is null."""
    print(json.dumps(_finite(record), allow_nan=False))


def full_record(proof: Certificate) -> dict[str, Any]:
    """A certificate with its gaps, for :func:`show_json`."""
    from pragam.models.stored import certificate_record

    return {**certificate_record(proof), "gap": proof.gap, "relative_gap": proof.relative_gap}


def problems_of(model: Any) -> list[dict[str, Any]]:
    """What each problem of a model is called; of one class against the rest, which one."""
    from pragam.risks.one_vs_rest import positives

    classes = positives(model.labels.tolist()) if model.risk.name == "one_vs_rest" else None
    names = [{"problem": name} for name in model.risk.parts(model.labels)]
    return names if classes is None else [{**name, "class": k} for name, k in zip(names, classes, strict=True)]


def warn(message: str) -> None:
    """One line on standard error that is not an error."""
    print(f"pragam: warning: {message}", file=sys.stderr)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value
