"""The card of a model: what it is, what it was trained on, how good it is proven to be, which weights are largest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pragam.models.base import Model
from pragam.models.features import Columns
from pragam.numerics.arguments import is_whole
from pragam.numerics.vector import Vector

#: Labels that are named.
_LABELS = 10


@dataclass(frozen=True)
class Card:
    """Facts about a model, by name, in sections.

    Attributes
    ----------
    title : str
    facts : dict of str
        What it minimises, its labels, its training data, its certificate.
    largest : dict of lists of (feature, weight)
        For each output the weights that are largest by their absolute value.
    """

    title: str
    facts: dict[str, str]
    largest: dict[str, list[tuple[str, float]]]

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        largest = {name: [list(pair) for pair in pairs] for name, pairs in self.largest.items()}
        return {"title": self.title, **self.facts, "largest": largest}

    def rows(self) -> list[tuple[str, str]]:
        """Names and values, for a table."""
        largest = [
            (f"largest of {name}" if name else "largest", _listed(pairs)) for name, pairs in self.largest.items()
        ]
        return [*self.facts.items(), *largest]

    def __str__(self) -> str:
        rows = self.rows()
        width = max(len(name) for name, _ in rows)
        return "\n".join([self.title, *(f"  {name:{width}}  {value}" for name, value in rows)])


def card_of(model: Model, names: Sequence[str] | None = None, top: int = 5) -> Card:
    """The card. ``names`` are those of the columns of X; without them features have their own, or x0, x1, ..."""
    if not is_whole(top):
        raise ValueError(f"top must be a whole number >= 0, not {top!r:.40}")
    facts = {"minimises": str(model)}
    if len(model.labels):
        more = f", ... ({len(model.labels)} in all)" if len(model.labels) > _LABELS else ""
        facts["labels"] = ", ".join(map(str, model.labels[:_LABELS].tolist())) + more
    facts |= {"trained on": _data(model.fingerprint), **_proof(model)}
    return Card(f"{model.kind} model: {model.risk.name}", facts, _largest(model, names, int(top)))


def _data(fingerprint: dict[str, Any]) -> str:
    """What is known of the training data."""
    if not fingerprint:
        return "unknown data"
    sizes = ", ".join(f"{key} = {value}" for key, value in fingerprint.items() if key != "sha256")
    return sizes + (f", sha256 {fingerprint['sha256'][:12]}..." if "sha256" in fingerprint else "")


def _proof(model: Model) -> dict[str, str]:
    """The stored certificate, as the model claims it."""
    if not model.proofs:
        return {"certificate": "none: nothing is proven"}
    found, parts = model.certificate, len(model.proofs)
    kept = all(proof.dual is not None for proof in model.proofs)
    of = f", the sum of {parts} problems" if parts > 1 else ""
    rigour = "" if found.rigorous else "; rounding is not bounded"
    solvers = ", ".join(sorted({proof.solver for proof in model.proofs if proof.solver}))
    return {
        "certificate": f"relative gap {found.relative_gap:.2e}{of}{rigour}",
        "objective": f"at most {found.primal:.10g}, and no model has less than {found.dual:.10g}",
        "status": f"{model.status.name}: {model.status}" + (f" ({solvers})" if solvers else ""),
        "dual points": "kept: certify proves the gap again" if kept else "left out: certify cannot prove the gap again",
    }


def _largest(model: Model, names: Sequence[str] | None, top: int) -> dict[str, list[tuple[str, float]]]:
    """Of each row of weights; none where these are not of the columns of X."""
    coef = model.column_weights()
    if coef is None or not top:
        return {}
    outputs = model.risk.outputs(model.labels)
    if len(outputs) != len(coef):  # one direction for all levels, or a row for each of two labels
        outputs = [""] if len(coef) == 1 else [str(label) for label in model.labels.tolist()]
    known = _names(model, names, coef.shape[1])
    return {output: _top(row, known, top) for output, row in zip(outputs, coef, strict=True)}


def _names(model: Model, names: Sequence[str] | None, d: int) -> list[str]:
    """Of the columns that have weights."""
    own, columns = model.features.column_names, model.features.find(Columns)
    if names is None and own is not None:
        return own
    places: list[int] = list(range(d)) if columns is None else columns.columns.tolist()
    if names is None:
        return [f"x{j}" for j in places]
    if len(names) != (model.n_features if columns is not None else d):
        raise ValueError(f"names must hold {d} names, one for each column of X, not {len(names)}")
    return [str(names[j]) for j in places]


def _top(row: Vector, names: Sequence[str], top: int) -> list[tuple[str, float]]:
    return [(names[j], float(row[j])) for j in np.argsort(-np.abs(row), kind="stable")[:top].tolist() if row[j] != 0]


def _listed(pairs: list[tuple[str, float]]) -> str:
    return ", ".join(f"{name} {weight:+.4g}" for name, weight in pairs) or "none: all weights are 0"
