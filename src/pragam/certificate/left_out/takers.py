r"""The rows strictly inside their boxes: they take over what a row that is left out has given.

With W_j = 1/(kappa_j + tau/m_j^2), m_j the room of row j and a~ = (a, sigma) rows beside their normals on the plane,

    beta = argmin |a~_i - sum_j beta_j a~_j|^2 + lam sum_j beta_j^2 / W_j      for tau of several sizes

says which combination of them stands for row i, and so who takes how much of alpha_i. Without tau this is Newton's step
of a smooth loss; for the hinge it is the span of Vapnik and Chapelle with a penalty for those that have little room.
Where they have little room in all, and the plane of a bias has to be kept, rows at a bound join them, of each side and
sign those whose scores are next to their kinks: what they take over puts them inside their boxes.

Here everything is chosen, and nothing proven: any beta serves the bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pragam.certificate.combined import dense
from pragam.certificate.left_out.margins import MarginProblem
from pragam.numerics.rounding import gamma
from pragam.operators.base import Vector

Array = NDArray[np.float64]

#: Numbers of their matrix.
ENTRIES = 2**21
#: The sizes of tau that are tried, in units of the mean square of m_j a_j over lam. Nine, down to 1e-9, decide no row
#: more on german, splice, spambase and a9a; every other one of those leaves 4 to 9 % more open on the last two.
_PENALTIES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
#: Those of smooth losses, whose curvature says most of it: more decide no row more.
_CURVED = (1e-3, 1e-6)
#: A taker gives at most this share of its room, and keeps the rest for the kink inequality.
_GIVEN = 0.5
#: Rows at a bound join, so many of each side and sign, where all may give less than this many of the largest boxes.
_NEIGHBOURS, _PLENTY = 32, 4.0
#: How much longer than rows the normal of the plane is taken to be: it is to be matched exactly, and is not penalised.
_STRESS = 1e3


@dataclass(frozen=True, eq=False)
class Takers:
    """Rows of A by number, with their normals, their rooms below and above, curvatures, and kappa_j alpha_j - c_j.

    ``sizes`` bound |a_j|, and ``rounding`` how far the rows here may be from those, relative to their sizes.
    """

    lam: float
    numbers: NDArray[np.int64]
    rows: Array
    sigma: Vector
    below: Vector
    above: Vector
    kappa: Vector
    offset: Vector
    sizes: Vector
    rounding: float

    @property
    def room(self) -> Vector:
        """On the nearer side."""
        return np.minimum(self.below, self.above)

    @cached_property
    def inside(self) -> NDArray[np.bool_]:
        """Those that are at no bound."""
        return self.room > 0

    @cached_property
    def ends(self) -> tuple[Vector, Vector]:
        """Between which they may move: a share of their room, of rows at a bound that on the other side."""
        low, high = (np.where(self.inside, self.room, side) for side in (self.below, self.above))
        return -_GIVEN * low, _GIVEN * high

    @cached_property
    def widest(self) -> float:
        """At least |a_j| of all of them."""
        return float(self.sizes.max(initial=0.0))

    def places(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where these rows are among the takers; -1 where they are not."""
        if not len(self.numbers):
            return np.full(len(rows), -1)
        at = np.minimum(np.searchsorted(self.numbers, rows), len(self.numbers) - 1)
        return np.where(self.numbers[at] == rows, at, -1)

    def shares(self, rows: Array, sigma: Vector, places: NDArray[np.int64], is_once: bool = False) -> Iterator[Array]:
        """beta for rows a_i with their normals; none of themselves, where they are takers.

        The maps that make them are kept, unless it is said that these few rows are asked for once: a map costs what
        the rows of a whole matrix do.
        """
        own = np.flatnonzero(places >= 0)
        around = np.column_stack([rows, self._length * sigma])
        once = (self._solved(tau, around.T).T for tau in self._sizes) if is_once else None
        for beta in once or (around @ each.T for each in self._maps):
            with np.errstate(all="ignore"):
                beta[own] /= 1 - beta[own, places[own]][:, None]  # as if the row had not been among them
            beta[own, places[own]] = 0.0
            yield np.where(np.isfinite(beta), beta, 0.0)

    @cached_property
    def _length(self) -> float:
        """Of the normal of the plane beside rows."""
        mean = float(np.einsum("ij,ij->", self.rows, self.rows)) / max(len(self.rows), 1)
        return _STRESS * mean**0.5 if mean > 0 else _STRESS

    @cached_property
    def _around(self) -> Array:
        """a~ of all takers."""
        return np.column_stack([self.rows, self._length * self.sigma])

    @cached_property
    def _sizes(self) -> list[float]:
        """The sizes of tau."""
        room = self.room
        with np.errstate(all="ignore"):
            mean = float(np.einsum("ij,ij,i,i->", self.rows, self.rows, room, room)) / max(self.rows.shape[1], 1)
            return [each * mean / self.lam for each in (_CURVED if np.all(self.kappa) else _PENALTIES)]

    @cached_property
    def _maps(self) -> list[Array]:
        """From a~ to beta, (takers, d + 1): one for each tau."""
        return [self._solved(tau) for tau in self._sizes]

    def _solved(self, tau: float, asked: Array | None = None) -> Array:
        """W a~' (lam + sum_j W_j a~_j a~_j')^-1, times what is asked for, by the smaller of two systems."""
        around, room = self._around, self.room
        with np.errstate(all="ignore"):
            root = room[:, None] / np.sqrt(tau + self.kappa * room**2)[:, None]
            system = self._products(root) if self.kappa.any() else self._alike / tau
            system[np.diag_indices_from(system)] += self.lam + 1e-14 * np.trace(system) / max(len(system), 1)
            right = around if asked is None else around @ asked
            try:
                if not self._is_tall:
                    found = root * np.linalg.solve(system, root * right)
                elif asked is None:
                    found = root**2 * np.linalg.solve(system, around.T).T
                else:
                    found = root**2 * (around @ np.linalg.solve(system, asked))
            except np.linalg.LinAlgError:
                found = np.full(right.shape, np.nan)
        return np.where(np.isfinite(found), found, 0.0)

    @property
    def _is_tall(self) -> bool:
        return bool(len(self.numbers) > self._around.shape[1])

    @cached_property
    def _alike(self) -> Array:
        """Without curvature: the products for tau = 1, of which all others are multiples."""
        return self._products(self.room[:, None])

    def _products(self, root: Array) -> Array:
        """Those of the rows root_j a~_j, or of their columns if these are fewer."""
        half = root * self._around
        return half.T @ half if self._is_tall else half @ half.T


