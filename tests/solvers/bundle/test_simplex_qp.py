"""The small quadratic program of a bundle method."""

from __future__ import annotations

import numpy as np
import pytest

from pragam.solvers.bundle.simplex_qp import maximise_on_simplex
from solvers.test_face import quadratic


@pytest.mark.parametrize("rank", [1, 3, 8])
def test_simplex(rank):
    for seed in range(40):
        rng = np.random.default_rng([rank, seed])
        n = int(rng.integers(1, 9))
        K, b = quadratic(rng, n, rank), rng.standard_normal(n)
        start = rng.dirichlet(np.ones(n)) if seed % 2 else np.eye(n)[0]
        p = maximise_on_simplex(K, b, start)
        assert p.min() >= 0 and p.sum() == pytest.approx(1.0, abs=1e-14)
        gradient = b - K @ p
        # the KKT conditions, which suffice for a concave function
        assert gradient.max() <= gradient @ p + 1e-10 * (1 + np.abs(K).max())
