"""The paper's own form of a risk: the maximum of finitely many affine functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pragam.numerics.arguments import real_array, refuse_masked
from pragam.operators import Columns, check_data
from pragam.polytopes import Simplex
from pragam.problem import Problem


def max_affine(A: Any, b: ArrayLike, lam: float = 1e-4) -> Problem:
    r"""A maximum of m affine functions.

    ::

        J(w) = lam/2 |w|^2 + max over i of <a_i, w> + b_i,        a_i the columns of A
        D(alpha) = <b, alpha> - |A alpha|^2 / (2 lam),  alpha in the unit simplex
        w(alpha) = -A alpha / lam

    Parameters
    ----------
    A : (d, m) array or scipy sparse matrix
        The slopes as columns.
    b : (m,) offsets
    lam : float > 0
    """
    refuse_masked(A=A)
    storage = check_data(A, name="A")
    offsets = real_array("b", b).astype(np.float64)
    m = storage.shape[1]
    if offsets.shape != (m,) or not np.isfinite(offsets).all():
        raise ValueError(f"b must hold one finite number for each of the {m} columns of A")
    if m == 0:
        raise ValueError("A has no columns")
    return Problem(Columns(storage), offsets, Simplex(m), lam)
