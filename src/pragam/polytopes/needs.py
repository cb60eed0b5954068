"""What some sets have beside what every set has, each as a type that an algorithm can name.

They are abstract classes rather than protocols: an algorithm needs a Polytope that *also* has this, and a type cannot
say "and". At run time nobody has to inherit: whoever has the methods qualifies (``Solver.needs``).
"""

from __future__ import annotations

from abc import abstractmethod

from pragam._kernels.blocks.records import Shape
from pragam.polytopes.base import Curvature, Polytope, Repair, Vector
from pragam.polytopes.per_example import PerExample


class HasDerivative(Polytope):
    """Its ``prox`` has a derivative almost everywhere."""

    @abstractmethod
    def derivative(self, alpha: Vector, kappa: Curvature, t: Vector) -> Vector:
        """How ``prox`` moves when s moves along t, at alpha = prox(s, kappa)."""


class HasMultipliers(Polytope):
    """It lies on the planes of a model's biases."""

    #: Whether ``multiplier_bounds`` says anything.
    bounds_multipliers: bool = True
    #: Whether finding the minimising b takes as long as many products with the data.
    is_search_long: bool = False

    @abstractmethod
    def multipliers(self, s: Vector, kappa: Curvature = 0.0) -> Vector:
        """The minimising b; NaN where the maximum is infinite for every b."""

    @abstractmethod
    def multiplier_bounds(self, s: Vector, slack: Vector, kappa: Curvature = 0.0) -> tuple[Vector, Vector]:
        """(low, high): every minimising b, for all scores within ``slack`` of s, lies between them."""


class HasBlocks(PerExample):
    """Its blocks have one of the shapes that the kernels of block ascent know."""

    @property
    @abstractmethod
    def block_shape(self) -> Shape:
        """That of each block."""

    @property
    @abstractmethod
    def signs(self) -> Vector:
        """With which a label's weights and plane are read: those of its side."""


class HasColumns(PerExample):
    """Its K columns can be put on planes: plane k holds column k, with the signs of ``signs``."""

    @property
    @abstractmethod
    def signs(self) -> Vector:
        """Those of the planes that hold the columns."""

    @abstractmethod
    def column_hessian(self, alpha: Vector, kappa: float) -> Vector:
        """How the sums of the columns of prox(s, kappa) move with a number added to each column of s (K, K)."""

    @abstractmethod
    def has_vertex(self, alpha: Vector) -> bool:
        """Whether alpha is a vertex, exactly."""

    @abstractmethod
    def repair_on_columns(self, alpha: Vector, levels: Vector) -> Repair:
        """As ``repair``, with zeros in the columns that cannot have any mass."""

    @abstractmethod
    def balanced_columns(self, alpha: Vector, levels: Vector, off: Vector) -> Vector | None:
        """How far each entry moves at most to a point of Q whose columns sum to ``levels`` exactly, if those of alpha,
        a point of Q, do within ``off``. None if no such point is known."""
