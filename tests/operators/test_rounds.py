"""Rounds: products around the tasks of solvers, known for what the tasks have answered and for nothing else."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from storage_zoo import D, N, matrix

from block_problems import Sent
from pragam.engines import Engine, InTurn
from pragam.operators import check_data
from pragam.operators.storage import ColumnMap, InMemory, Standardized

CUTS = [0, 1, 7, 15, 16, N]
rng = np.random.default_rng(0)
W, ALPHA = rng.standard_normal(D), rng.standard_normal(N)


class Elsewhere(Engine):
    """Tasks, blocks and results go through a pickle, as to and from another process."""

    def map(self, task, blocks, common, own=None):
        found = InTurn().map(*pickle.loads(pickle.dumps((task, blocks, common, own))))
        return iter(pickle.loads(pickle.dumps(list(found))))


def blocked(engine=None):
    B = InMemory([check_data(matrix()[a:b]) for a, b in pairwise(CUTS)])
    if engine is not None:
        B.engine, B.blocks = engine, [Sent(check_data(matrix()[a:b])) for a, b in pairwise(CUTS)]
    return B


def says(place, storages, w, common, own):
    """The coefficients that were put beside the place, times a number; and what the place has seen."""
    rows = sum(X.shape[0] for X in storages)
    return (rows, common, own), place.beside * common


def a_round(B, cuts=(0, 2, 4, 5), here=1, factor=1.0, w=W):
    ends = B.ends[list(cuts)]
    places = B.place(cuts, [ALPHA[a:b] for a, b in pairwise(ends)], here)
    this = B.round(says, factor, w, places, own=range(len(cuts) - 1))
    return this, list(this)


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("engine", [None, Elsewhere()])
@pytest.mark.parametrize("here", [0, 1, 3])
def test_both_products_are_known_for_whatever_the_last_places_have(engine, here):
    B, alpha = blocked(engine), ALPHA.copy()
    this, found = a_round(B, here=here)
    assert [each.found for each in found] == [(7, 1.0, 0), (9, 1.0, 1), (N - 16, 1.0, 2)]
    close(np.concatenate([each.product for each in found]), matrix() @ W)
    close(sum(each.adjoint for each in found), matrix().T @ ALPHA)
    assert this.recall(alpha)
    for _ in range(3):
        close(B.matvec(W), matrix() @ W)
        close(B.rmatvec(alpha), matrix().T @ alpha)
        alpha[{0: N, 1: 16, 3: 0}[here] :] += 1.0
    assert B.readings == 1.0


@pytest.mark.parametrize("engine", [None, Elsewhere()])
def test_a_claim_that_is_not_what_the_tasks_have_answered_is_not_taken(engine):
    B, other = blocked(engine), ALPHA.copy()
    other[3] = np.nextafter(other[3], 2.0)
    for claim, factor in ((other, 1.0), (ALPHA, 1.5)):
        this, _ = a_round(B, factor=factor)
        assert not this.recall(claim)
        before = B.readings
        close(B.rmatvec(claim), matrix().T @ claim)
        assert B.readings == before + 1


def test_zeros_of_the_other_sign_are_another_answer():
    B, zeros = blocked(), np.zeros(N)
    this, _ = a_round(B, factor=0.0)
    assert not this.recall(-zeros * np.sign(ALPHA)) and this.recall(ALPHA * 0.0)


answers = []


def remembers_its_answer(place, storages, w, common, own):
    answers.append(place.beside.copy())
    return None, answers[-1]


def test_an_answer_and_the_weights_cannot_be_changed_afterwards():
    B, w = blocked(), W.copy()
    places = B.place([0, 5], [ALPHA])
    answers.clear()
    this = B.round(remembers_its_answer, None, w, places)
    w += 1.0
    list(this)
    answers[0] += 1.0
    assert not this.recall(ALPHA + 1.0)
    close(B.matvec(W), matrix() @ W)
    close(B.matvec(w), matrix() @ w)
    close(B.rmatvec(ALPHA + 1.0), matrix().T @ (ALPHA + 1.0))


def writes_into_its_products(place, storages, w, common, own):
    for product in place.products(w, storages):
        product += 1.0
    return None, place.beside


def replaces_its_products(place, storages, w, common, own):
    place.products(w, storages)[0] = np.zeros(storages[0].shape[0])
    return None, place.beside


@pytest.mark.parametrize(
    ("task", "error"), [(writes_into_its_products, ValueError), (replaces_its_products, TypeError)]
)
def test_products_cannot_be_written_to(task, error):
    B = blocked()
    with pytest.raises(error, match=r"read-only|does not support item assignment"):
        list(B.round(task, W, W, B.place([0, 5], [ALPHA])))
    close(B.matvec(W), matrix() @ W)


def test_a_product_at_other_weights_is_not_mistaken_for_the_rounds():
    B, w = blocked(), W.copy()
    places = B.place([0, 5], [ALPHA])
    list(B.round(says, 1.0, w, places))
    (place,) = [kept.content for kept in places.away]
    w += 1.0  # in place: the vector that the round was given
    close(np.concatenate(place.products(w, place.storages())), matrix() @ w)


def too_few(place, storages, w, common, own):
    return None, place.beside[1:]


def test_what_is_no_answer_is_refused():
    B, other = blocked(), blocked()
    with pytest.raises(ValueError, match="a coefficient for each of 23 rows"):
        list(B.round(too_few, None, W, B.place([0, 5], [ALPHA])))
    with pytest.raises(ValueError, match="places that this storage has made"):
        B.round(says, 1.0, W, other.place([0, 5], [ALPHA]))
    for cuts in ([0, 4], [1, 5], [0, 3, 3, 5], [0, 3, 2, 5]):
        with pytest.raises(ValueError, match="cuts must go up from 0 to 5"):
            B.place(cuts, [ALPHA] * (len(cuts) - 1))


def test_a_round_that_was_left_or_is_over_tells_nothing():
    B = blocked()
    places = B.place([0, 2, 5], [ALPHA[:7], ALPHA[7:]])
    left = B.round(says, 1.0, W, places)
    next(iter(left))
    assert not left.recall(ALPHA)
    assert [each.found[0] for each in left] == [N - 7], "it goes on where it was left"
    assert list(left) == [] and left.recall(ALPHA)
    close(B.rmatvec(ALPHA), matrix().T @ ALPHA)


def test_of_standardised_columns_nothing_is_known_afterwards():
    columns = ColumnMap(np.full(D, 2.0), np.full(D, 0.5))
    B = blocked()
    Z = Standardized(B, columns)
    this, found = a_round(Z)
    close(np.concatenate([each.product for each in found]), ((matrix() - 0.5) * 2.0) @ W)
    close(sum(each.adjoint for each in found), ((matrix() - 0.5) * 2.0).T @ ALPHA)
    assert not this.recall(ALPHA)
    close(Z.rmatvec(ALPHA), ((matrix() - 0.5) * 2.0).T @ ALPHA)
