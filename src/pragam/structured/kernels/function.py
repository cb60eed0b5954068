"""Any kernel of scikit-learn's, and any callable, as a function of two matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pragam.numerics.vector import Vector

KernelFunction = Callable[[Any, Any], Vector]


def kernel_function(kernel: Any, parameters: Mapping[str, Any] | None = None) -> KernelFunction:
    """k(X, Z) -> (n, m) float64 of a name, a scikit-learn kernel object or a callable; ``parameters`` are of the name
    or the callable.

    RBF with one length scale goes by a matrix product: scikit-learn's object walks pair by pair, ten times slower.
    """
    from sklearn.gaussian_process.kernels import RBF, Kernel
    from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel

    own = dict(parameters or {})
    if type(kernel) is RBF and np.ndim(kernel.length_scale) == 0:
        gamma = 0.5 / float(kernel.length_scale) ** 2
        return lambda X, Z: np.asarray(rbf_kernel(X, Z, gamma=gamma), dtype=np.float64)
    if isinstance(kernel, str):
        return lambda X, Z: np.asarray(pairwise_kernels(X, Z, metric=kernel, **own), dtype=np.float64)
    if isinstance(kernel, Kernel):
        return lambda X, Z: _checked(kernel(dense(X), dense(Z)), X, Z)
    return lambda X, Z: _checked(kernel(X, Z, **own), X, Z)


def dense(X: Any) -> Any:
    """X as a dense array."""
    return np.asarray(X.todense()) if hasattr(X, "todense") else X


def _checked(table: Any, X: Any, Z: Any) -> Vector:
    values = np.asarray(table, dtype=np.float64)
    if values.shape != (X.shape[0], Z.shape[0]) or not np.isfinite(values).all():
        raise ValueError(f"kernel must return {X.shape[0]} x {Z.shape[0]} finite numbers, not of {values.shape}")
    return values
