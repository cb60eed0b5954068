"""Dual points that are none, or only nearly: a ValueError, or paid for in D. None makes a false certificate."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from pragam.structured import Labellings, Mixture, TrellisFlow, chain_hinge, project_chain

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


GARBAGE = {
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
