r"""The dual set of a structured problem, in the coordinates of expected features.

    J(w) = lam/2 |w|^2 + sum_i totals_i max over y of  loss_i(y) + <w, Phi_i(y) - Phi_i(y_i)>
    Q    = sum_i totals_i conv{ (Phi_i(y) - Phi_i(y_i), loss_i(y)) : y },     A w = (w, 0),   c = (0, .., 0, 1)

So Q has as many dimensions as there are weights, and one for the loss, whatever the number of labellings. That a vector
is in Q shows only from distributions of labellings that have these expectations. They are the dual points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from pragam.numerics.rounding import TINY, is_zero, norm, total
from pragam.operators.base import Operator
from pragam.polytopes.base import Curvature, Polytope, Repair, Vector
from pragam.problem import AnyProblem, Problem
from pragam.structured.structure import Structure
from pragam.structured.weights_and_loss import WeightsAndLoss

StructureT = TypeVar("StructureT", bound=Structure, covariant=True)


class ExpectedFeatures(Polytope, Generic[StructureT]):
    """Q of the examples of a :class:`~pragam.structured.structure.Structure`."""

    structure: StructureT
    rigorous = True

    def __init__(self, structure: StructureT) -> None:
        self.structure, self.size = structure, structure.n_weights + 1
        self.exact, self.rigorous = structure.exact, type(self).rigorous and structure.rigorous
        absent = {"unfold"} if not hasattr(structure, "unfolded") else set()
        self.lacks = frozenset({"project", "prox", "sample", *absent})

    @property
    def totals(self) -> Vector:
        """weight_i / n of each example."""
        return self.structure.totals

    @property
    def is_bounded(self) -> bool:
        return True

    # Dual points ----------------------------------------------------------------------------------------------------

    def point(self, alpha: Any) -> Any:
        return self.structure.check(alpha)

    def coordinates(self, alpha: Any) -> Vector:
        return self.structure.moments(alpha).point

    def combine(self, weights: Vector, points: Sequence[Any]) -> Any:
        some = np.flatnonzero(weights > 0).tolist()
        if len(some) == 1:
            return points[some[0]]
        return self.structure.combine(weights[some], [points[j] for j in some])

    def start(self) -> Any:
        """The truth, whose coordinates are 0."""
        return self.structure.truth()

    def violation(self, alpha: Any) -> float:
        """0 for a dual point, and for 0, the truth's coordinates. Of other coordinates nothing is known."""
        if isinstance(alpha, np.ndarray) and alpha.shape == (self.size,) and not alpha.any():
            return 0.0
        try:
            self.structure.check(alpha)
        except ValueError:
            return np.inf
        return 0.0

    def contains(self, alpha: Any, tol: float = 1e-12) -> bool:
        return self.violation(alpha) <= tol

    def repair(self, alpha: Any) -> Repair:
        """The expectations of alpha, which is feasible as it is, and how far rounding has moved them."""
        point, distance, loss_error = self.structure.moments(alpha)
        at = np.array([len(point) - 1]) if loss_error else np.empty(0, np.int64)
        return Repair(point, at, np.full(len(at), loss_error), distance=distance)

    # Oracles --------------------------------------------------------------------------------------------------------

    def maximise_linear(self, s: Vector) -> Any:
        return self.structure.decode(s[:-1], float(s[-1]))

    def support(self, s: Vector, kappa: Curvature = 0.0) -> float:
        self.check_curvature(kappa)
        return float(self.totals @ self.structure.values(s[:-1], float(s[-1])))

    def support_bound(self, s: Vector, slack: Vector, kappa: Curvature = 0.0) -> tuple[float, float]:
        """At the weights themselves, and the length of the features times that of any slack of theirs."""
        self.check_curvature(kappa)
        slack = np.broadcast_to(slack, s.shape)
        values, room = self.structure.values_bound(s[:-1])
        value, error = total(self.totals * values)
        error += float(self.totals @ (room + 2.0**-52 * np.abs(values))) * 1.01
        error += 4 * TINY * float(np.count_nonzero(~is_zero(self.totals)))  # of products that are lost
        if slack.any() or s[-1] != 1:
            most = float(self.totals @ sum(self.structure.values_bound(np.zeros(self.size - 1))))  # of the loss
            error += 1.01 * (norm(slack[:-1]) * self.structure.radius() + (abs(s[-1] - 1) + slack[-1]) * most)
        return value + error, error

    def check_curvature(self, kappa: Curvature) -> None:
        if np.any(kappa):
            raise ValueError("a structured risk is piecewise linear: it takes no curvature")

    def radius2(self, centre: Vector | None = None) -> float:
        losses = float(self.totals @ sum(self.structure.values_bound(np.zeros(self.size - 1))))
        away = 0.0 if centre is None else norm(centre)
        return 0.5 * (np.hypot(self.structure.radius(), losses) + away) ** 2 * (1 + 1e-12)

    # The same problem with a dual variable for each part of a labelling ---------------------------------------------

    @property
    def trellis(self) -> Any:
        """The sequences whose labellings are paths through trellises, if the structure is of such."""
        return self.structure.trellis  # type: ignore[attr-defined]

    def unfold(self, problem: AnyProblem) -> AnyProblem:
        """The same problem on a set that has a Euclidean projection, where the structure knows one. Its dual points are
        dual points here."""
        return self.structure.unfolded(problem)  # type: ignore[attr-defined]

    def project(self, v: Vector) -> Vector:
        raise NotImplementedError("no projection onto expected features is known")

    def sample(self, rng: np.random.Generator) -> Any:
        """The labellings that are best for random weights."""
        return self.structure.decode(rng.standard_normal(self.size - 1))


def structured_problem(structure: Structure, lam: float) -> Problem[WeightsAndLoss, ExpectedFeatures[Any]]:
    """The problem of these examples."""
    c = np.zeros(structure.n_weights + 1)
    c[-1] = 1.0
    return Problem(WeightsAndLoss(structure.n_weights, structure.entries), c, ExpectedFeatures(structure), lam)


#: Labellings of examples, and w as it is: what block and flow methods work on.
StructuredProblem = Problem[Operator, ExpectedFeatures[StructureT]]
