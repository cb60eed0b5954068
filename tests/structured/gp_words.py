"""Small problems of Gaussian-process sequences, and everything about them by enumeration in fifty digits."""

from __future__ import annotations

from decimal import Decimal, localcontext
from itertools import pairwise, product

import numpy as np

from pragam.structured.gp import FactorScores, GramScores, Rules, gp_sequences

DIGITS = 50


def drawn(seed, kind="gram", precision=np.float64, lam=None, K=None, size=1.0, has_rules=False):
    """A random problem of a few short sequences, one of them of a single token.

    With rules, all labels of the problem keep to these and about half of the transitions and starts are forbidden.
    """
    rng = np.random.default_rng(seed)
    K = int(rng.integers(2, 4)) if K is None else K
    lengths = np.append(rng.integers(1, 5, int(rng.integers(1, 4))), 1)
    N = int(lengths.sum())
    X = size * rng.standard_normal((N, 3))
    tau, lam = float(rng.uniform(0.1, 2)), float(10 ** rng.uniform(-3, 0)) if lam is None else lam
    if kind == "gram":
        A = GramScores(np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2)).astype(precision), K, tau)
    else:
        A = FactorScores(X.astype(precision), K, tau)
    labels = rng.integers(0, K, N)
    return gp_sequences(A, labels, lengths, lam, rules_of(labels, lengths, K, rng) if has_rules else None)


def rules_of(labels, lengths, K, rng):
    """Random ones that these labels keep to, and some others."""
    transitions, starts, ends = rng.random((K, K)) < 0.4, rng.random(K) < 0.4, rng.random(K) < 0.6
    last = np.cumsum(lengths) - 1
    first = last - lengths + 1
    to = np.setdiff1d(np.arange(len(labels)), first)
    for some in (labels, (labels + 1) % K):
        starts[some[first]] = ends[some[last]] = transitions[some[to - 1], some[to]] = True
    return Rules(transitions, starts, ends)


def exact(values):
    """An array of floats as an array of Decimals, the same numbers."""
    return np.vectorize(Decimal, otypes=[object])(np.asarray(values, dtype=np.float64))


def exact_scores(A, w):
    """F and T of weights, and |w|^2."""
    N, K = A.n_tokens, A.K
    rows = N if isinstance(A, GramScores) else A.n_features
    nodes, edges = exact(w[: rows * K].reshape(rows, K)), exact(w[rows * K :].reshape(K, K))
    if isinstance(A, GramScores):
        F = exact(A.gram) @ nodes + Decimal(A.nugget) * nodes
        return F, Decimal(A.tau) * edges, (F * nodes).sum() + Decimal(A.tau) * (edges * edges).sum()
    # sqrt(tau) as stored is part of the operator.
    return exact(A.features) @ nodes, Decimal(A.root) * edges, (nodes * nodes).sum() + (edges * edges).sum()


def labellings(F, T, rules=None):
    """(labels, score) of all labellings of one sequence that are allowed."""
    for y in product(range(F.shape[1]), repeat=len(F)):
        if rules is not None and not (rules.starts[y[0]] and rules.ends[y[-1]]):
            continue
        if rules is not None and not all(rules.transitions[pair] for pair in pairwise(y)):
            continue
        nodes = sum(F[t, k] for t, k in enumerate(y))
        yield y, nodes + sum((T[a, b] for a, b in pairwise(y)), 0 * T[0, 0])


def sequences(Q):
    for first, length in zip(Q.first.tolist(), Q.lengths.tolist(), strict=True):
        yield slice(first, first + length)


def exact_primal(problem, w):
    """J(w) in many digits."""
    with localcontext() as context:
        context.prec = DIGITS
        F, T, square = exact_scores(problem.A, w)
        risk = Decimal(0)
        for own in sequences(problem.Q):
            truth = tuple(problem.Q.labels[own].tolist())
            all_of_them = dict(labellings(F[own], T, problem.Q.rules))
            risk += sum(score.exp() for score in all_of_them.values()).ln() - all_of_them[truth]
        return Decimal(problem.lam) / 2 * square + risk / problem.Q.n


def distribution(point, own, i):
    """{labelling: probability} of one sequence of a dual point, in many digits."""
    if hasattr(point, "scores"):
        scores = labellings(exact(point.scores[own]), exact(point.transitions), point.rules)
        weights = {y: score.exp() for y, score in scores}
    else:
        tables, start = exact(point.tables[own]), exact(point.starts[i])
        weights = {}
        for y in product(range(len(start)), repeat=own.stop - own.start):
            p = start[y[0]]
            for t, (a, b) in enumerate(pairwise(y)):
                p *= tables[t, a, b] / tables[t, a].sum()
            weights[y] = p
    total = sum(weights.values())
    return {y: weight / total for y, weight in weights.items()}


def exact_dual(problem, point):
    """D of a dual point in many digits."""
    Q, A = problem.Q, problem.A
    with localcontext() as context:
        context.prec = DIGITS
        alpha, entropy = -exact(Q.truth), Decimal(0)
        nodes, edges = alpha[: Q.n_tokens * Q.K].reshape(-1, Q.K), alpha[Q.n_tokens * Q.K :].reshape(Q.K, Q.K)
        for i, own in enumerate(sequences(Q)):
            for y, p in distribution(point, own, i).items():
                entropy -= p * p.ln() if p else 0
                for t, k in enumerate(y):
                    nodes[own.start + t, k] += p
                for a, b in pairwise(y):
                    edges[a, b] += p
        if isinstance(A, GramScores):
            square = (nodes * (exact(A.gram) @ nodes + Decimal(A.nugget) * nodes)).sum()
            square += Decimal(A.tau) * (edges * edges).sum()
        else:
            u = exact(A.features).T @ nodes
            square = (u * u).sum() + Decimal(A.root) ** 2 * (edges * edges).sum()
        return entropy / Q.n - square / (2 * Decimal(problem.lam) * Q.n**2)
