"""The map of models with one weight vector and several dual variables an example."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.rounding import TINY, gamma, norm, two_product, two_sum
from pragam.operators.base import Vector
from pragam.operators.check import check_data
from pragam.operators.data_rows import DataRows
from pragam.operators.needs import HasData
from pragam.operators.storage import as_vector


class SharedRows(DataRows, HasData):
    r"""(A w)_j = scale_j <x_{number_j}, w>,  A' alpha = sum_i (sum over j with number_j = i of scale_j alpha_j) x_i.

    ====================  ============  =========
    risk                  number        scale
    ====================  ============  =========
    epsilon-insensitive   i, i          -1, +1
    ordinal               i, K-1 times  -1 or +1
    ====================  ============  =========

    X is read once by each product and never copied: what shares a data row is summed first.
    """

    rigorous = True

    def __init__(self, X: Any, number: Any, scale: Any) -> None:
        storage = check_data(X)
        super().__init__(storage, scale, _numbers(number, storage.shape[0]))

    def matvec(self, w: Vector) -> Vector:
        """One product with X, of which each dual variable reads a number."""
        return self.scale * self._read(self.storage.matvec(w))

    def rmatvec(self, alpha: Vector) -> Vector:
        """X' times the sums of scale alpha over each data row."""
        return self.storage.rmatvec(self._sums(self._scaled(alpha)))

    def adjoints(self, alpha: Vector, group: NDArray[np.int64], K: int) -> Vector:
        """X' times the (n, K) sums of scale alpha over each data row and group: X is read once for all groups."""
        if K == 1:
            return self.rmatvec(alpha)[None]
        some = np.flatnonzero(alpha)
        places = self._of(some) * K + group[some]
        sums = np.bincount(places, self.scale[some] * alpha[some], minlength=self.storage.shape[0] * K)
        return self.storage.rmatmat(sums.astype(np.float64, copy=False).reshape(-1, K))

    def row_weights(self, alpha: Vector) -> Vector:
        """beta (1, n) with A' alpha = sum_i beta_i x_i, up to rounding, neither negated nor over lam.

        beta_i is the sum of scale_j alpha_j over the dual variables that read row i.
        """
        return self._sums(self._scaled(alpha))[None, :]

    def rmatvec_error(self, alpha: Vector) -> float:
        """That of the product with X, and of the sums over the r dual variables of a row: gamma(r) times their size."""
        terms = self._scaled(alpha)
        rounded = gamma(self._sharing) * self._sums(np.abs(terms)) + 2 * TINY * self._sharing
        return self.storage.adjoint_error(self._sums(terms)) + self._moved(rounded)

    def running_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """X' times the sums, with its running bound, and the rounding of the sums."""
        terms = self._scaled(alpha)
        rounded = gamma(self._sharing) * self._sums(np.abs(terms)) + 2 * TINY * self._sharing
        value, error = self.storage.running_rmatvec(self._sums(terms))
        return value, error + self._moved(rounded)

    def sharp_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """In twice the precision, the sums over a row too: X' high + X' low, where the second may be rounded."""
        high, low, error = self._twofold_sums(as_vector(alpha, self.shape[0], "alpha"))
        value, rest = self.storage.twofold_rmatvec(high)
        rest += self.storage.adjoint_error(low) + self._moved(error)
        value = value + self.storage.rmatvec(low)
        return value, rest + gamma(1) * norm(value)

    def norm_bound(self) -> float:
        """sqrt(max over data rows of the sum of scale_j^2) times the bound of X.

        A = S X, and the columns of S are orthogonal: column i holds the scales of data row i. Scales are divided by the
        largest before they are squared, so that no square that matters underflows.
        """
        largest = float(np.abs(self.scale).max(initial=0.0))
        if largest == 0:
            return 0.0
        squares = self._sums((self.scale / largest) ** 2)
        slack = 1.0 + gamma(float(self._sharing.max()) + 8)
        return largest * float(np.sqrt(squares.max())) * slack * self.storage.norm_bound

    def take(self, rows: NDArray[np.int64]) -> SharedRows:
        """The operator of these dual variables alone, on a copy of the data rows that they read."""
        used, number = np.unique(self._of(rows), return_inverse=True)
        return SharedRows(self.storage.take(used), number, self.scale[rows])

    def gram(self) -> Vector:
        """A A', dense."""
        shared = self._of(slice(None))
        return self.scale[:, None] * self.storage.gram()[shared[:, None], shared] * self.scale

    def add_outer(self, rows: NDArray[np.int64], weights: Vector, out: Vector) -> None:
        """out += sum_k weights_k a_j a_j', j = rows_k: one weight for each data row. The upper triangle is right."""
        summed = self._sums(weights * self.scale[rows] ** 2, rows)
        used = np.flatnonzero(summed)
        self.storage.add_outer(used, summed[used], out)

    def _of(self, duals: Any) -> NDArray[np.int64]:
        """The data rows that these dual variables read."""
        assert self.number is not None
        rows: NDArray[np.int64] = self.number[duals]
        return rows

    def _scaled(self, alpha: Vector) -> Vector:
        return self.scale * as_vector(alpha, self.shape[0], "alpha")

    def _sums(self, terms: Vector, duals: Any = slice(None)) -> Vector:
        """The sum over each data row of the terms of these dual variables."""
        sums = np.bincount(self._of(duals), terms, minlength=self.storage.shape[0])
        return sums.astype(np.float64, copy=False)  # of no terms at all they are integers

    def _moved(self, errors: Vector) -> float:
        """A bound of how far X' beta moves when the entries of beta do, by at most ``errors``."""
        return self.storage.adjoint_bound(errors) + 2 * len(errors) * TINY

    @cached_property
    def _sharing(self) -> NDArray[np.int64]:
        """How many dual variables read each data row."""
        return np.bincount(self._of(slice(None)), minlength=self.storage.shape[0])

    @cached_property
    def _layers(self) -> list[NDArray[np.int64]]:
        """The first dual variable of every data row that has one, the second of those that have two, and so on."""
        order = np.argsort(self._of(slice(None)), kind="stable")
        number = self._of(order)
        place = np.arange(len(order)) - np.searchsorted(number, number)
        by_place = order[np.argsort(place, kind="stable")]
        return np.split(by_place, np.cumsum(np.bincount(place))[:-1]) if len(order) else []

    def _twofold_sums(self, alpha: Vector) -> tuple[Vector, Vector, Vector]:
        """The sums of scale alpha over each data row in twice the precision: (high, low, a bound of their error)."""
        terms, tails = two_product(self.scale, alpha)
        high, low, size = np.zeros((3, self.storage.shape[0]))
        for layer in self._layers:
            at = self._of(layer)
            high[at], cut = two_sum(high[at], terms[layer])
            low[at] += cut + tails[layer]
            size[at] += np.abs(cut) + np.abs(tails[layer])
        return high, low, gamma(2 * self._sharing) * size + 16 * TINY * self._sharing


def _numbers(number: Any, n: int) -> NDArray[np.int64]:
    number = np.asarray(number)
    if number.ndim != 1 or number.dtype.kind not in "iu":
        raise ValueError(f"number must be a vector of integers, not of shape {number.shape} and dtype {number.dtype}")
    if number.size and not (number.min() >= 0 and number.max() < n):
        raise ValueError(f"number must lie in [0, {n}), but reaches from {number.min()} to {number.max()}")
    return np.ascontiguousarray(number, dtype=np.int64)
