"""Every risk is its loss as written down naively."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from risk_zoo import CASES, RISKS, SLOW


def draw(case, n_seeds):
    """(seed, generator, drawn problem) of some seeds; every second one with weights."""
    name, bias = case
    rngs = [np.random.default_rng([seed, *map(ord, name)]) for seed in range(n_seeds)]
    return [(seed, rng, RISKS[name](rng, bias, weighted=seed % 2 == 1)) for seed, rng in enumerate(rngs)]


def title(case):
    return f"{case[0]}{', bias' * case[1]}"


@pytest.fixture(params=CASES, ids=title)
def draws(request):
    return draw(request.param, 5 if request.param in SLOW else 30)


def test_the_objective_is_the_loss(draws):
    for seed, rng, drawn in draws:
        p = drawn.problem
        for _ in range(5):
            w = 10 ** rng.uniform(-1, 1) * rng.standard_normal(p.n_weights)
            b = rng.standard_normal(p.n_biases)
            expected = drawn.objective(w, b)
            assert p.primal(w, b) == pytest.approx(expected, rel=1e-12, abs=1e-13), f"seed {seed}"
            proof = pragam.certify(p, w, bias=b if p.n_biases else None)
            assert proof.primal == pytest.approx(expected, rel=1e-12, abs=1e-13) and proof.rigorous, f"seed {seed}"
            assert drawn.objective(w, p.best_biases(p.scores(w))) <= expected * (1 + 1e-12), f"seed {seed}"


def test_a_solution_is_worth_what_its_certificate_says(draws):
    """The naive loss at w and the biases; that they are optimal is tested over the zoo."""
    for seed, _, drawn in draws[:8]:
        result = pragam.solve(drawn.problem, tol=1e-6, max_seconds=20)
        assert result.converged and result.certificate.rigorous, f"seed {seed}: {result}"
        value = drawn.objective(result.w, result.biases)
        assert value == pytest.approx(result.certificate.primal, rel=1e-12, abs=1e-13), f"seed {seed}"
        assert value >= drawn.optimum().value - 1e-9, f"seed {seed}"


@pytest.mark.parametrize("case", SLOW, ids=title)
def test_a_bias_for_each_label_is_that_of_an_interior_point_method(case):
    """The zoo, over which all solvers are tested, has the others."""
    for seed, _, drawn in draw(case, 30):
        best = drawn.optimum()
        result = pragam.solve(drawn.problem, tol=1e-9, max_seconds=60)
        assert result.converged and result.certificate.rigorous, f"seed {seed}: {result}"
        assert abs(result.certificate.primal - best.value) <= 1e-7 * abs(best.value) + 1e-10, f"seed {seed}"


def test_a_part_of_the_data_poses_the_problem_of_all_classes():
    """With the classes from outside, K outputs; on data that have them all, the same numbers as without."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((12, 3)), np.array(list("abcd" * 3))
    cost, weights = rng.exponential(size=(4, 4)) * (1 - np.eye(4)), {"a": 2.0, "c": 0.5}
    named = pragam.multiclass_hinge(X, y, 0.1, cost, class_weight=weights, classes=list("abcd"))
    plain, w = pragam.multiclass_hinge(X, y, 0.1, cost, class_weight=weights), rng.standard_normal(12)
    assert named.primal(w) == plain.primal(w) and named.dual(named.start()) == plain.dual(plain.start())
    turned = pragam.multiclass_hinge(X, y, 0.1, cost[::-1, ::-1], class_weight=weights, classes=list("dcba"))
    assert turned.primal(w.reshape(4, 3)[::-1].ravel()) == pytest.approx(plain.primal(w), rel=1e-14)
    some = y != "c"
    part = pragam.multiclass_hinge(X[some], y[some], 0.1, cost, class_weight=weights, classes=list("abcd"))
    f = X[some] @ w.reshape(4, 3).T
    index = np.searchsorted(list("abcd"), y[some])
    losses = np.max(cost[index] + f - f[np.arange(9), index][:, None], axis=1) * np.where(index == 0, 2.0, 1.0)
    assert part.n_weights == 12
    assert part.primal(w) == pytest.approx(0.05 * w @ w + losses.mean(), rel=1e-14)


@pytest.mark.parametrize("bias", [False, True])
def test_a_class_that_does_not_occur_leaves_a_problem_that_can_be_solved(bias):
    rng = np.random.default_rng(1)
    y = np.arange(20) % 2
    X = rng.standard_normal((20, 3)) + y[:, None]
    problem = pragam.multiclass_hinge(X, 2 * y, 0.1, bias=bias, classes=[0, 1, 2])
    result = pragam.solve(problem, tol=1e-6, max_seconds=20)
    assert result.converged and result.w.shape == (9,)


@pytest.mark.parametrize(
    "classes, message",
    [
        ([0], "y has labels that are not in classes"), ([0, 1, 1], "classes must not name a label twice"),
        ([0, 2], r"y has labels that are not in classes: \[1\]"), (5, "classes must be a sequence of labels"),
        ([[0], [1]], "classes must be a sequence of labels"),
    ],
)  # fmt: skip
def test_classes_that_are_none_are_named(classes, message):
    with pytest.raises(ValueError, match=message):
        pragam.multiclass_hinge(np.eye(4), [0, 1, 0, 1], classes=classes)