def takers(
    problem: MarginProblem, alpha: Vector, moved: NDArray[np.int64], excess: Vector, entries: int = ENTRIES
) -> Takers:
    """Those of a feasible point, without the rows that its repair ``moved``; of too many those with the most room.

    ``excess``: how far scores are beyond their kinks.
    """
    A, Q, d = problem.A, problem.Q, problem.n_weights
    below, above = alpha - Q.lower, Q.upper - alpha
    room = np.minimum(below, above)
    room[moved] = 0.0
    chosen = np.flatnonzero(room > 0)
    most = entries // (d + 1)
    if len(chosen) > most:
        chosen = np.sort(chosen[np.argsort(-room[chosen], kind="stable")[:most]])
    if problem.n_biases and Q.is_bounded and _GIVEN * room[chosen].sum() < _PLENTY * Q.upper.max():
        near = _neighbours(problem, alpha, moved, excess)
        chosen = np.sort(np.concatenate([chosen, near[: max(most - len(chosen), 0)]]))
    data, kappa = A.storage.take(chosen), np.broadcast_to(problem.g.curvature, Q.size)[chosen]
    return Takers(
        problem.lam, chosen, A.scale[chosen][:, None] * dense(data),
        problem.B.sigma[chosen] if problem.n_biases else np.zeros(len(chosen)), below[chosen], above[chosen], kappa,
        kappa * alpha[chosen] - problem.c[chosen], np.asarray(A.storage.row_sizes[chosen], dtype=np.float64),
        gamma(float(np.max(data.counts, initial=0)) + 2),
    )  # fmt: skip


def _neighbours(problem: MarginProblem, alpha: Vector, moved: NDArray[np.int64], excess: Vector) -> NDArray[np.int64]:
    """Rows at a bound, whose scores are next to their kinks: some of each side and sign."""
    Q, sigma = problem.Q, problem.B.sigma
    able = (Q.upper > 0) & ((alpha == Q.lower) | (alpha == Q.upper)) & np.isfinite(excess)
    able[moved] = False
    found = []
    for side in (Q.lower, Q.upper):
        for sign in (-1.0, 1.0):
            rows = np.flatnonzero(able & (alpha == side) & (sigma == sign))
            found.append(rows[np.argsort(np.abs(excess[rows]), kind="stable")[:_NEIGHBOURS]])
    return np.concatenate(found)
