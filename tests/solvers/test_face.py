"""The maximum of a quadratic over a face of a box."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from clarabel_qp import minimise
from pragam.solvers.face import maximise_on_face


def quadratic(rng, n, rank):
    B = rng.standard_normal((n, rank))
    return B @ B.T


@pytest.mark.parametrize("plane", [False, True])
@pytest.mark.parametrize("rank", [2, 5, 9])
def test_face_never_falls_and_reaches_the_box_maximum_or_a_bound(rank, plane):
    for seed in range(40):
        rng = np.random.default_rng([rank, seed, plane])
        n = 6
        gram, c = quadratic(rng, n, rank), rng.standard_normal(n)
        lower, upper = np.zeros(n), rng.uniform(0.5, 2, n)
        alpha = upper * rng.uniform(0.1, 0.9, n)
        sigma = rng.choice([-1.0, 1.0], n)
        slopes = c - gram @ alpha
        face = maximise_on_face(gram, slopes, alpha, lower, upper, sigma[None][:plane], np.zeros(int(plane)))

        def value(a, c=c, gram=gram):
            return c @ a - 0.5 * a @ gram @ a

        assert np.all((face.alpha >= lower) & (face.alpha <= upper))
        assert value(face.alpha) >= value(alpha) - 1e-10
        if plane:
            assert sigma @ (face.alpha - alpha) == pytest.approx(0, abs=1e-9)
        free = (face.alpha > lower) & (face.alpha < upper)
        rest = (c - gram @ face.alpha)[free]
        if plane:
            rest = rest - sigma[free] * (rest * sigma[free]).mean() if free.any() else rest
        assert np.abs(rest).max(initial=0) <= 1e-7  # stationary on the face where it ended
        best = -minimise(
            sparse.csc_matrix(gram), -c, np.vstack([np.eye(n), -np.eye(n)]), np.r_[upper, -lower]
        )  # fmt: skip
        assert value(face.alpha) <= best + 1e-8


@pytest.mark.parametrize("curved", [False, True])
def test_several_planes_are_met_and_the_multipliers_make_the_slopes_vanish(curved):
    """Residuals are repaired on the way; a plane without free variables has no say."""
    settled = 0
    for seed in range(40):
        rng = np.random.default_rng([seed, curved])
        n, K = 12, 4
        gram, c = quadratic(rng, n, 9) + np.diag(rng.random(n) * curved), rng.standard_normal(n)
        group = rng.integers(0, K - 1, n)  # nothing lies on the last plane
        planes = np.zeros((K, n))
        planes[group, np.arange(n)] = rng.choice([-1.0, 1.0, 0.0], n)
        lower, upper = np.full(n, -8.0), np.full(n, 8.0)
        alpha = rng.uniform(-1, 1, n)
        residuals = 0.1 * rng.standard_normal(K)
        levels = planes @ alpha - residuals
        biases = rng.standard_normal(K)
        slopes = c - gram @ alpha + biases @ planes
        face = maximise_on_face(gram, slopes, alpha, lower, upper, planes, residuals)
        free = (face.alpha > lower) & (face.alpha < upper)
        if not free.all():
            continue
        settled += 1
        met = planes.any(axis=1)
        assert (planes @ face.alpha)[met] == pytest.approx(levels[met], abs=1e-9)
        assert np.abs(c - gram @ face.alpha + (biases + face.shift) @ planes).max() <= 1e-7
        assert face.shift[-1] == 0
    assert settled > 10
