"""A dual point near the planes of labels, moved onto them."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from pragam.polytopes.columns_on_planes import ColumnsOnPlanes
from pragam.solvers.onto_planes import onto_planes


def posed(multilabel, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((60, 4)), rng.integers(0, 4, 60)
    if multilabel:
        return pragam.multilabel_hinge(X, rng.random((60, 4)) < 0.4, 1e-2, bias=True)
    return pragam.multiclass_hinge(X, y, 1e-2, bias=True, sample_weight=rng.random(60) + 0.1)


def near(problem, seed, size):
    """A point of Q, off the planes by about this share, many of its blocks at vertices."""
    rng = np.random.default_rng(seed)
    alpha = problem.domain.project(0.05 * rng.standard_normal(problem.Q.size))
    other = problem.Q.maximise_linear(rng.standard_normal(problem.Q.size))
    return (1 - size) * alpha + size * other


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("size", [1e-12, 1e-6, 1e-3])
def test_it_is_there_and_hardly_further_than_the_nearest(multilabel, size):
    for seed in range(5):
        problem = posed(multilabel, seed)
        alpha = near(problem, seed, size)
        moved = onto_planes(problem, alpha, is_rough=False)
        assert problem.domain.violation(moved) <= 1e-15
        nearest = problem.domain.project(alpha)
        assert np.linalg.norm(moved - alpha) <= 10 * np.linalg.norm(nearest - alpha) + 1e-15


@pytest.mark.parametrize("multilabel", [False, True])
def test_no_projection_is_needed_and_what_is_0_stays_0(multilabel, monkeypatch):
    problem = posed(multilabel, 1)
    alpha = near(problem, 1, 1e-6)

    def search(*_, **__):
        raise AssertionError("a projection")

    monkeypatch.setattr(ColumnsOnPlanes, "project", search)
    monkeypatch.setattr(ColumnsOnPlanes, "approach", search)
    moved = onto_planes(problem, alpha, is_rough=True)
    assert (alpha == 0).any() and (moved[alpha == 0] == 0).all()


@pytest.mark.parametrize("multilabel", [False, True])
def test_far_from_the_planes_the_nearest_point_is_taken(multilabel):
    problem = posed(multilabel, 2)
    alpha = problem.Q.maximise_linear(np.random.default_rng(0).standard_normal(problem.Q.size))  # nothing can move
    np.testing.assert_array_equal(onto_planes(problem, alpha, is_rough=False), problem.domain.project(alpha))
