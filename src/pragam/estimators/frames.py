"""X and y of a fit, checked by scikit-learn; a frame of floats by a shorter way to the same array."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_X_y, validate_data


def validated(estimator: Any, X: Any, y: Any, reset: bool, **checks: Any) -> tuple[Any, Any]:
    """X and y as ``validate_data`` gives them.

    Of a pandas DataFrame it asks each column, and several times, whether it must be converted, be it sparse, nullable
    or of extended precision: 0.6 ms of a fit that takes 2 to 4 on small data (benchmarks/doors.py). Where all columns
    are NumPy's own floats there is nothing to convert, and the frame's array is checked instead.
    """
    if y is None or not _is_of_floats(X):
        return validate_data(estimator, X, y, reset=reset, **checks)
    validate_data(estimator, X, y, reset=reset, skip_check_array=True)  # the names and the number of the columns
    return check_X_y(np.asarray(X), y, estimator=estimator, **checks)


def _is_of_floats(X: Any) -> bool:
    """Whether it is a pandas DataFrame whose columns all are float64 or float32 arrays of NumPy."""
    if not hasattr(X, "iloc") or getattr(X, "ndim", 0) != 2:
        return False
    return all(isinstance(kind, np.dtype) and kind in (np.float64, np.float32) for kind in X.dtypes)
