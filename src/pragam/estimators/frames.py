"""X and y of a fit, checked by scikit-learn; a frame of floats by a shorter way to the same array."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_X_y, validate_data

_NUMPYS = (np.dtype(np.float64), np.dtype(np.float32))


def validated(estimator: Any, X: Any, y: Any, reset: bool, **checks: Any) -> tuple[Any, Any]:
    """X and y as ``validate_data`` gives them.

    Of a DataFrame it asks each column, and several times, what it is called and whether it must be converted, be it
    sparse, nullable or of extended precision: 0.6 ms of a fit that takes 2 to 4 on small data (benchmarks/doors.py).
    Where all columns of a pandas or polars DataFrame are plain floats there is nothing to convert, and the frame's
    array is checked instead.
    """
    if y is None or not _is_of_floats(X):
        return validate_data(estimator, X, y, reset=reset, **checks)
    if not (reset and _has_kept_names(estimator, X)):
        validate_data(estimator, X, y, reset=reset, skip_check_array=True)
    return check_X_y(X.to_numpy(), y, estimator=estimator, **checks)


def _is_of_floats(X: Any) -> bool:
    """Whether all columns of a frame are float64 or float32 arrays of NumPy, as in pandas, or polars's Float64."""
    if not (hasattr(X, "to_numpy") and hasattr(X, "columns")):
        return False
    return all(kind in _NUMPYS if isinstance(kind, np.dtype) else _is_polars_double(kind) for kind in X.dtypes)


def _is_polars_double(kind: Any) -> bool:
    """Float32 of polars is none: scikit-learn makes float64 of it. Nor is the nullable Float64 of pandas."""
    return hasattr(kind, "is_float") and str(kind) == "Float64"


def _has_kept_names(estimator: Any, X: Any) -> bool:
    """Keep the names and the number of the columns, if they are different strings; the rest is for scikit-learn."""
    names = list(X.columns)
    if not names or any(type(name) is not str for name in names) or len(set(names)) < len(names):
        return False
    estimator.feature_names_in_, estimator.n_features_in_ = np.array(names, dtype=object), len(names)
    return True
