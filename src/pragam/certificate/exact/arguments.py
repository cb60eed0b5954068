"""What the judge is given, checked: each refusal is a ValueError of one line that names the argument."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def parameters_of(risk: Mapping[str, Any], names: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a risk, read as ``names`` says. None may be missing, and none may be left over."""
    others = set(risk) - {"name"} - set(names)
    if others:
        raise ValueError(f"the risk {risk['name']!r} has no parameter {sorted(map(str, others))[0]!r:.40}")
    missing = [name for name in names if name not in risk]
    if missing:
        raise ValueError(f"the risk {risk['name']!r} lacks its {missing[0]}")
    return {name: read(name, risk[name]) for name, read in names.items()}


def number(name: str, value: Any) -> float:
    """A finite real number."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise ValueError(f"{name} must be a number, not {value!r:.60}")
    try:
        found = float(value)
    except OverflowError:
        found = np.inf
    if not np.isfinite(found):
        raise ValueError(f"{name} must be finite, not {value!r:.60}")
    return found


def positive(name: str, value: Any) -> float:
    """A number above 0."""
    found = number(name, value)
    if not found > 0:
        raise ValueError(f"{name} must be above 0, not {value!r:.60}")
    return found


def not_negative(name: str, value: Any) -> float:
    """A number of at least 0."""
    found = number(name, value)
    if not found >= 0:
        raise ValueError(f"{name} must be at least 0, not {value!r:.60}")
    return found


def share(name: str, value: Any) -> float:
    """A number between 0 and 1."""
    found = number(name, value)
    if not 0 < found < 1:
        raise ValueError(f"{name} must be between 0 and 1, not {value!r:.60}")
    return found


def flag(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, not {value!r:.60}")
    return bool(value)


def count(name: str, value: Any) -> int:
    """How many classes or levels: two or more."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 2:
        raise ValueError(f"{name} must be a whole number of at least 2, not {value!r:.60}")
    return int(value)


def which_thresholds(name: str, value: Any) -> str:
    """ "all" or "immediate"."""
    if not isinstance(value, str) or value not in ("all", "immediate"):
        raise ValueError(f"{name} must be 'all' or 'immediate', not {value!r:.60}")
    return value


def costs(name: str, value: Any) -> Vector | None:
    """A square matrix of numbers >= 0 with a zero diagonal; None stands for 1 off the diagonal."""
    if value is None:
        return None
    matrix = reals(name, value)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or (matrix < 0).any() or np.diag(matrix).any():
        raise ValueError(f"{name} must be a square matrix of numbers >= 0 with a zero diagonal")
    return matrix


def reals(name: str, value: Any) -> Vector:
    """Finite real numbers as float64."""
    array = np.asarray(value)
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise ValueError(f"{name} must hold real numbers of at most 64 bits, not {array.dtype}")
    floats = array.astype(np.float64)
    if not np.isfinite(floats).all():
        raise ValueError(f"{name} contains NaN or infinity")
    return floats


def vector(name: str, value: Any, size: int) -> Vector:
    """So many finite numbers, in any shape."""
    found = reals(name, value).ravel()
    if len(found) != size:
        raise ValueError(f"{name} must hold {size} numbers, not {len(found)}")
    return found


def codes(y: Any, n: int, K: int) -> NDArray[np.int64]:
    """Whole numbers 0 .. K-1, one for each row."""
    found = vector("y", y, n)
    if not np.isin(found, np.arange(K)).all():
        raise ValueError(f"y must hold the codes 0 to {K - 1}")
    return found.astype(np.int64)


def signs(y: Any, n: int) -> Vector:
    """-1 or +1 for each row."""
    found = vector("y", y, n)
    if not (np.abs(found) == 1).all():
        raise ValueError("y must hold -1 and +1")
    return found


def indicator(y: Any, n: int) -> NDArray[np.bool_]:
    """Zeros and ones, a row for each row of X and two columns or more."""
    found = reals("y", y)
    if found.ndim != 2 or len(found) != n or found.shape[1] < 2 or not np.isin(found, (0, 1)).all():
        raise ValueError(f"y must hold zeros and ones, {n} rows of two or more, not shape {found.shape}")
    return found.astype(bool)


def loss_weights(weights: Any, n: int) -> Vector:
    """weight_i / n, rounded once to nearest: a problem stores that."""
    found = np.ones(n) if weights is None else vector("weights", weights, n)
    if (found < 0).any():
        raise ValueError("weights must be at least 0")
    return found / n


def data(X: Any) -> Any:
    """X as (n, d) floats, or as (data, indices, indptr) of a CSR matrix."""
    if not isinstance(X, tuple):
        found = np.asarray(X)
        _check_entries(found)
        if found.ndim != 2 or not len(found):
            raise ValueError(f"X must have rows and columns, not shape {found.shape}")
        return found
    if len(X) != 3:
        raise ValueError(f"X must be a matrix, or (data, indices, indptr), not {len(X)} arrays")
    values, indices, indptr = (np.asarray(part) for part in X)
    _check_entries(values)
    if any(part.ndim != 1 for part in (values, indices, indptr)) or {indices.dtype.kind, indptr.dtype.kind} - set("iu"):
        raise ValueError("X must hold one-dimensional data, indices and indptr, the last two of whole numbers")
    ends = indptr.astype(np.int64)
    if len(ends) < 2 or ends[0] or (np.diff(ends) < 0).any() or ends[-1] > min(len(values), len(indices)):
        raise ValueError("X has an indptr that is not 0 <= .. <= the number of its entries")
    return values, indices, ends


def _check_entries(values: NDArray[Any]) -> None:
    if values.dtype.kind != "f" or values.dtype.itemsize > 8:
        raise ValueError(f"X must hold floats of at most 64 bits, not {values.dtype}")
    if not np.isfinite(values).all():
        raise ValueError("X contains NaN or infinity")


def check_columns(X: Any, d: int) -> None:
    """ValueError unless X has d columns, or a CSR matrix no entry beyond them."""
    if not isinstance(X, tuple):
        if X.shape[1] != d:
            raise ValueError(f"w has {d} numbers an output, and X has {X.shape[1]} columns")
        return
    used = X[1][: X[2][-1]]
    if len(used) and not (used.min() >= 0 and used.max() < d):
        raise ValueError(f"w has {d} numbers an output, and X has entries in columns {used.min()} to {used.max()}")
