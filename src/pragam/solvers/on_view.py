"""A solver on a view of the problem: other rows, or the same in another order, with the same weights."""

from __future__ import annotations

from typing import Any

from pragam.problem import AnyProblem
from pragam.solvers.around import Around
from pragam.solvers.base import AnySolver, Start
from pragam.views import View


class OnView(Around[AnyProblem]):
    """``method`` on ``view.problem``, whatever the problem."""

    def __init__(self, method: AnySolver, view: View) -> None:
        super().__init__(method)
        self.view = view

    def _seen(self, problem: AnyProblem, state: Any = None) -> AnyProblem:
        return self.view.problem

    def _restrict(self, problem: AnyProblem, state: Any, pair: Start) -> Start:
        seen = pair.seen and pair.seen._replace(scores=self.view.restrict(pair.seen.scores))
        return pair._replace(alpha=self.view.restrict(pair.alpha), seen=seen)

    def _lift(self, problem: AnyProblem, state: Any, alpha: Any) -> Any:
        return self.view.lift(alpha)
