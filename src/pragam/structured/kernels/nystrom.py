r"""Kernels on tokens by a stored factor: features phi(x) whose inner products are the kernel.

With landmarks z_1 .. z_r out of the training tokens, G = k(z, z') their Gram matrix and G = U S U' its eigenvalues,

    phi(x) = S^{-1/2} U' (k(x, z_1), .., k(x, z_r)),      <phi(x), phi(x')> = k(x, z) G^+ k(z, x').

If the landmarks are all different tokens, this is the kernel itself on the training data; else it is Nystrom's
approximation (Williams and Seeger, "Using the Nystrom method to speed up kernel machines", NIPS 2001). Eigenvalues that
are rounding are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from pragam.numerics.vector import Vector
from pragam.structured.kernels.function import KernelFunction, kernel_function

#: All different tokens are landmarks if there are no more than EXACT, else FEWER of them.
EXACT, FEWER = 2000, 1000
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class TokenKernel:
    """phi of a kernel, landmarks (r, d) and their map U S^{-1/2} (r, rank)."""

    kernel: Any
    parameters: dict[str, Any]
    landmarks: Any
    map: Vector

    @classmethod
    def fit(
        cls, X: Any, kernel: Any, parameters: dict[str, Any] | None, n_landmarks: int | None, random_state: Any
    ) -> TokenKernel:
        """Of the rows of X. Landmarks are drawn at random unless there is one for each different row."""
        rows = np.sort(_distinct(X))
        wanted = n_landmarks or (len(rows) if len(rows) <= EXACT else FEWER)
        if wanted < len(rows):
            from sklearn.utils import check_random_state

            # As everywhere here, None is a fixed seed.
            rng = check_random_state(0 if random_state is None else random_state)
            rows = np.sort(rng.choice(rows, wanted, replace=False))
        landmarks = X[rows]
        values, vectors = np.linalg.eigh(kernel_function(kernel, parameters)(landmarks, landmarks))
        if values[-1] <= 0 or values[0] < -1e-8 * values[-1]:
            raise ValueError(f"kernel is not positive definite on the tokens: an eigenvalue is {values[0]:.3g}")
        kept = values > _ROUNDING * values[-1]
        return cls(kernel, parameters or {}, landmarks, vectors[:, kept] / np.sqrt(values[kept]))

    @property
    def function(self) -> KernelFunction:
        return kernel_function(self.kernel, self.parameters)

    def transform(self, X: Any) -> Vector:
        """phi of the rows of X, (n, rank)."""
        return self.function(X, self.landmarks) @ self.map


def _distinct(X: Any) -> Any:
    """The numbers of the rows that differ from those before them."""
    if sparse.issparse(X):
        rows: Any = sparse.csr_array(X)  # type: ignore[call-overload]
        rows.sum_duplicates()
        spans = pairwise(rows.indptr.tolist())
        keys = [(rows.indices[a:b].tobytes(), rows.data[a:b].tobytes()) for a, b in spans]
        return np.array(list({key: i for i, key in reversed(list(enumerate(keys)))}.values()))
    return np.unique(X, axis=0, return_index=True)[1]
