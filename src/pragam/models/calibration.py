r"""A temperature for marginal probabilities, from sequences that were held out.

p(y | x) ~ exp(score(y) / temperature): one number, chosen so that the labels of held-out tokens are as likely as
possible (Guo, Pleiss, Sun and Weinberger, "On calibration of modern neural networks", ICML 2017). Labels predicted do
not change.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector
from pragam.structured.gp import GibbsPoint, Rules

#: Temperatures are sought between 1 / _WIDEST and _WIDEST.
_WIDEST = 20.0
_LEAST = 1e-300


def held_out(n: int, share: float, seed: int) -> NDArray[np.bool_]:
    """Which of n sequences are held out; some are, and some are left."""
    held = np.zeros(n, dtype=bool)
    held[np.random.default_rng(seed).permutation(n)[: round(share * n)]] = True
    if held.all() or not held.any():
        raise ValueError(f"calibrate={share:g} of {n} sequences leaves none to train on, or to hold out")
    return held


def marginals(
    scores: Vector, transitions: Vector, lengths: NDArray[np.int64], rules: Rules | None, temperature: float = 1.0
) -> Vector:
    """The probabilities of the labels of every token, (tokens, K)."""
    return GibbsPoint(scores / temperature, transitions / temperature, lengths, rules).marginals[0]


def best_temperature(
    scores: Vector, transitions: Vector, lengths: NDArray[np.int64], labels: NDArray[np.int64], rules: Rules | None
) -> float:
    """The one at which the mean of -log p(label of a token) is least."""
    from scipy.optimize import minimize_scalar  # its import takes longer than all of ours

    def surprise(log_temperature: float) -> float:
        p = marginals(scores, transitions, lengths, rules, float(np.exp(log_temperature)))
        return -float(np.log(np.maximum(p[np.arange(len(labels)), labels], _LEAST)).mean())

    width = float(np.log(_WIDEST))
    found = minimize_scalar(surprise, bounds=(-width, width), method="bounded", options={"xatol": 1e-3})
    return float(np.exp(found.x))
