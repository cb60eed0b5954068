"""Sequences as a problem: against all labellings written out, in rational numbers, and against Clarabel."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from scipy import sparse

import pragam
from clarabel_qp import solve_qp
from pragam.structured import chain_hinge


class Drawn:
    """A small random problem, and everything about it by enumeration."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        n, self.K, d = int(rng.integers(1, 5)), int(rng.integers(2, 4)), int(rng.integers(1, 4))
        self.lengths = rng.integers(1, 5, n)
        N = int(self.lengths.sum())
        self.X = rng.standard_normal((N, d)) * 10.0 ** rng.integers(-3, 4)
        self.y = rng.integers(0, self.K, N)
        self.lam = float(10 ** rng.uniform(-3, 1))
        self.cost = rng.exponential(size=(self.K, self.K))
        np.fill_diagonal(self.cost, 0.0)
        self.weights = rng.exponential(size=n) * (rng.random(n) < 0.8)
        self.weights[0] = 1.0
        stored = [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array][rng.integers(4)](self.X)
        self.problem = chain_hinge(
            stored, self.y, self.lengths, self.lam, self.cost, list(range(self.K)), sample_weight=self.weights
        )

    def labellings(self, i):
        """(features, loss) of every labelling of sequence i, the true one first, as Fractions: w -> <features, w>."""
        first, length = int(self.lengths[:i].sum()), int(self.lengths[i])
        truth = tuple(self.y[first : first + length].tolist())
        for labels in [truth, *product(range(self.K), repeat=length)]:
            features = [Fraction(0)] * self.problem.n_weights
            d, K = self.X.shape[1], self.K
            for t, label in enumerate(labels):
                for j in range(d):
                    features[label * d + j] += Fraction(float(self.X[first + t, j]))
            for one, two in pairwise(labels):
                features[K * d + one * K + two] += 1
            features[K * d + K * K + labels[0]] += 1
            features[K * d + K * K + K + labels[-1]] += 1
            loss = sum(Fraction(float(self.cost[a, b])) for a, b in zip(truth, labels, strict=True))
            yield features, loss

    def objective(self, w):
        """J(w), exactly."""
        w = [Fraction(float(x)) for x in w]
        value = Fraction(self.lam) / 2 * sum(x * x for x in w)
        for i, total in enumerate(self.problem.Q.totals.tolist()):
            (truth, _), *others = self.labellings(i)
            scores = [loss + sum((f - g) * x for f, g, x in zip(one, truth, w, strict=True)) for one, loss in others]
            value += Fraction(total) * max(scores)
        return value

    def optimum(self):
        """min J, by an interior-point solver over w and a slack for each sequence."""
        rows, right = [], []
        n, d = len(self.lengths), self.problem.n_weights
        for i in range(n):
            (truth, _), *others = self.labellings(i)
            for one, loss in others:
                rows.append(
                    [float(f - g) for f, g in zip(one, truth, strict=True)] + [-float(k == i) for k in range(n)]
                )
                right.append(-float(loss))
        P = np.diag(np.r_[np.full(d, self.lam), np.zeros(n)])
        return solve_qp(P, np.r_[np.zeros(d), self.problem.Q.totals], np.array(rows), np.array(right)).value


@pytest.mark.parametrize("first", range(0, 40, 8))
def test_certificates_hold_in_rational_arithmetic(first):
    for seed in range(first, first + 8):
        drawn = Drawn(seed)
        result = pragam.solve(drawn.problem, "qp-bmrm", tol=1e-9, max_iter=3000)
        proof, J = result.certificate, drawn.objective(result.w)
        assert proof.rigorous and proof == pragam.certify(drawn.problem, result.w, result.alpha)
        assert Fraction(proof.dual) <= J <= Fraction(proof.primal), seed
        for w in (np.zeros_like(result.w), np.random.default_rng(seed).standard_normal(len(result.w))):
            J = drawn.objective(w)
            assert (
                J
                <= Fraction(pragam.certify(drawn.problem, w).primal)
                <= J * (1 + Fraction(1, 10**9)) + Fraction(1, 10**12)
            )
            assert Fraction(proof.dual) <= J


