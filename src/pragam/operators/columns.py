"""The map of a maximum of affine functions, given by its columns as in the paper."""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam.operators.check import check_data
from pragam.operators.scaled_rows import ScaledRows


class Columns(ScaledRows):
    r"""w -> A' w for A (d, m) with columns a_1 .. a_m:  (<a_1, w>, .., <a_m, w>).

    The risk max_i <a_i, w> + b_i is the support function of the simplex at A' w + b. The transpose is a view, and A may
    be stored like any X.
    """

    rigorous = True

    def __init__(self, A: Any) -> None:
        transpose = check_data(A, name="A").T
        super().__init__(transpose, np.ones(transpose.shape[0]))
