"""The record of one checked statement, and the choice of its worst case."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Relation = Literal["==", "<=", ">="]


@dataclass(frozen=True)
class Check:
    """A statement of a theorem with what was measured against it.

    Attributes
    ----------
    name : str
        ``file.part``: the file in ``pragam.theory`` that states it, and the part of that file.
    statement : str
        One plain sentence.
    measured, bound : float
        Both sides of the statement, at the worst of all instances and iterations it was tried on.
    relation : "==", "<=" or ">="
        What the theorem says of ``measured`` against ``bound``.
    tolerance : float
        The rounding allowed, relative to the size of the bound. It is absolute where the bound is 0, so such
        statements are measured in units of their own terms.
    reference : str
        The paper and the number of the theorem.
    """

    name: str
    statement: str
    measured: float
    bound: float
    relation: Relation
    tolerance: float
    reference: str

    @property
    def holds(self) -> bool:
        """Whether the relation is true up to the tolerance. False for a NaN."""
        return excess(self.measured, self.bound, self.relation) <= self.tolerance


def excess(measured: float, bound: float, relation: Relation) -> float:
    """By how much the relation fails, relative to the bound (absolute if that is 0). Negative if it holds with room."""
    difference = (measured - bound) / (abs(bound) or 1.0)
    return {"==": abs(difference), "<=": difference, ">=": -difference}[relation]


def worst(pairs: Iterable[tuple[float, float]], relation: Relation) -> tuple[float, float]:
    """The pair (measured, bound) at which the relation holds by the least margin, or fails by the most.

    A pair with a NaN counts as the worst, so that it cannot hide behind the others.
    """
    pairs = [(float(measured), float(bound)) for measured, bound in pairs]
    if not pairs:
        raise ValueError("a statement needs at least one instance to be measured on")
    margins = [excess(*pair, relation) for pair in pairs]
    return max(zip(margins, pairs, strict=True), key=lambda item: (item[0] != item[0], item[0]))[1]


def worst_case(
    name: str,
    statement: str,
    pairs: Iterable[tuple[float, float]],
    relation: Relation,
    tolerance: float,
    reference: str,
) -> Check:
    """The statement with the worst of the pairs (measured, bound) that it was tried on."""
    return Check(name, statement, *worst(pairs, relation), relation, tolerance, reference)
