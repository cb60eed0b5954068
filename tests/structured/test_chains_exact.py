"""Certificates of sequences in rational arithmetic: J and D of the stored numbers, at any scale and in every form."""

from __future__ import annotations

import os
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.structured import Labellings, TrellisFlow, chain_hinge

SEEDS, FIRST = int(os.environ.get("PRAGAM_SEEDS", "60")), int(os.environ.get("PRAGAM_FIRST_SEED", "0"))


class Drawn:
    """A small random problem, badly scaled at times."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        n, K, d = int(rng.integers(1, 5)), int(rng.integers(2, 4)), int(rng.integers(1, 4))
        lengths = rng.integers(1, 5, n)
        N = int(lengths.sum())
        y = rng.integers(0, K, N)
        scale = 10.0 ** rng.integers(-3, 4) if rng.random() < 0.7 else 10.0 ** rng.integers(-100, 100)
        self.X = rng.standard_normal((N, d)) * scale * (rng.random((N, d)) < 0.8)
        self.E = rng.standard_normal((N - n, 2)) * 10.0 ** rng.integers(-2, 3) if rng.random() < 0.4 else None
        keywords = {} if self.E is None else {"edge_features": self.E}
        if rng.random() < 0.5:
            allowed, first = rng.random((K, K)) < 0.6, np.r_[0, np.cumsum(lengths)]
            for i in range(n):
                own = y[first[i] : first[i + 1]]
                allowed[own[:-1], own[1:]] = True
            keywords["transitions"] = allowed
        if rng.random() < 0.5:
            keywords["sample_weight"] = rng.exponential(size=n)
        if rng.random() < 0.5:
            keywords["token_weight"] = rng.exponential(size=N) * 10.0 ** rng.integers(-3, 4)
        cost = rng.exponential(size=(K, K)) * (1 - np.eye(K))
        stored = [np.asarray, sparse.csr_array, sparse.csc_array][rng.integers(3)](self.X)
        lam = float(10 ** rng.uniform(-6, 2))
        self.problem = chain_hinge(stored, y, lengths, lam, cost, list(range(K)), **keywords)
        self.model, self.rng = self.problem.Q.structure, rng
        self.labellings = [dict(self._labellings(i)) for i in range(n)]

    def _labellings(self, i):
        """labels -> (features, loss) of the allowed labellings of sequence i, exactly; features by place."""
        model = self.model
        K, d, tokens = model.K, model.n_features, range(model.first_token[i], model.first_token[i + 1])
        ends = K * d + (1 + model.n_edge_features) * K * K
        for labels in product(range(K), repeat=len(tokens)):
            pairs = list(pairwise(labels))
            if model.rules is not None and not all(model.rules.transitions[pair] for pair in pairs):
                continue
            terms = [(k * d + j, self.X[t, j]) for t, k in zip(tokens, labels, strict=True) for j in range(d)]
            terms += [(K * d + a * K + b, 1) for a, b in pairs]
            if self.E is not None:
                at = enumerate(pairs, model.first_edge[i])
                terms += [(K * d + (1 + f) * K * K + a * K + b, self.E[e, f]) for e, (a, b) in at for f in range(2)]
            features = {}
            for place, value in [*terms, (ends + labels[0], 1), (ends + K + labels[-1], 1)]:
                features[place] = features.get(place, 0) + Fraction(float(value))
            loss = sum(
                Fraction(float(model.token_scale[t])) * Fraction(float(model.cost[model.labels[t], k]))
                for t, k in zip(tokens, labels, strict=True)
            )
            yield labels, (features, loss)

    def truth(self, i):
        own = self.model.labels[self.model.first_token[i] : self.model.first_token[i + 1]]
        return self.labellings[i][tuple(own.tolist())][0]

    def primal(self, w):
        """J(w), exactly."""
        w = [Fraction(float(x)) for x in w]
        value = Fraction(self.problem.lam) / 2 * sum(x * x for x in w)
        for i, own in enumerate(self.labellings):
            truth = sum(x * w[place] for place, x in self.truth(i).items())
            best = max(loss + sum(x * w[place] for place, x in features.items()) for features, loss in own.values())
            value += Fraction(float(self.model.totals[i])) * (best - truth)
        return value

    def dual(self, shares):
        """D of a distribution {labels: probability} for each sequence, exactly."""
        expected, loss = {}, Fraction(0)
        for i, own in enumerate(shares):
            total = Fraction(float(self.model.totals[i]))
            for labels, share in own.items():
                features, cost = self.labellings[i][labels]
                loss += total * share * cost
                for sign, part in ((1, features), (-1, self.truth(i))):
                    for place, x in part.items():
                        expected[place] = expected.get(place, 0) + sign * total * share * x
        return loss - sum(x * x for x in expected.values()) / (2 * Fraction(self.problem.lam))

    def shares(self, point):
        """The distributions of a dual point."""
        model, out = self.model, []
        for i in range(model.n):
            own = slice(model.first_token[i], model.first_token[i + 1])
            if isinstance(point, TrellisFlow):
                out.append(paths(point, range(own.start, own.stop)))
                continue
            weights = [Fraction(float(w)) for w in np.broadcast_to(point.weights, (len(point.labels), model.n))[:, i]]
            found = {}
            for weight, labels in zip(weights, point.labels, strict=True):
                key = tuple(labels[own].tolist())
                found[key] = found.get(key, 0) + weight / sum(weights)
            out.append({key: share for key, share in found.items() if share})
        return out


def paths(flow, tokens):
    """A flow as labellings with probabilities: the Markov chain of its edges, which has the same expectations."""
    so_far = {(): Fraction(1)}
    for t in tokens:
        edges = [
            (int(flow.previous[e]), int(flow.label[e]), Fraction(int(flow.mass[e]), 2**30))
            for e in range(flow.first[t], flow.first[t + 1])
        ]
        following = {}
        for labels, share in so_far.items():
            out = [(b, mass) for a, b, mass in edges if not labels or a == labels[-1]]
            whole = sum(mass for _, mass in out)
            for b, mass in out:
                key = (*labels, b)
                following[key] = following.get(key, 0) + share * mass / whole
        so_far = following
    return so_far


@pytest.mark.parametrize("first", range(FIRST, FIRST + SEEDS, 10))
def test_no_certificate_is_false(first):
    for seed in range(first, first + 10):
        drawn = Drawn(seed)
        for solver in ("qp-bmrm", "flow-ascent"):
            result = pragam.solve(drawn.problem, solver, tol=1e-6, max_iter=150)
            proof = result.certificate
            assert proof.rigorous and isinstance(result.alpha, (Labellings, TrellisFlow))
            if np.isfinite(proof.primal):
                assert Fraction(proof.primal) >= drawn.primal(result.w), (seed, solver)
            if np.isfinite(proof.dual):
                assert Fraction(proof.dual) <= drawn.dual(drawn.shares(result.alpha)), (seed, solver)
            w = drawn.rng.standard_normal(drawn.problem.n_weights) * 10.0 ** drawn.rng.integers(-5, 5)
            judged = pragam.certify(drawn.problem, w, result.alpha)
            assert not np.isfinite(judged.primal) or Fraction(judged.primal) >= drawn.primal(w), (seed, solver)
