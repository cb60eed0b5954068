"""Check the X that a user passes and wrap it in a storage. All data enter the operators through this module."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam import _kernels
from pragam.operators.storage import Csc, Csr, Dense, Storage
from pragam.runtime.threads import n_threads

Array = NDArray[Any]
#: How many entries are looked at together, so that what is made of them stays in the cache.
_CHUNK = 2**15


def check_data(X: Any, name: str = "X") -> Storage:
    """X as a :class:`Storage` on the user's own memory, or a ValueError that says what is wrong and where.

    Accepted without a copy: float32 and float64, dense with any strides, CSR and CSC (arrays or matrices),
    including memory maps. Converted once: other real dtypes (integers, bool, float16, foreign byte order,
    unaligned memory, numeric objects) to float64, float32 too if entries are below its least normal number, 1.2e-38,
    which a processor may read as 0; other sparse formats to CSR, strided ``data`` and ``indices`` to contiguous ones,
    and a 32-bit ``indptr`` (n + 1 numbers) to 64 bits. X must be two-dimensional with finite entries and, if sparse,
    indices in range. A ``Storage`` is returned unchanged.
    """
    if isinstance(X, Storage):
        return X
    if sparse.issparse(X):
        return _check_sparse(X, name)
    try:
        X = np.asarray(X)
    except ValueError as error:  # rows of different lengths
        raise ValueError(f"{name} is not a matrix: {error}") from error
    _require_2d(X, name)
    storage = Dense(_real(X, name))
    storage.check(name)
    return storage


def _check_sparse(X: Any, name: str) -> Storage:
    _require_2d(X, name)
    if X.format not in ("csr", "csc"):
        X = X.tocsr()
    by_row = X.format == "csr"
    shape = X.shape if by_row else X.shape[::-1]
    arrays = (
        np.ascontiguousarray(np.asarray(X.data)),
        _integers(X.indices, f"{name}.indices"),
        _integers(X.indptr, f"{name}.indptr").astype(np.int64, copy=False),
    )
    csr = check_csr(arrays, (int(shape[0]), int(shape[1])), name, ("row", "column") if by_row else ("column", "row"))
    return csr if by_row else Csc(csr)


def check_csr(
    arrays: tuple[Array, Array, Array],
    shape: tuple[int, int],
    name: str = "X",
    axes: tuple[str, str] = ("row", "column"),
) -> Csr:
    """CSR's data, indices and indptr (64 bits) as a :class:`Csr`; ``axes`` is what errors call rows and columns."""
    data, indices, indptr = arrays
    arrays = _real(data, name), indices, indptr
    _check_compressed(arrays, shape, name, axes)
    return Csr(arrays, shape)


def _check_compressed(
    arrays: tuple[Array, Array, Array], shape: tuple[int, int], name: str, axes: tuple[str, str]
) -> None:
    """Refuse data that would send a kernel out of bounds or produce NaN. ``axes`` names the two axes."""
    data, indices, indptr = arrays
    major, minor = axes
    if any(a.ndim != 1 for a in arrays):
        raise ValueError(f"{name} must hold one-dimensional data, indices and indptr")
    if len(indptr) != shape[0] + 1:
        raise ValueError(f"{name}.indptr has length {len(indptr)}, expected {shape[0] + 1}")
    fault, line, position = _kernels.get("csr_check")(data, indices, indptr, shape[1], n_threads(len(data)))
    if fault == 1:
        raise ValueError(f"{name}.indptr starts at {indptr[0]}, expected 0")
    if fault == 2:
        raise ValueError(f"{name}.indptr decreases after {major} {line}")
    if fault == 3:
        raise ValueError(f"{name}.indptr ends at {position}, beyond the {len(data)} data and {len(indices)} indices")
    if fault == 4:
        raise ValueError(
            f"{name} has a {minor} index {indices[position]} out of range [0, {shape[1]}) in {major} {line}"
        )
    if fault == 5:
        raise ValueError(f"{name} contains NaN or infinity (first found in {major} {line})")


def _require_2d(X: Any, name: str) -> None:
    if X.ndim != 2:
        raise ValueError(f"{name} must be two-dimensional, but has {X.ndim} dimension(s)")


def _real(values: Array, name: str) -> Array:
    """``values`` as native, aligned float32 or float64: the same array where possible, else a float64 copy."""
    if values.dtype.kind == "c":
        raise ValueError(f"{name} must be real, but has the complex dtype {values.dtype}")
    if values.dtype.kind not in "fiubO":
        raise ValueError(f"{name} must hold real numbers, but has dtype {values.dtype}")
    whole = all(stride % values.itemsize == 0 for stride in values.strides)
    if values.dtype in (np.float32, np.float64) and values.flags.aligned and whole:
        return _widened(values) if values.dtype == np.float32 and has_subnormals(values) else values
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold real numbers: {error}") from error


def has_subnormals(values: Array) -> bool:
    """Whether float32 values other than 0 are below the least normal one, by their bits."""
    bits = (values.T if values.flags.f_contiguous else values).view(np.uint32)
    step = max(_CHUNK // max(bits[:1].size, 1), 1)
    return any((((bits[k : k + step] << 1) - 1) < 0x00FFFFFF).any() for k in range(0, len(bits), step))


def _widened(values: Array) -> Array:
    """float32 as float64. What is below the least normal float32 comes from its bits: it may be read as zero."""
    bits = values.view(np.uint32)
    small = (bits & 0x7FFFFF) * np.where(bits >> 31, -(2.0**-149), 2.0**-149)
    return np.where(bits & 0x7F800000, values.astype(np.float64), small)


def _integers(values: Any, name: str) -> Array:
    """``values`` as contiguous int32 or int64."""
    values = np.asarray(values)
    if values.dtype.kind not in "iu":
        raise ValueError(f"{name} must be integers, but has dtype {values.dtype}")
    if values.dtype not in (np.int32, np.int64) or not values.flags.aligned:
        values = values.astype(np.int64)
    return np.ascontiguousarray(values)
