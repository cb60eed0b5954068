r"""The bandwidth of a Gaussian kernel from the data: the spread of the tokens is its unit of length.

    k(x, z) = exp(-|x - z|^2 / V),    V = sum over columns of their variances = half the mean of |x - z|^2.

So k does not change when all tokens are moved or scaled, and the mean exponent is -2. With columns of equal means it is
scikit-learn's gamma="scale".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from pragam.numerics.rounding import TINY

#: Tokens that spread by no more than this share of their size are the same but for rounding.
_SAME = 1e-14


def scaled_rbf(X: Any) -> Any:
    """scikit-learn's RBF with the length scale sqrt(V / 2) of the rows of X, dense or sparse; 1 if all are equal."""
    from sklearn.gaussian_process.kernels import RBF

    return RBF(_spread(X) / 2**0.5 or 1.0)


def _spread(X: Any) -> float:
    """sqrt(V), in units of the largest entry on the way, so that squares neither overflow nor vanish."""
    unit = float(abs(X).max()) if X.size else 0.0
    if unit < TINY:
        return 0.0
    V = float(_variances(X, unit).sum())
    return unit * V**0.5 if _SAME**2 * X.shape[1] < V else 0.0


def _variances(X: Any, unit: float) -> Any:
    """Those of the columns of X / unit. A sparse X has zeros that are not stored: their squared distances from the mean
    are counted, not summed."""
    if not sparse.issparse(X):
        return np.var(np.asarray(X, dtype=np.float64) / unit, axis=0)
    matrix: Any = X
    n, columns = matrix.shape[0], matrix.tocsc().astype(np.float64) / unit
    columns.sum_duplicates()
    means, counts = np.ravel(columns.sum(axis=0)) / n, np.diff(columns.indptr)
    off = (columns.data - np.repeat(means, counts)) ** 2
    within = np.bincount(np.repeat(np.arange(len(counts)), counts), off, minlength=len(counts))
    return (within + (n - counts) * means**2) / n
