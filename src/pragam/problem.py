"""A regularised risk minimisation problem: one form for every risk."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from pragam.conjugates import Conjugate, Zero
from pragam.numerics.arguments import check_number
from pragam.numerics.rounding import TINY, is_subnormal, nonzero_places
from pragam.operators.base import BlockOperator, Operator, RowOperator, Vector
from pragam.operators.data_rows import DataRows
from pragam.operators.planes import Planes
from pragam.polytopes.base import Polytope
from pragam.polytopes.box import Box
from pragam.polytopes.in_blocks import InBlocks
from pragam.polytopes.needs import HasDerivative, HasMultipliers
from pragam.polytopes.on_planes import on_planes

#: A square within these limits has neither overflowed nor lost digits.
_SMALL, _LARGE = 1e-200, 1e200

#: Where a problem that keeps what is prepared has it, beside its cached properties.
_KEPT = "_kept"

OperatorT = TypeVar("OperatorT", bound=Operator, covariant=True)
SetT = TypeVar("SetT", bound=Polytope, covariant=True)


@dataclass(frozen=True)
class Rest:
    """What dual variables that have left the problem contribute: A' alpha, B' alpha, and <c, alpha> - g(alpha).

    None stands for zeros.
    """

    weights: Vector | None = None
    levels: Vector | None = None
    value: float = 0.0


@dataclass(frozen=True)
class Problem(Generic[OperatorT, SetT]):
    r"""Primal and adjoint (dual) of one model; everything a solver knows.

    ::

        R(w, b)  = max over alpha in Q of <alpha - origin, A w + B b> + <c, alpha> - g(alpha)    the empirical risk
        J(w, b)  = lam/2 |w|^2 + R(w, b)                                                         primal
        D(alpha) = <c, alpha> - g(alpha) - |A' (alpha - origin)|^2 / (2 lam)                     dual
                   over alpha in Q with B' (alpha - origin) = 0
        w(alpha) = -A' (alpha - origin) / lam                                                    primal-dual map

    so that J(w, b) >= min J = max D >= D(alpha) for all w, b and all feasible alpha (Saha, Zhang and Vishwanathan,
    "Lower bounds for BMRM and faster rates for training SVMs", eq. 10-12, without B and origin).

    Collecting what does not depend on alpha, a solver sees

        J(w, b)  = constant + lam/2 |w|^2 + <tilt, w> - <levels, b> + max over Q of <alpha, A w + B b + c> - g(alpha)
        D(alpha) = constant + <c, alpha> - g(alpha) - |A' alpha + tilt|^2 / (2 lam),     B' alpha = levels.

    Parameters
    ----------
    A : Operator
        From weights (length d) to scores (length of alpha).
    c : vector, length of alpha
        The offset of the scores.
    Q : Polytope
        The set of dual variables.
    lam : float > 0
        The weight of the regulariser 1/2 |w|^2.
    B : Planes, optional
        From the unpenalised weights b, the biases, to scores. Its columns are planes of the dual: see ``domain``.
    g : Conjugate
        The conjugate term: ``Zero()`` for piecewise linear risks, ``Quadratic(kappa)`` for smoothed ones.
    origin : vector, length of alpha, optional
        The truth's own dual point, whose score is subtracted. Zeros where scores are signed margins.
    rest : Rest
        What dual variables that were fixed contribute to A' alpha, B' alpha and the value. So the problem on some of
        its rows is a Problem again, with the same w.
    """

    A: OperatorT
    c: Vector
    Q: SetT
    lam: float
    B: Planes = None  # type: ignore[assignment]  # None stands for no planes
    g: Conjugate = field(default_factory=Zero)
    origin: Vector | None = None
    rest: Rest = field(default_factory=Rest)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lam", check_number("lam", self.lam, above=0))
        if not isinstance(self.A, Operator):
            what = type(self.A).__name__
            raise ValueError(f"A must be an Operator, such as pragam.operators.ScaledRows, not of type {what}")
        m = self.A.shape[0]
        if self.B is None:
            object.__setattr__(self, "B", Planes.none(m))
        if self.c.shape != (m,) or self.Q.size != m or self.B.shape[0] != m:
            sizes = f"c has shape {self.c.shape}, Q has dimension {self.Q.size}, B has {self.B.shape[0]} rows"
            raise ValueError(f"A has {m} rows, {sizes}")
        if self.origin is not None and self.origin.shape != (m,):
            raise ValueError(f"origin has shape {self.origin.shape}, and A has {m} rows")
        self.g.check(self.domain)

    def at(self, lam: float) -> Problem[OperatorT, SetT]:
        """The same problem at another lam. Nothing else depends on it, so all else is shared, what is cached too."""
        other = copy(self)
        object.__setattr__(other, "lam", check_number("lam", lam, above=0))
        return other

    def keeping(self) -> Problem[OperatorT, SetT]:
        """A copy that keeps what solvers prepare and does not depend on lam, for itself and for all its ``at(lam)``."""
        other = copy(self)
        vars(other)[_KEPT] = {}
        return other

    def keep(self, name: str, make: Callable[[], Any]) -> Any:
        """What ``make`` returns, which may not depend on lam: made once by a problem that keeps what is prepared."""
        kept: dict[str, Any] | None = vars(self).get(_KEPT)
        if kept is None:
            return make()
        if name not in kept:
            kept[name] = make()
        return kept[name]

    def __repr__(self) -> str:
        biases = f"{self.n_biases} bias" + "es" * (self.n_biases != 1)
        duals = f"{self.Q.size} dual variables in {type(self.Q).__name__}"
        return f"<Problem: {self.n_weights} weights, {biases}, {duals}, lam = {self.lam:g}>"

    @property
    def n_weights(self) -> int:
        """The length of w."""
        return self.A.shape[1]

    @property
    def n_biases(self) -> int:
        """The number of unpenalised weights."""
        return self.B.shape[1]

    # What a solver sees ---------------------------------------------------------------------------------------------

    @property
    def domain(self) -> Polytope:
        """The feasible dual points: Q, or the part of Q on the planes B' alpha = levels."""
        return self.Q if self.cut is None else self.cut

    @cached_property
    def cut(self) -> HasMultipliers | None:
        """The part of Q on the planes of the biases; None without biases."""
        if not self.n_biases:
            return None
        shift = np.zeros(self.n_biases) if self.rest.levels is None else self.rest.levels
        return on_planes(self.Q, self.B, self.origin, shift)

    @cached_property
    def tilt(self) -> Vector:
        """The slope of J that does not depend on alpha: what is fixed, less A' origin."""
        fixed = np.zeros(self.n_weights) if self.rest.weights is None else self.rest.weights
        return fixed if self.origin is None else fixed - self.A.rmatvec(self.origin)

    @cached_property
    def truth(self) -> NDArray[np.int64]:
        """Where ``origin`` is anything but zero."""
        return np.empty(0, np.int64) if self.origin is None else nonzero_places(self.origin)

    @cached_property
    def moment(self) -> Vector:
        """A' sigma, with sigma the entries of B: what centres the data, and tells how hard they are without it."""
        return self.A.rmatvec(self.B.sigma)

    @cached_property
    def hidden_offset(self) -> float:
        """How far scores may be from A w + c where numbers below TINY are read as zero: TINY if c has such, else 0."""
        return TINY if is_subnormal(self.c).any() else 0.0

    @property
    def is_tilted(self) -> bool:
        """Whether ``tilt`` is anything but zero."""
        return self.origin is not None or self.rest.weights is not None

    @cached_property
    def levels(self) -> Vector:
        """B' alpha of every feasible point."""
        fixed = np.zeros(self.n_biases) if self.rest.levels is None else -self.rest.levels
        return fixed if self.origin is None else fixed + self.B.rmatvec(self.origin)

    @property
    def constant(self) -> float:
        """The part of J and D that nothing changes."""
        return self.rest.value

    # The two objectives ---------------------------------------------------------------------------------------------

    def primal(self, w: Vector, b: Vector | None = None) -> float:
        """J(w, b); without b, at the best biases for this w."""
        return self.constant + 0.5 * self.lam * self.A.inner(w, w) + self.risk(w, b)

    def risk(self, w: Vector, b: Vector | None = None, scores: Vector | None = None) -> float:
        """R(w, b); without b, at the best biases for this w. ``scores`` are A w + c, if they are at hand."""
        scores = self.scores(w) if scores is None else scores
        b = self.best_biases(scores) if b is None else b
        value = self.g.support(self.Q, scores + self.B.matvec(b)) - float(self.levels @ b)
        return value + float(self.tilt @ w) if self.is_tilted else value

    def scores(self, w: Vector) -> Vector:
        """A w + c."""
        # Most solves begin at w = 0, where the product is known.
        return self.A.matvec(w) + self.c if w.any() else self.c.copy()

    def best_biases(self, scores: Vector) -> Vector:
        """The biases that minimise the risk at these scores A w + c; 0 where none are found.

        So it is where the risk is infinite for all of them, or the scores are at the ends of float64.
        """
        if self.cut is None:
            return np.empty(0)
        if not np.isfinite(scores).all():
            return np.zeros(self.n_biases)
        try:
            b = self.g.multipliers(self.cut, scores)
        except ValueError:  # too large to project
            return np.zeros(self.n_biases)
        return np.where(np.isfinite(b), b, 0.0)

    def dual(self, alpha: Any) -> float:
        """D(alpha); a lower bound of every J if alpha is feasible."""
        x = self.Q.coordinates(alpha)
        if not x.any() and not self.is_tilted:
            return self.constant
        u = self.slope(x)
        square = self.A.inner(u, u) / self.lam
        if not _SMALL < square < _LARGE:  # u.u may overflow, or vanish, long before the quotient does
            square = self.A.inner(u, u / self.lam)
        return self.constant + float(self.c @ x) - self.g.value_at(alpha, x) - 0.5 * square

    def adjoint(self, alpha: Any) -> Vector:
        """A' alpha + tilt."""
        return self.slope(self.Q.coordinates(alpha))

    def slope(self, x: Vector) -> Vector:
        """A' x + tilt from the coordinates x of a dual point."""
        return self.A.rmatvec(x) + self.tilt if self.is_tilted else self.A.rmatvec(x)

    def w_of_alpha(self, alpha: Any) -> Vector:
        """w(alpha) = -(A' alpha + tilt) / lam."""
        return self.adjoint(alpha) / -self.lam

    # Oracles over the feasible dual points --------------------------------------------------------------------------

    def start(self) -> Any:
        """The feasible dual point from which solvers start: the truth's own, or else the set's.

        The truth is not on the planes where fixed dual variables have moved these.
        """
        is_off = self.rest.levels is not None and bool(self.rest.levels.any())
        return self.domain.start() if self.origin is None or is_off else self.origin.copy()

    def maximise(self, s: Vector) -> Vector:
        """argmax of <alpha, s> - g(alpha) over the feasible points."""
        return self.g.oracle(self.domain, s)

    def prox(self, s: Vector, mu: float) -> Vector:
        """argmax of <alpha, s> - g(alpha) - mu/2 |alpha|^2 over the feasible points, mu > 0."""
        return self.g.prox(self.domain, s, mu)

    def prox_from(self, s: Vector, mu: float, start: Any) -> tuple[Vector, Any]:
        """``prox``, and what a prox of scores near these can start from; ``start`` is such, or None."""
        return self.g.prox_from(self.domain, s, mu, start)


#: Problems of which nothing is known but the interfaces of their parts.
AnyProblem = Problem[Operator, Polytope]
#: Sums of one-dimensional losses of linear scores: rows, and a box for each dual variable.
BoxProblem = Problem[RowOperator, Box]
#: The same where scores are products with the rows of X, which may come in blocks.
DataProblem = Problem[DataRows, Box]
#: Operator and set are made of blocks that go together, one for each row or each example.
BlockProblem = Problem[BlockOperator, InBlocks]
#: Sets whose prox has a derivative.
ProxProblem = Problem[Operator, HasDerivative]
