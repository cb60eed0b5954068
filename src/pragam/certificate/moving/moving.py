"""The room of a range of lambda: one problem, the rows whose scores matter, and what is computed of both once."""

from __future__ import annotations

from typing import Any

from pragam.certificate.kinks import has_kinks
from pragam.certificate.moving.cell import Cell
from pragam.certificate.moving.end import End
from pragam.certificate.moving.knot import Knot
from pragam.certificate.moving.known import Known
from pragam.certificate.moving.pair import Pair
from pragam.certificate.moving.segment import segment_of
from pragam.certificate.proof import Certificate
from pragam.operators.base import Vector
from pragam.operators.storage import Storage
from pragam.problem import AnyProblem, DataProblem


class Moving:
    """Bounds of the scores of ``held`` at the optima of ``problem``, whatever its own lam, for whole ranges of lam."""

    problem: DataProblem

    def __init__(self, problem: AnyProblem, held: Storage) -> None:
        refusal = self.refusal(problem)
        if refusal is not None or not has_kinks(problem):
            raise ValueError(f"problem: {refusal}")
        if held.shape[1] != problem.n_weights:
            raise ValueError(f"held has {held.shape[1]} columns, and the problem has {problem.n_weights} weights")
        self.problem, self.held, self._known = problem, held, Known(problem, held)

    @staticmethod
    def refusal(problem: AnyProblem) -> str | None:
        """Why there are no bounds for a whole range of lambda, in a sentence; None if there are."""
        if not has_kinks(problem):
            return "a range of lambda is proven for sums of losses of one score each, on rows that are in memory"
        if problem.n_biases > 1:
            return "a range of lambda is proven for models with one bias or none, and this one has several"
        if not all(part.rigorous for part in (problem.A, problem.B, problem.Q, problem.domain, problem.g)):
            return "a range of lambda needs a problem whose parts all bound their rounding, as certificates say"
        return None

    def pair(self, problem: AnyProblem, w: Vector, alpha: Any, certificate: Certificate) -> Pair:
        """What ``certify(problem, w, alpha)`` says, where ``problem`` is this one at the lam of the pair."""
        if problem.A is not self.problem.A or not has_kinks(problem):
            raise ValueError("problem must be the one of this range at another lam: problem.at(lam)")
        made = Pair(problem, self.held, w, alpha, certificate)
        self._known.warm(made)
        return made

    def between(self, first: Pair, last: Pair, lam: float) -> Pair | Knot:
        """The free pair at lam between two pairs."""
        segment = segment_of(first, last)
        if not segment.last.lam <= lam <= segment.first.lam:
            raise ValueError(f"lam = {lam:g} does not lie between those of the pairs, {last.lam:g} and {first.lam:g}")
        if lam in (first.lam, last.lam):
            return first if lam == first.lam else last
        return Knot(segment, lam)

    def cell(self, a: End, b: End) -> Cell:
        """Every lam between those of a and b, two knots of the same two pairs, or these themselves."""
        a, b = (a, b) if a.lam >= b.lam else (b, a)
        segments = [end.segment for end in (a, b) if isinstance(end, Knot)]
        segment = segments[0] if segments else segment_of(*(end for end in (a, b) if isinstance(end, Pair)))
        pairs = segment.first, segment.last
        if not all(end.pairs == pairs if isinstance(end, Knot) else end in pairs for end in (a, b)):
            raise ValueError("both ends of a cell must be knots between the same two pairs")
        self._known.warm(*pairs)
        return Cell(self._known, segment, a, b)
