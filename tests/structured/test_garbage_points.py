"""Dual points that are none, or only nearly: a ValueError, or paid for in D. None makes a false certificate."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import pragam
from pragam import _kernels
from pragam.certificate import Lower
from pragam.structured import Graph, Labellings, Mixture, TrellisFlow, chain_hinge, graph_hinge, project_chain

ZEROS, ONES = np.zeros(2, dtype=int), np.ones(2, dtype=int)


def two_words():
    """Two sequences of one token. With w = 0 J is 1, so no D exceeds that."""
    problem = chain_hinge(np.ones((2, 1)), ZEROS, [1, 1], lam=1e6, labels=[0, 1], loss="hamming_sum")
    return problem, np.zeros(problem.n_weights)


def test_marginals_are_not_repaired_onto_what_is_forbidden():
    """Only the truth is allowed, so min J = 0."""
    problem = chain_hinge(
        np.zeros((4, 1)), np.zeros(4, dtype=int), [2, 2], lam=1.0, labels=[0, 1], loss="hamming_sum",
        transitions=np.eye(2, dtype=bool), starts=[True, False], sample_weight=[1, 1e-8],
    )  # fmt: skip
    tables = np.zeros((2, 2, 2))
    tables[0, 0, 0] = 0.5  # the second sequence has no mass anywhere
    assert pragam.certify(problem, np.zeros(problem.n_weights), tables.ravel()).dual <= 0


def test_the_rounding_of_shares_is_paid_for_with_edge_features():
    J, n, size, cost = 1000, 2, 2.0**30, 2.0**40
    lam = (J - 1) * 2.0**-53 * size**2 / (2 * cost)
    problem = chain_hinge(
        np.zeros((2 * n, 1)), np.zeros(2 * n, dtype=int), [2] * n, lam=lam, labels=[0, 1],
        loss=np.array([[0, cost], [cost, 0]]), edge_features=np.full((n, 1), size),
    )  # fmt: skip
    weights = np.full((J, n), 2.0**-53)
    weights[0] = 1
    point = Labellings(weights, (np.zeros(2 * n, dtype=int),) + (np.ones(2 * n, dtype=int),) * (J - 1))
    assert pragam.certify(problem, np.zeros(problem.n_weights), point).dual <= 0.061  # J at some other w is 0.06099


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, bool])
def test_weights_of_any_precision_are_summed_in_double(dtype):
    problem, w = two_words()
    many = (ONES,) * 17
    points = [Labellings(np.ones((17, 2), dtype), many), Mixture(np.ones(17, dtype), tuple(map(Labellings.of, many)))]
    for point in points:
        assert point.weights.dtype == np.float64
        assert pragam.certify(problem, w, point).dual <= 1


FORMS = {"float32": lambda v: v.astype(np.float32), "list": lambda v: v.tolist(), "row": lambda v: v[None, :]}


@pytest.mark.filterwarnings("ignore:pragam's compiled kernels")
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_the_points_of_a_mixture_are_kept_in_double(form, compiled, monkeypatch):
    """Marginals of any form count as the same numbers in float64: sums of float32 have other errors."""
    monkeypatch.setattr(_kernels, "compiled", compiled and _kernels.compiled)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((15, 2)), rng.integers(0, 3, 15)
    problem = chain_hinge(X, y, [5, 6, 4], lam=0.3, labels=[0, 1, 2], loss="hamming_sum")
    graphs = graph_hinge([Graph(X, np.array([[0, 1], [1, 2]]), y)], lam=0.3, labels=[0, 1, 2])
    for each in (problem, graphs):
        given = FORMS[form](each.Q.structure.unfolding.marginals.sample(rng))
        same = np.asarray(given, dtype=np.float64).ravel()
        w = rng.standard_normal(each.n_weights)
        proofs = [pragam.certify(each, w, Mixture([1.0], (point,))) for point in (given, same)]
        assert proofs[0] == proofs[1] and proofs[0].dual > -np.inf


def test_a_lost_share_of_a_weight_is_paid_for():
    """Weights and shares of the smallest numbers, and costs of the largest: D <= J(0) = weight/n * cost, exactly."""
    X, tables = np.zeros((1, 1)), 1 - np.eye(3)
    for seed in range(300):
        rng = np.random.default_rng(seed)
        weight = float(rng.choice([3 * 5e-324, 10.0 ** rng.uniform(-323, -300)]))
        cost = float(rng.choice([1e308, 10.0 ** rng.uniform(0, 308)]))
        shares = np.array([[rng.choice([0.5, rng.random(), 5e-324])], [0.5]])
        half = Labellings(shares, (np.array([1]), np.array([2])))
        common = {"lam": 1e10, "loss": cost * tables, "labels": [0, 1, 2], "sample_weight": [weight]}
        single = Graph(X, np.empty((0, 2), int), np.array([0]))
        chain, graph = chain_hinge(X, np.array([0]), [1], **common), graph_hinge([single], **common)
        mixed = Mixture([0.5, 5e-324], (half, Labellings.of(np.array([2]))))
        for problem, point in ((chain, half), (graph, half), (chain, mixed)):
            lower = Lower(problem, point)
            for level in lower.levels:
                assert Fraction(getattr(lower, level).value) <= Fraction(weight) * Fraction(cost), (seed, level)


def test_a_lost_product_of_weight_and_value_is_paid_for():
    """J(0) = weight/n * cost = 1e-400 is more than 0, and no float is that small."""
    X, cost = np.zeros((1, 1)), np.array([[0.0, 1e-200], [1e-200, 0.0]])
    common = {"lam": 1.0, "loss": cost, "labels": [0, 1], "sample_weight": [1e-200]}
    single = Graph(X, np.empty((0, 2), int), np.array([0]))
    for problem in (chain_hinge(X, np.array([0]), [1], **common), graph_hinge([single], **common)):
        proof = pragam.certify(problem, np.zeros(problem.n_weights), problem.start())
        assert Fraction(1e-200) ** 2 <= Fraction(proof.primal) <= Fraction(1e-300)


def test_squares_of_small_weights_do_not_hide_rounding():
    """Weights of 1e-170 on features of 1e170: their products are of size 1, and so is the rounding of their sums."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = 60
        X, y, weights = 1e170 * rng.standard_normal((n, 1)), np.zeros(n, dtype=int), 1e-170 * rng.random(n)
        singles = [Graph(X[i : i + 1], np.empty((0, 2), int), y[:1]) for i in range(n)]
        common = {"lam": 1.0, "labels": [0, 1], "sample_weight": weights}
        for problem in (chain_hinge(X, y, [1] * n, **common), graph_hinge(singles, **common)):
            found = problem.Q.structure.moments(Labellings.of(np.ones(n, dtype=int)))
            pairs = zip(X[:, 0].tolist(), problem.Q.totals.tolist(), strict=True)
            exact = sum(Fraction(x) * Fraction(total) for x, total in pairs)
            assert abs(Fraction(found.features[1]) - exact) <= Fraction(found.distance) <= 1e-13, seed


