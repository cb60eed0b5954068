"""What an algorithm needs at run time, by dotted names, is what its type says of the problem."""

from __future__ import annotations

from inspect import get_annotations
from types import UnionType
from typing import Any, get_args, get_origin

import numpy as np
import pytest

import pragam
from pragam import solvers
from pragam.conjugates import Conjugate
from pragam.structured import chain_hinge, graph_hinge
from pragam.structured.gp import FactorScores, GramScores, gp_sequences
from pragam.structured.graphs.graph import Graph

METHODS = [type(solvers.by_name(name)) for name in solvers.names()]


def classes_of(stated):
    """The classes that a type stands for: one, or those of a union."""
    if isinstance(stated, UnionType):
        return get_args(stated)
    return (get_origin(stated) or stated,)


def stated_parts(method):
    """The types of A, Q and g of the problems that an algorithm is stated for."""
    (problem,) = (get_args(base)[0] for base in method.__orig_bases__ if get_origin(base) is solvers.Solver)
    return dict(zip("AQ", map(classes_of, get_args(problem)), strict=True)) | {"g": (Conjugate,)}


def declares(kind, name):
    return any(name in vars(each) or name in get_annotations(each) for each in kind.__mro__)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_the_stated_types_have_all_that_is_needed(method):
    parts = stated_parts(method)
    assert Any not in parts["A"] and Any not in parts["Q"]
    for need in method.needs:
        part, name = need.split(".")
        for kind in parts[part]:
            assert declares(kind, name), f"{method.name} needs {need}, which its type {kind.__name__} does not have"


def problems():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((12, 3)), np.arange(12) % 3
    sequences = [rng.standard_normal((3, 2)), rng.standard_normal((2, 2))]
    labels = [np.array([0, 1, 0]), np.array([1, 1])]
    trees = [Graph(x, np.array([[0, 1]]), tags) for x, tags in zip(sequences, labels, strict=True)]
    yield "hinge", pragam.hinge(X, y > 0, bias=False)
    yield "smoothed hinge", pragam.smoothed_hinge(X, y > 0, 0.5)
    yield "multiclass", pragam.multiclass_hinge(X, y)
    yield "multiclass with biases", pragam.multiclass_hinge(X, y, bias=True)
    yield "epsilon-insensitive", pragam.epsilon_insensitive(X, y.astype(float))
    yield "chains", chain_hinge(sequences, labels)
    yield "unfolded chains", (chains := chain_hinge(sequences, labels)).Q.unfold(chains)
    yield "trees", graph_hinge(trees)
    numbers, lengths = np.array([0, 1, 0, 1, 1]), np.array([3, 2])
    yield "sequences under a Gram matrix", gp_sequences(GramScores(np.eye(5), 2, 0.3), numbers, lengths, 0.1)
    yield "sequences of features", gp_sequences(FactorScores(np.eye(5), 2, 0.3), numbers, lengths, 0.1)


PROBLEMS = dict(problems())


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_problem_that_fits_is_of_the_stated_type(method, name):
    problem = PROBLEMS[name]
    if not solvers.by_name(method.name).missing(problem):
        for part, kinds in stated_parts(method).items():
            assert isinstance(getattr(problem, part), kinds)
