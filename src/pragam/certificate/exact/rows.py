"""The rows of X, and the two products with them: <x_i, w_k>, and sum_i a_ik x_i, in integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from pragam.certificate.exact.numbers import Numbers, common, inner, numbers, plus

#: Entries of X that become integers at a time. They share a unit, so the fewer, the shorter the integers.
_CHUNK = 2**14


class Chunk(NamedTuple):
    """Some rows of X: the columns of each, and its entries as multiples of ``unit``. Repeated entries add up."""

    first: int
    n_rows: int
    rows: Iterator[tuple[Sequence[int], list[int]]]
    unit: Fraction


class Rows:
    """X as it is stored: a dense (n, d) array, or the (data, indices, indptr) of a CSR matrix of d columns.

    ``seen(rows)`` is called after each chunk of a pass, with the number of its rows.
    """

    def __init__(self, X: Any, d: int, seen: Callable[[int], None] = lambda rows: None) -> None:
        self.d, self._seen = d, seen
        self._csr = tuple(map(np.asarray, X)) if isinstance(X, tuple) else None
        self._dense = np.asarray(X) if self._csr is None else np.empty((0, 0))
        self.n = len(self._dense) if self._csr is None else len(self._csr[2]) - 1

    def products(self, w: Numbers, n_outputs: int) -> Numbers:
        """<x_i, w_k> for the parts w_k of w, in the order of i, then k."""
        outputs = [w.values[k * self.d : (k + 1) * self.d] for k in range(n_outputs)]
        parts = []
        for chunk in self.chunks():
            found: list[int] = []
            for columns, row in chunk.rows:
                found += [sum(map(mul, row, [part[j] for j in columns])) for part in outputs]
            parts.append(Numbers(found, chunk.unit * w.unit))
        unit = common(w.unit, *(part.unit for part in parts))
        return Numbers([value for part in parts for value in part.at(unit)], unit)

    def adjoint(self, a: Numbers, n_outputs: int) -> Numbers:
        """sum_i a_ik x_i for every output k, as one vector; ``a`` is in the order of i, then k."""
        sums, unit = [[0] * self.d for _ in range(n_outputs)], a.unit
        for chunk in self.chunks():
            finer = common(unit, chunk.unit * a.unit)
            sums = [Numbers(part, unit).at(finer) for part in sums]
            unit, factor = finer, (chunk.unit * a.unit / finer).numerator
            for i, (columns, row) in enumerate(chunk.rows, chunk.first):
                for part, coefficient in zip(sums, a.values[i * n_outputs : (i + 1) * n_outputs], strict=True):
                    if coefficient:
                        times = coefficient * factor
                        for j, value in zip(columns, row, strict=True):
                            part[j] += value * times
        return Numbers([value for part in sums for value in part], unit)

    def chunks(self) -> Iterator[Chunk]:
        """One pass over X."""
        for chunk in self._dense_chunks() if self._csr is None else self._csr_chunks(*self._csr):
            yield chunk
            self._seen(chunk.n_rows)

    def _dense_chunks(self) -> Iterator[Chunk]:
        columns, step = range(self.d), max(1, _CHUNK // max(self.d, 1))
        for first in range(0, self.n, step):
            found = numbers(self._dense[first : first + step])
            count = min(step, self.n - first)
            rows = ((columns, found.values[k * self.d : (k + 1) * self.d]) for k in range(count))
            yield Chunk(first, count, rows, found.unit)

    def _csr_chunks(self, data: Any, indices: Any, indptr: Any) -> Iterator[Chunk]:
        first = 0
        while first < self.n:
            last = max(first + 1, int(np.searchsorted(indptr, indptr[first] + _CHUNK)) - 1)
            begin, end = int(indptr[first]), int(indptr[last])
            found, columns = numbers(data[begin:end]), indices[begin:end].tolist()
            ends = (indptr[first : last + 1] - begin).tolist()
            rows = ((columns[i:j], found.values[i:j]) for i, j in pairwise(ends))
            yield Chunk(first, last - first, rows, found.unit)
            first = last


class StandardizedRows(Rows):
    """z_ij = (x_ij - mean_j) factor_j of the rows of X, for K outputs as above; without a mean, x_ij factor_j."""

    def __init__(self, X: Any, d: int, seen: Callable[[int], None], factor: Any, mean: Any = None) -> None:
        super().__init__(X, d, seen)
        self._factor = numbers(factor)
        self._mean = numbers([0.0] * d if mean is None else mean)

    def products(self, w: Numbers, n_outputs: int) -> Numbers:
        """<x_i, F w_k> - <mean, F w_k>."""
        moved = self._times_factor(w, n_outputs)
        plain, d = super().products(moved, n_outputs), self.d
        parts = [Numbers(moved.values[k * d : (k + 1) * d], moved.unit) for k in range(n_outputs)]
        shifts = [inner(self._mean, part) for part in parts]
        unit = common(plain.unit, *(Fraction(1, shift.denominator) for shift in shifts))
        less = [int(shift / unit) for shift in shifts]
        return Numbers([v - less[k % n_outputs] for k, v in enumerate(plain.at(unit))], unit)

    def adjoint(self, a: Numbers, n_outputs: int) -> Numbers:
        """F (sum_i a_ik x_i - (sum_i a_ik) mean)."""
        sums = [sum(a.values[k::n_outputs]) for k in range(n_outputs)]
        means = Numbers([total * m for total in sums for m in self._mean.values], a.unit * self._mean.unit)
        return self._times_factor(plus(super().adjoint(a, n_outputs), means, -1), n_outputs)

    def _times_factor(self, v: Numbers, n_outputs: int) -> Numbers:
        return Numbers(list(map(mul, v.values, self._factor.values * n_outputs)), v.unit * self._factor.unit)
