"""The kernel of pegasos-1 equals its NumPy twin, on every storage and with every edge case."""

from __future__ import annotations

import numpy as np
import pytest

from pragam import _kernels
from pragam._kernels import twins
from pragam._kernels.subgradient.records import Examples, Iterates, Rule

from .storages import LAM, STORAGES, D, N, csr, dense

compiled = pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built: nothing to compare")


@pytest.fixture(params=STORAGES)
def storage(request):
    return STORAGES[request.param]


def box(rng):
    """scale, c, lower, upper: some boxes have no width (weight zero)."""
    upper = rng.integers(0, 3, N) / N
    return rng.choice([-1.0, 1.0], N), rng.standard_normal(N), np.zeros(N), upper


def norms2(seed):
    return np.sum(dense(np.float64, "C", seed) ** 2, axis=1)


def epoch_arguments(seed):
    rng = np.random.default_rng([seed, 6])
    scale, c, lower, upper = box(rng)
    radius = [0.1, 1.0, np.inf][seed % 3]
    start = float(seed % 2) * N
    w = 0.01 * rng.standard_normal(D) * (start > 0)
    examples = Examples(scale, c, lower, upper, norms2(seed))
    iterates = Iterates(np.array([start]), w, start * w, 0.5 * upper, np.ones(N))
    return examples, iterates, Rule(LAM, radius, 3 * N, seed + 2**62)


@compiled
def test_epoch_equals_its_twin(storage):
    kind, arrays = storage
    for seed in range(12):
        ours, theirs = (epoch_arguments(seed) for _ in range(2))
        _kernels.get(f"pegasos_epoch_{kind}")(*arrays(seed), *ours)
        getattr(twins, f"pegasos_epoch_{kind}")(*arrays(seed), *theirs)
        for mine, his in zip(ours[1], theirs[1], strict=True):
            assert np.allclose(mine, his, rtol=1e-9, atol=1e-10)
        for given, kept in zip(ours[0], epoch_arguments(seed)[0], strict=True):
            assert np.array_equal(given, kept)


@compiled
def test_the_sum_of_iterates_survives_a_ball_that_cuts_every_step():
    """|x|/(lam t) against 1/sqrt(lam): the first 1/sqrt(lam) iterates are all scaled back, by up to 1e-3."""
    rng = np.random.default_rng(0)
    X, lam, steps = rng.standard_normal((50, 4)), 1e-6, 3000
    y, zeros, ones = rng.choice([-1.0, 1.0], 50), np.zeros(50), np.ones(50)
    answers = []
    for module in (_kernels.get("pegasos_epoch_dense"), twins.pegasos_epoch_dense):
        examples = Examples(-y, ones, zeros, ones / 50, np.sum(X**2, axis=1))
        iterates = Iterates(np.zeros(1), np.zeros(4), np.zeros(4), zeros.copy(), ones.copy())
        module(X, examples, iterates, Rule(lam, lam**-0.5, steps, seed=1))
        answers.append(np.r_[iterates.w, iterates.total / steps])
    assert np.allclose(*answers, rtol=1e-9, atol=1e-9)


@compiled
@pytest.mark.parametrize("kind", ["csr", "dense"])
@pytest.mark.parametrize("field", [*Examples._fields, *Iterates._fields])
def test_epoch_refuses_wrong_lengths(kind, field):
    arrays = csr(np.float64, np.int32) if kind == "csr" else (dense(np.float64, "C"),)
    wrong = [
        record._replace(**{field: getattr(record, field)[:-1].copy()}) if field in record._fields else record
        for record in epoch_arguments(0)
    ]
    with pytest.raises(ValueError, match="pegasos_epoch"):
        _kernels.get(f"pegasos_epoch_{kind}")(*arrays, *wrong)