@pytest.mark.parametrize("seed", range(30))
def test_the_optimum_is_clarabels(seed):
    drawn = Drawn(100 + seed)
    drawn.X /= np.abs(drawn.X).max()
    drawn.problem = chain_hinge(
        drawn.X, drawn.y, drawn.lengths, 0.1, drawn.cost, list(range(drawn.K)), sample_weight=drawn.weights
    )
    drawn.lam = 0.1
    result = pragam.solve(drawn.problem, tol=1e-8)
    assert result.converged and result.certificate.primal == pytest.approx(drawn.optimum(), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_the_adjoint_and_the_bounds_of_rounding(seed):
    drawn, rng = Drawn(seed), np.random.default_rng(seed)
    A = drawn.problem.Q.unfold(drawn.problem).A
    w, alpha = rng.standard_normal(A.shape[1]), rng.standard_normal(A.shape[0])
    assert A.matvec(w) @ alpha == pytest.approx(w @ A.rmatvec(alpha), rel=1e-10, abs=1e-10)
    dense = np.stack([A.matvec(e) for e in np.eye(A.shape[1])], axis=1)
    assert (np.linalg.norm(dense, axis=1) <= A.row_norms()).all()
    assert np.linalg.norm(dense, 2) <= A.norm_bound()
    assert (np.abs(A.matvec(w) - dense @ w) <= 2 * A.matvec_error(w)).all()
    assert np.linalg.norm(A.rmatvec(alpha) - dense.T @ alpha) <= 2 * A.rmatvec_error(alpha) + 1e-12


@pytest.mark.parametrize("solver", ["pragam", "ls-bmrm", "qp-bmrm", "pegasos-n"])
def test_the_papers_solvers_run_on_sequences_unchanged(solver):
    rng = np.random.default_rng(3)
    problem = chain_hinge(rng.standard_normal((12, 3)), rng.integers(0, 3, 12), [4, 3, 5], lam=1.0)
    result = pragam.solve(problem, solver, tol=1e-2, max_iter=5000)
    best = pragam.solve(problem, "qp-bmrm", tol=1e-8)
    assert result.converged and result.certificate.rigorous
    assert result.certificate.dual <= best.certificate.primal and best.certificate.dual <= result.certificate.primal


def test_lists_and_labels_are_the_flat_form():
    rng = np.random.default_rng(0)
    lengths = [3, 1, 4]
    X = rng.standard_normal((8, 2))
    y = np.array(list("abacabba"))
    ends = np.cumsum(lengths)[:-1]
    flat = chain_hinge(X, y, lengths, 0.1)
    listed = chain_hinge(list(np.split(X, ends)), [part.tolist() for part in np.split(y, ends)], lam=0.1)
    more = chain_hinge(X, y, lengths, 0.1, labels=["a", "b", "c", "unseen"])
    values = [pragam.solve(problem, tol=1e-9).certificate.primal for problem in (flat, listed)]
    assert values[0] == values[1] and more.Q.structure.K == 4
    unfolded = [chain_hinge(X, y, lengths, 0.1, loss) for loss in ("hamming_mean", "hamming_sum")]
    mean, total = (problem.Q.unfold(problem).c for problem in unfolded)
    assert np.allclose(mean, total / np.repeat([3, 3, 4, 4, 4, 1], [9, 9, 9, 9, 9, 3]))
    heavy = chain_hinge(X, y, lengths, 0.1, token_weight=np.full(8, 2.0))
    assert np.array_equal(heavy.Q.unfold(heavy).c, 2 * flat.Q.unfold(flat).c)


X0 = np.zeros((3, 2))
BAD = {
    "lengths must say": (X0, [0, 1, 0], {}),
    "y has 2 labels": (X0, [0, 1], {"lengths": [3]}),
    "X has 3 rows": (X0, [0, 1, 0, 1], {"lengths": [4]}),
    "sequence 1: it is empty": (X0, [0, 1, 0], {"lengths": [3, 0]}),
    "lengths must be a list of whole numbers": (X0, [0, 1, 0], {"lengths": [1.5, 1.5]}),
    "sequence 1: X has the shape": ([X0[:1], X0[:2]], [[0], [1]], {}),
    "y must be a list": ([X0], [0, 1, 0, 1], {}),
    "y must have at least two labels": (X0, [0, 0, 0], {"lengths": [3]}),
    "which is not among labels": (X0, [0, 1, 7], {"lengths": [3], "labels": [0, 1]}),
    "labels must hold different": (X0, [0, 1, 0], {"lengths": [3], "labels": [0, 0, 1]}),
    "loss must be one of": (X0, [0, 1, 0], {"lengths": [3], "loss": "zero_one"}),
    "loss must be a 2 x 2 matrix": (X0, [0, 1, 0], {"lengths": [3], "loss": np.ones((2, 2))}),
    "sample_weight must hold 1": (X0, [0, 1, 0], {"lengths": [3], "sample_weight": [1.0, 2.0]}),
    "token_weight must hold 3": (X0, [0, 1, 0], {"lengths": [3], "token_weight": [-1.0, 2.0, 1.0]}),
    "NaN": (np.full((3, 2), np.nan), [0, 1, 0], {"lengths": [3]}),
    "lam": (X0, [0, 1, 0], {"lengths": [3], "lam": -1.0}),
}


@pytest.mark.parametrize("message", BAD)
def test_a_bad_argument_is_named(message):
    X, y, keywords = BAD[message]
    with pytest.raises(ValueError) as refused:
        chain_hinge(X, y, **keywords)
    assert message in str(refused.value)