GARBAGE = {
    "alpha must be real numbers, not object": lambda: Mixture([1.0], (None,)),
    "alpha has 3 entries": lambda: Mixture([1.0], (np.zeros(3),)),
    "weights must be real numbers": lambda: Labellings(np.array([[1e-3 - 1j], [0.1 + 10j]]), (ZEROS, ONES)),
    "weights must be real numbers, not object": lambda: Labellings(None, (ZEROS,)),
    "weights must be real numbers, not <U1": lambda: Mixture(["a"], (ONES,)),
    "more than the largest number": lambda: Labellings([[1e308], [1e308]], (ZEROS, ONES)),
    "a mixture has points whose weights sum to more": lambda: Mixture([1e308] * 2, (Labellings.of(ONES),) * 2),
    "labels of labellings must be a tuple": lambda: Labellings([[1.0]], None),
    "points of a mixture must be a tuple": lambda: Mixture([1.0], None),
    "previous of a flow must be a vector of whole numbers": lambda: TrellisFlow([0, 1, 2], [0.0, 0.5], [0, 0], [1, 1]),
    "mass of a flow must be a vector of whole numbers": lambda: TrellisFlow([0, 1, 2], [0, 0], [0, 0], None),
    "a mass of 32 bits": lambda: TrellisFlow([0, 1, 2], [0, 0], [0, 0], [2**30, 2**30]),
    "an edge for each of the 2 tokens": lambda: TrellisFlow(np.array([0, 1, 2], np.uint64), [0, 0], [0, 0], [1, 1]),
}


@pytest.mark.parametrize("message", GARBAGE)
def test_garbage_is_refused(message):
    problem, w = two_words()
    with pytest.raises(ValueError, match=message), np.errstate(all="raise"):
        pragam.certify(problem, w, GARBAGE[message]())


def test_no_start_changes_a_projection():
    """Potentials at the end nodes are multipliers of nothing."""
    rng = np.random.default_rng(0)
    for T in (1, 2, 5):
        m = rng.standard_normal((T, 3, 3))
        start = rng.standard_normal((T + 1, 3))
        assert np.allclose(project_chain(m, start=start), project_chain(m), atol=1e-10)
