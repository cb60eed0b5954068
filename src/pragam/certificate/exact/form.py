"""The one form of every risk, and its two objectives as fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from pragam.certificate.exact.numbers import Numbers, inner, plus
from pragam.certificate.exact.rows import Rows
from pragam.certificate.exact.sets import Set


class Form(NamedTuple):
    r"""Everything that J and D depend on.

    ::

        J(w, b)  = lam/2 |w|^2 - <origin, A w> - <levels, b>
                   + max over alpha in Q of <alpha, c + A w + B b> - sum_j kappa_j/2 alpha_j^2
        D(alpha) = <c, alpha> - sum_j kappa_j/2 alpha_j^2 - |A' (alpha - origin)|^2 / (2 lam)
                   over alpha in Q with B' alpha = levels
        (A w)_j = scale_j <x_row(j), w_output(j)>,    (B b)_j = sigma_j b_plane(j)

    A plane of -1 is none. ``Q`` is one of the sets of ``sets``.
    """

    X: Rows
    row: list[int]
    output: list[int]
    n_outputs: int
    scale: Numbers
    c: Numbers
    sigma: Numbers
    plane: list[int]
    levels: Numbers
    origin: Numbers
    kappa: Numbers
    Q: Set
    lam: Fraction

    def primal(self, w: Numbers, b: Numbers) -> Fraction:
        """J(w, b); ArithmeticError if it is infinite."""
        products = self._scores(w)
        moved = [s * b.values[k] if k >= 0 else 0 for s, k in zip(self.sigma.values, self.plane, strict=True)]
        scores = plus(plus(products, Numbers(moved, self.sigma.unit * b.unit)), self.c)
        fixed = inner(self.origin, products) + inner(self.levels, b)
        return self.lam / 2 * inner(w, w) - fixed + self.Q.support(scores, self.kappa)

    def dual(self, alpha: Numbers) -> Fraction:
        """D(alpha) of a feasible point."""
        squares = Numbers([a * a for a in alpha.values], alpha.unit**2)
        u = self.image(alpha)
        return inner(self.c, alpha) - inner(self.kappa, squares) / 2 - inner(u, u) / (2 * self.lam)

    def _scores(self, w: Numbers) -> Numbers:
        """A w."""
        products, K = self.X.products(w, self.n_outputs), self.n_outputs
        places = zip(self.scale.values, self.row, self.output, strict=True)
        values = [s * products.values[i * K + k] for s, i, k in places]
        return Numbers(values, self.scale.unit * products.unit)

    def image(self, alpha: Numbers) -> Numbers:
        """A' (alpha - origin), which is -lam w(alpha)."""
        moved = plus(alpha, self.origin, -1)
        coefficients = [0] * (self.X.n * self.n_outputs)
        for s, i, k, a in zip(self.scale.values, self.row, self.output, moved.values, strict=True):
            coefficients[i * self.n_outputs + k] += s * a
        return self.X.adjoint(Numbers(coefficients, self.scale.unit * moved.unit), self.n_outputs)
