"""Two scalings of one objective: lam with the mean loss (inside the package), C with the summed loss (at its door).

::

    lam/2 |w|^2 + (1/n) sum_i loss_i  =  lam (1/2 |w|^2 + C sum_i loss_i),    C = 1/(n lam)
"""

from __future__ import annotations

from math import inf


def lam_of(C: float, n: int) -> float:
    """lam = 1/(n C) for n examples; ValueError unless both are positive finite numbers."""
    if not C > 0:
        raise ValueError(f"C must be a positive number, not {C!r}")
    lam = 1 / (n * C) if n * C > 0 else inf
    if not 0 < lam < inf:
        raise ValueError(f"C = {C!r} is too extreme for {n} examples: 1/(n C) must be a positive finite number")
    return lam


def c_of(lam: float, n: int) -> float:
    """C = 1/(n lam) for n examples."""
    return 1 / (n * lam)
