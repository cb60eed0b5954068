"""A regularised risk minimisation problem: a polytope, a linear operator, an offset, a conjugate and a number."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pragam.conjugates import Conjugate, Quadratic, Zero
from pragam.operators.base import Operator, Vector
from pragam.polytopes.base import Curvature, Polytope

#: A square within these limits has neither overflowed nor lost digits.
_SMALL, _LARGE = 1e-200, 1e200


@dataclass(frozen=True)
class Problem:
    r"""Primal and adjoint (dual) of one model; everything a solver knows.

    ::

        R(w)     = max over alpha in Q of  <alpha, A w + c> - g(alpha)       the empirical risk
        J(w)     = lam/2 |w|^2 + R(w)                                        primal
        D(alpha) = <c, alpha> - g(alpha) - |A' alpha|^2 / (2 lam)            dual, alpha in Q
        w(alpha) = -A' alpha / lam                                           primal-dual map

    so that J(w) >= J(w*) = D(alpha*) >= D(alpha) for every w and every alpha in Q (Saha, Zhang and
    Vishwanathan, "Lower bounds for BMRM and faster rates for training SVMs", eq. 10-12).

    Parameters
    ----------
    A : Operator
        From weights (length d) to scores (length of alpha).
    c : vector, length of alpha
        The offset of the scores.
    Q : Polytope
        The set of dual variables. An equality constraint of Q is an unpenalised bias of the model: its
        multiplier at the risk's maximum is the best bias for the given w.
    lam : float > 0
        The weight of the regulariser 1/2 |w|^2.
    kappa : float >= 0, or a vector of them, one for each dual variable
        The curvature of the conjugate term g(alpha) = 1/2 sum_j kappa_j alpha_j^2: 0 for piecewise linear risks,
        positive for smoothed ones.
    relaxed : bool
        Whether Q is an outer relaxation of the model's own set (loopy graphs), so that a certificate
        speaks of the relaxed problem.
    """

    A: Operator
    c: Vector
    Q: Polytope
    lam: float
    kappa: Curvature = 0.0
    relaxed: bool = False

    def __post_init__(self) -> None:
        if not (np.isfinite(self.lam) and self.lam > 0):
            raise ValueError(f"lam must be a positive finite number, not {self.lam!r}")
        m = self.A.shape[0]
        if self.c.shape != (m,) or self.Q.size != m:
            raise ValueError(f"A has {m} rows, c has shape {self.c.shape} and Q has dimension {self.Q.size}")
        self.g.check(self.Q)

    @cached_property
    def g(self) -> Conjugate:
        """The conjugate term."""
        return Quadratic(self.kappa) if np.any(self.kappa) else Zero()

    @property
    def n_weights(self) -> int:
        """The length of w."""
        return self.A.shape[1]

    def risk(self, w: Vector) -> tuple[float, float | None]:
        """``(R(w), b)``: the empirical risk and the best bias for this w (None if the model has none)."""
        # Most solves begin at w = 0, where the product is known.
        return self.g.support(self.Q, self.A.matvec(w) + self.c if w.any() else self.c)

    def primal(self, w: Vector) -> float:
        """J(w), at the best bias for this w."""
        return 0.5 * self.lam * float(w @ w) + self.risk(w)[0]

    def dual(self, alpha: Vector) -> float:
        """D(alpha); a lower bound of every J(w) if alpha is in Q."""
        if not alpha.any():
            return 0.0
        u = self.A.rmatvec(alpha)
        square = float(u @ u) / self.lam
        if not _SMALL < square < _LARGE:  # u.u may overflow, or vanish, long before the quotient does
            square = float(u @ (u / self.lam))
        return float(self.c @ alpha) - self.g.value(alpha) - 0.5 * square

    def w_of_alpha(self, alpha: Vector) -> Vector:
        """w(alpha) = -A' alpha / lam."""
        return self.A.rmatvec(alpha) / -self.lam

    def bias_of(self, w: Vector) -> float | None:
        """The best unpenalised bias for this w, or None if the model has none."""
        return self.risk(w)[1]
