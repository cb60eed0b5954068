"""Killed at every writing, a solve returns the bits of one left alone: every solver, on every kind of problem."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from scipy import sparse

import pragam
from killed import lives, same_result
from pragam.driver.result import Status
from pragam.operators import check_data
from pragam.operators.storage import InMemory
from pragam.solvers import by_name, fitting, names
from pragam.solvers.dcd import single_precision, single_rows
from pragam.structured import Graph, Oracle, chain_hinge, graph_hinge, structured_hinge
from pragam.structured.gp import FactorScores, GramScores, gp_sequences
from zoo import PAIRS, ZOO

pytestmark = pytest.mark.filterwarnings("error:.*the checkpoint was not written")


def rows(n, d, density=1.0, noise=1.0, seed=0, binary=False):
    """(X, y) of two classes, sparse if few entries are wanted."""
    rng = np.random.default_rng(seed)
    if density == 1.0:
        X = rng.standard_normal((n, d))
    else:
        X = sparse.random(n, d, density, "csr", random_state=rng, data_rvs=rng.standard_normal)
        X.data[:] = 1.0 if binary else X.data
        X = sparse.csr_array(X)
    score = X @ rng.standard_normal(d)
    return X, np.where(score + noise * score.std() * rng.standard_normal(n) > 0, 1, -1)


def blocks(X, count=8):
    cuts = np.linspace(0, X.shape[0], count + 1).astype(int)
    return InMemory([check_data(X[a:b]) for a, b in pairwise(cuts)])


def tokens(seed=0, n=12, K=3, d=5):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 7, n)
    X = rng.standard_normal((int(lengths.sum()), d))
    return X, (X @ rng.standard_normal((d, K)) + rng.standard_normal((len(X), K))).argmax(axis=1), lengths


def chain(**more):
    X, y, lengths = tokens()
    return chain_hinge(X, y, lengths, 0.02, **more)


def graphs(has_cycles):
    rng = np.random.default_rng(1)
    edges = [(0, 1), (1, 2), (2, 0)] if has_cycles else [(0, 1), (1, 2)]
    made = [Graph(rng.standard_normal((3, 4)), edges, rng.integers(0, 3, 3)) for _ in range(6)]
    return graph_hinge(made, 0.05, 1.0 - np.eye(3), [0, 1, 2])


class Matching(Oracle):
    """Permutations, by enumeration; labellings are tuples."""

    def __init__(self, pairs):
        self.pairs = pairs

    def argmax(self, i, w):
        scores = self.pairs[i] @ w + 1.0 - np.eye(len(self.pairs[i]))
        return max(permutations(range(len(scores))), key=lambda y: scores[range(len(y)), list(y)].sum())

    def features(self, i, y):
        return self.pairs[i][range(len(y)), list(y)].sum(axis=0)

    def loss(self, i, y):
        return float(sum(k != label for k, label in enumerate(y)))

    def truth(self, i):
        return tuple(range(len(self.pairs[i])))


def matching():
    rng = np.random.default_rng(2)
    return structured_hinge(Matching([rng.standard_normal((3, 3, 4)) for _ in range(6)]), 6, 4, 0.1)


def gp(kind):
    X, y, lengths = tokens(3, n=8)
    gram = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2))
    return gp_sequences(GramScores(gram, 3, 0.7) if kind == "gram" else FactorScores(X, 3, 0.7), y, lengths, 0.05)


def labels(n=300, d=20, K=6, density=0.3):
    X, _ = rows(n, d, density)
    rng = np.random.default_rng(4)
    return X, (X @ rng.standard_normal((d, K)) + rng.standard_normal((n, K))).argmax(axis=1)


PROBLEMS = {
    "rows": lambda: pragam.hinge(*rows(1500, 20, noise=2.0), 1e-3, bias=True),
    "float32, columns in order": lambda: pragam.hinge(
        np.asfortranarray(rows(600, 20)[0], dtype=np.float32), rows(600, 20)[1], 1e-3
    ),
    "sparse": lambda: pragam.hinge(*rows(1500, 400, 0.03), 1e-4),
    "sparse columns": lambda: pragam.hinge(sparse.csc_array(rows(300, 60, 0.1)[0]), rows(300, 60, 0.1)[1], 1e-3),
    "binary": lambda: pragam.hinge(*rows(1500, 120, 0.05, binary=True), 1e-4, bias=True),
    "tube": lambda: pragam.epsilon_insensitive(
        rows(400, 8)[0], rows(400, 8)[0].sum(axis=1), 1e-3, epsilon=0.3, bias=True
    ),
    "squared": lambda: pragam.squared_hinge(*rows(800, 30, noise=2.0), 1e-4, bias=True),
    "extreme weights": lambda: pragam.hinge(*rows(60, 5), 1e-90, sample_weight=np.full(60, 1e-90)),
    "labels": lambda: pragam.multiclass_hinge(*labels(), 1e-3),
    "label sets": lambda: pragam.multilabel_hinge(
        labels()[0], np.eye(6, dtype=int)[labels()[1]], 1e-2, bias=True
    ),
    "levels": lambda: pragam.ordinal_hinge(rows(300, 6)[0], np.arange(300) % 4, 1e-2),
    "chain": chain,
    "chain, pairs": lambda: chain(edge_features=np.random.default_rng(0).standard_normal((len(tokens()[0]) - 12, 2))),
    "graph": lambda: graphs(False),
    "graph, cycles": lambda: graphs(True),
    "oracle": matching,
    "gram": lambda: gp("gram"),
    "factor": lambda: gp("factor"),
    "blocks": lambda: pragam.hinge(blocks(rows(2000, 6, noise=2.0)[0]), rows(2000, 6, noise=2.0)[1], 1e-3, bias=True),
    "sparse blocks": lambda: pragam.hinge(blocks(rows(2000, 30, 0.2)[0]), rows(2000, 30, 0.2)[1], 1e-3),
}  # fmt: skip
#: (problem, solver) for all that fit
LARGER = [(name, solver) for name, make in PROBLEMS.items() for solver in fitting(make())]


def check(monkeypatch, path, problem, solver, **options):
    """Equal bits, however often killed; and then the finished file says the same at once."""
    alone = pragam.solve(problem, solver, **options)
    found, deaths = lives(monkeypatch, lambda: pragam.solve(problem, solver, checkpoint=path, **options))
    assert same_result(alone, found) == []
    assert deaths >= min(alone.n_iter, 1)
    again = pragam.solve(problem, solver, checkpoint=path, **options)
    assert same_result(alone, again) == []
    return alone, deaths


def test_every_solver_is_met():
    assert {solver for _, solver in LARGER} | {solver for solver, _ in PAIRS} == set(names())


@pytest.mark.parametrize(("solver", "name"), PAIRS)
def test_the_zoo(solver, name, tmp_path, monkeypatch):
    check(monkeypatch, tmp_path / "c", ZOO[name](2).problem, solver, tol=1e-7, max_iter=8, random_state=3)


@pytest.mark.parametrize("name", ZOO)
def test_auto_and_its_hand_overs_on_the_zoo(name, tmp_path, monkeypatch):
    check(monkeypatch, tmp_path / "c", ZOO[name](3).problem, "auto", tol=1e-9, max_iter=20, random_state=1)


@pytest.mark.parametrize(("name", "solver"), LARGER)
def test_larger_problems_and_structures(name, solver, tmp_path, monkeypatch):
    check(monkeypatch, tmp_path / "c", PROBLEMS[name](), solver, tol=1e-6, max_iter=30, random_state=7)


@pytest.mark.parametrize("solver", ["auto", "dcd", "newton"])
@pytest.mark.parametrize("name", ["rows", "sparse", "binary"])
def test_a_warm_start_whose_rows_leave(name, solver, tmp_path, monkeypatch):
    problem = PROBLEMS[name]()
    start = pragam.solve(problem, "dcd", tol=1e-2)
    check(monkeypatch, tmp_path / "c", problem, solver, tol=1e-8, start=start, max_iter=25)


def test_rows_in_single_precision(tmp_path, monkeypatch):
    """Few columns and small data count as many and large here."""
    monkeypatch.setattr(single_precision, "_COLUMNS", 100)
    monkeypatch.setattr(single_rows, "_LEAST_NARROW", 0)
    X, y = rows(1500, 400, 0.03)
    for tol in (1e-2, 1e-3, 1e-5):
        check(monkeypatch, tmp_path / f"{tol}", pragam.hinge(X, y, 1e-2), "dcd", tol=tol)


def test_a_solver_that_fails_hands_over_again(tmp_path, monkeypatch):
    """Masses in whole numbers are too coarse for so small a gap: auto goes on with another one."""
    alone, _ = check(monkeypatch, tmp_path / "c", chain(), "auto", tol=1e-12, max_iter=150)
    assert alone.status is not Status.FAILED


def test_settings_of_solvers_of_ones_own(tmp_path, monkeypatch):
    problem = PROBLEMS["rows"]()
    method = by_name("dcd").__class__(shrinking=False, momentum=False)
    check(monkeypatch, tmp_path / "c", problem, method, tol=1e-3)
    with pytest.raises(ValueError, match="other settings of the solver"):
        pragam.solve(problem, "dcd", tol=1e-3, checkpoint=tmp_path / "c")
