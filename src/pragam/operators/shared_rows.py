"""The map of models with one weight vector and several dual variables an example."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.remade import remade
from pragam.numerics.rounding import TINY, gamma, norm, two_product, two_sum
from pragam.operators.base import Vector
from pragam.operators.check import check_data
from pragam.operators.data_rows import DataRows
from pragam.operators.needs import HasData
from pragam.operators.storage import Storage, as_vector


class SharedRows(DataRows, HasData):
    r"""(A w)_j = scale_j <x_{number_j}, w>,  A' alpha = sum_i (sum over j with number_j = i of scale_j alpha_j) x_i.

    ====================  ============  =========
    risk                  number        scale
    ====================  ============  =========
    epsilon-insensitive   i, i          -1, +1
    ordinal               i, K-1 times  -1 or +1
    ====================  ============  =========

    X is read once by each product and never copied: what shares a data row is summed first. Where every row is read by
    equally many neighbours, as above, this is a sum along the rows of a matrix, several times as fast as one by number.
    """

    rigorous = True

    def __init__(self, X: Any, number: Any, scale: Any) -> None:
        storage = check_data(X)
        super().__init__(storage, scale, _numbers(number, storage.shape[0]))
        self._neighbours = _neighbours(self._of(slice(None)), storage.shape[0])

    def matvec(self, w: Vector) -> Vector:
        """One product with X, of which each dual variable reads a number."""
        product = self.storage.matvec(w)
        if self._neighbours:
            return (product[:, None] * self.scale.reshape(-1, self._neighbours)).reshape(-1)
        return self.scale * self._read(product)

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
        return self.storage.adjoint_error(self._sums(terms)) + self._rounding_of_sums(terms)

    def bounded_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """X' times the sums, which are made once for the product and for its bound."""
        terms = self._scaled(alpha)
        sums = self._sums(terms)
        return self.storage.rmatvec(sums), self.storage.adjoint_error(sums) + self._rounding_of_sums(terms)

    def running_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """X' times the sums, with its running bound, and the rounding of the sums."""
        terms = self._scaled(alpha)
        value, error = self.storage.running_rmatvec(self._sums(terms))
        return value, error + self._rounding_of_sums(terms)

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

    @remade
    def take(self, rows: NDArray[np.int64]) -> SharedRows:
        """The operator of these dual variables alone, on a copy of the data rows that they read."""
        used, number = np.unique(self._of(rows), return_inverse=True)
        return SharedRows(self.storage.take(used), number, self.scale[rows])

    def of_rows(self, rows: NDArray[np.int64] | slice, X: Storage) -> tuple[NDArray[np.int64] | slice, SharedRows]:
        """Dual variables are in the order of the rows that they read, so those of a run of rows are a run."""
        if not self._is_in_order:
            raise ValueError("dual variables must be in the order of the data rows that they read")
        number = self._of(slice(None))
        if isinstance(rows, slice):
            first, last = np.searchsorted(number, [rows.start, rows.stop]).tolist()
            return slice(first, last), SharedRows(X, number[first:last] - rows.start, self.scale[first:last])
        begin, end = np.searchsorted(number, rows), np.searchsorted(number, rows, side="right")
        counts = end - begin
        own = np.repeat(np.arange(len(rows)), counts)
        duals = np.arange(len(own)) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(begin, counts)
        return duals, SharedRows(X, own, self.scale[duals])

    @cached_property
    def _is_in_order(self) -> bool:
        return bool((np.diff(self._of(slice(None))) >= 0).all())

    def gathered(self, alpha: Vector) -> Vector:
        return self._sums(self._scaled(alpha))

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

    def _sums(self, terms: Vector, duals: NDArray[np.int64] | None = None) -> Vector:
        """The sum over each data row of the terms of these dual variables, by default of all."""
        if duals is None and self._neighbours:
            first, *others = terms.reshape(-1, self._neighbours).T
            total: Vector = first.copy()
            for term in others:
                total += term
            return total
        sums = np.bincount(self._of(slice(None) if duals is None else duals), terms, minlength=self.storage.shape[0])
        return sums.astype(np.float64, copy=False)  # of no terms at all they are integers

    def _read(self, of_rows: Vector) -> Vector:
        """What each dual variable reads of a column with an entry for each row of X."""
        return np.repeat(of_rows, self._neighbours) if self._neighbours else super()._read(of_rows)

    def _rounding_of_sums(self, terms: Vector) -> float:
        """A bound of how far X' times the sums of these terms is moved by their rounding."""
        sharing = self._neighbours or self._sharing
        return self._moved(gamma(sharing) * self._sums(np.abs(terms)) + 2 * TINY * sharing)

    def _moved(self, errors: Vector) -> float:
        """A bound of how far X' beta moves when the entries of beta do, by at most ``errors``."""
        return self.storage.adjoint_bound(errors) + 2 * len(errors) * TINY

    @cached_property
    def _sharing(self) -> NDArray[np.int64]:
        """How many dual variables read each data row."""
        if self._neighbours:
            return np.full(self.storage.shape[0], self._neighbours)
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


def _neighbours(number: NDArray[np.int64], n: int) -> int:
    """r if the dual variables r i .. r i + r - 1 read row i, and all n rows are read; else 0."""
    each, left = divmod(len(number), max(n, 1))
    return each if each > 0 and left == 0 and np.array_equal(number, np.repeat(np.arange(n), each)) else 0


def _numbers(number: Any, n: int) -> NDArray[np.int64]:
    number = np.asarray(number)
    if number.ndim != 1 or number.dtype.kind not in "iu":
        raise ValueError(f"number must be a vector of integers, not of shape {number.shape} and dtype {number.dtype}")
    if number.size and not (number.min() >= 0 and number.max() < n):
        raise ValueError(f"number must lie in [0, {n}), but reaches from {number.min()} to {number.max()}")
    return np.ascontiguousarray(number, dtype=np.int64)
