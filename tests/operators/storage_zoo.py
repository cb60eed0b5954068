"""One small matrix in every storage a user may hand over."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

N, D = 23, 11
_maps = TemporaryDirectory(ignore_cleanup_errors=True)


def matrix() -> NDArray[np.float64]:
    """Sparse, with an empty row and an empty column; 11 bits an entry, so that 3x is exact in float32 too."""
    rng = np.random.default_rng(7)
    X = np.where(rng.random((N, D)) < 0.5, rng.standard_normal((N, D)), 0.0)
    X[4] = 0.0
    X[:, 6] = 0.0
    return X.astype(np.float16).astype(np.float64)


def compressed(X: NDArray[np.float64], kind: str, value: type, index: type) -> Any:
    """X as ``csr_array`` or ``csc_array`` with the dtypes asked for, which scipy would not keep by itself."""
    S = (sparse.csr_array if kind == "csr" else sparse.csc_array)(X)
    S.data, S.indices, S.indptr = S.data.astype(value), S.indices.astype(index), S.indptr.astype(index)
    return S


def shuffled(S: Any) -> Any:
    """The entries of every line in reverse order."""
    for a, b in zip(S.indptr[:-1], S.indptr[1:], strict=True):
        S.data[a:b], S.indices[a:b] = S.data[a:b][::-1].copy(), S.indices[a:b][::-1].copy()
    S.has_sorted_indices = False
    return S


def duplicated(S: Any) -> Any:
    """Every entry x as 3x and -2x: twice the entries, not in order."""
    S.data = np.stack([3 * S.data, -2 * S.data], axis=1).ravel()
    S.indices = np.repeat(S.indices, 2)
    S.indptr = 2 * S.indptr
    S.has_canonical_format = False
    return S


def mapped(array: NDArray[Any], path: Path) -> NDArray[Any]:
    """``array`` as a read-only memory map."""
    np.save(path, array)
    return np.load(path, mmap_mode="r")


def in_place(folder: Path) -> dict[str, Any]:
    """Name -> the matrix in a storage that must be used without a copy."""
    X = matrix()
    zoo = {
        "dense C": X,
        "dense F": np.asfortranarray(X),
        "dense strided": np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
        "dense strided F": np.repeat(np.repeat(X, 2, axis=0), 3, axis=1).T.copy().T[::2, ::3],
        "dense negative strides": X[::-1, ::-1].copy()[::-1, ::-1],
        "dense float32 C": X.astype(np.float32),
        "dense float32 F": np.asfortranarray(X, dtype=np.float32),
        "dense float32 strided": np.repeat(X.astype(np.float32), 2, axis=1)[:, ::2],
        "dense memmap": mapped(X, folder / "c.npy"),
        "dense memmap float32 F": mapped(np.asfortranarray(X, dtype=np.float32), folder / "f.npy"),
    }
    for kind in ("csr", "csc"):
        for value in (np.float32, np.float64):
            for index in (np.int32, np.int64):
                S = compressed(X, kind, value, index)
                zoo[f"{kind} {value.__name__} {index.__name__}"] = S
                zoo[f"{kind} {value.__name__} {index.__name__} shuffled"] = shuffled(S.copy())
                zoo[f"{kind} {value.__name__} {index.__name__} duplicated"] = duplicated(S.copy())
        S = compressed(X, kind, np.float64, np.int64)
        for part in ("data", "indices", "indptr"):
            setattr(S, part, mapped(getattr(S, part), folder / f"{kind}-{part}.npy"))
        zoo[f"{kind} memmap"] = S
        S = compressed(X, kind, np.float64, np.int64)
        S.indptr = S.indptr.astype(np.int32)
        zoo[f"{kind} int64 with int32 indptr"] = S
    zoo["csr_matrix"] = sparse.csr_matrix(X)
    zoo["csc_matrix"] = sparse.csc_matrix(X)
    return zoo


def converted() -> dict[str, Any]:
    """Name -> the matrix in a storage that is converted once."""
    X = matrix()
    record = np.zeros(X.shape, dtype=[("skip", "i1"), ("x", "f8")])
    record["x"] = X
    return {
        "list": X.tolist(),
        "object": X.astype(object),
        "byte order": X.astype(">f8"),
        "longdouble": X.astype(np.longdouble),
        "field of records": record["x"],
        "coo": sparse.coo_array(X),
        "lil": sparse.lil_matrix(X),
        "csr object": compressed(X, "csr", object, np.int32),
    }


IN_PLACE = in_place(Path(_maps.name))
ALL = {**IN_PLACE, **converted()}
