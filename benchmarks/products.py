"""How fast are the two products with X, in GB/s of X read and against the product of scipy or numpy?

Prints, for every storage, the memory rate of X w and of X' alpha and the time of the library's own product
over ours (above 1: ours is faster). Minimum over repeats, the two interleaved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse

from pragam.operators import check_data

REPEATS = 15


def matrices(rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    """(name, X): a CSR of 100k x 10k with 50 entries a row, and a dense 100k x 100, in their storages."""
    n, d, k = 100_000, 10_000, 50
    indices = np.sort(rng.integers(0, d, (n, k)), axis=1).ravel().astype(np.int32)
    indptr = np.arange(0, n * k + 1, k, dtype=np.int32)
    csr = sparse.csr_array((rng.standard_normal(n * k), indices, indptr), shape=(n, d))
    yield "CSR float64", csr
    yield "CSR float32", csr.astype(np.float32)
    yield "CSC float64", csr.tocsc()
    wide = sparse.csr_array(csr)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    yield "CSR float64, int64", wide
    X = rng.standard_normal((n, 100))
    yield "dense C float64", X
    yield "dense F float64", np.asfortranarray(X)
    yield "dense C float32", X.astype(np.float32)
    yield "dense F float32", np.asfortranarray(X, dtype=np.float32)
    yield "dense strided", np.repeat(X, 2, axis=1)[:, ::2]


def bytes_of(X: Any) -> int:
    """What one product must read of X."""
    return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes if sparse.issparse(X) else X.nbytes


def seconds(*products: Callable[[], Any]) -> list[float]:
    """The least time of each product, taken in turns."""
    best = [np.inf] * len(products)
    for _ in range(REPEATS):
        for i, product in enumerate(products):
            start = perf_counter()
            product()
            best[i] = min(best[i], perf_counter() - start)
    return best


def main() -> None:
    """Print the table."""
    rng = np.random.default_rng(0)
    print("storage              X w, GB/s  ratio   X'alpha, GB/s  ratio")
    for name, X in matrices(rng):
        storage = check_data(X)
        w, alpha = rng.standard_normal(X.shape[1]), rng.standard_normal(X.shape[0])
        ours, theirs = seconds(lambda: storage.matvec(w), lambda: X @ w)  # noqa: B023
        rours, rtheirs = seconds(lambda: storage.rmatvec(alpha), lambda: X.T @ alpha)  # noqa: B023
        size = bytes_of(X) / 1e9
        print(f"{name:20} {size / ours:9.1f} {theirs / ours:6.2f}", end="")
        print(f" {size / rours:15.1f} {rtheirs / rours:6.2f}")


if __name__ == "__main__":
    main()
