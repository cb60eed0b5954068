"""The dual variables of Gaussian-process sequences: moments of distributions over labellings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pragam.numerics.rounding import gamma
from pragam.polytopes.base import Polytope, Repair, Vector
from pragam.structured.gp.points import GibbsPoint, Indices, TablePoint
from pragam.structured.inference import ChainScores, best_labels
from pragam.structured.rules import Rules

#: A label ahead of all others by this much has all the probability: exp(-800) is 0 in float64.
_CERTAIN = 800.0


class ChainMoments(Polytope):
    r"""Q = {((P - Y) / n, (E - C) / n)}: P and E are the node and summed edge marginals of distributions over the
    labellings of n sequences, Y and C those of the true labels. With ``rules``, of labellings that keep to them.

    A point has N K + K^2 coordinates, in this order, for N tokens and K labels. That it is in Q is known by a
    description of the distributions: a :class:`GibbsPoint` or a :class:`TablePoint`.
    """

    rigorous = True
    lacks = frozenset({"project", "prox", "maximise_linear", "combine"})

    def __init__(self, labels: Indices, lengths: Indices, K: int, rules: Rules | None = None) -> None:
        self.labels, self.lengths, self.K, self.rules = labels, lengths, K, rules
        if rules is not None:
            self.lacks = self.lacks | {"truth_and_noise"}
        self.n, self.n_tokens = len(lengths), len(labels)
        self.size = self.n_tokens * K + K * K
        ends = np.cumsum(lengths)
        inner = np.ones(self.n_tokens, dtype=bool)
        inner[ends - lengths] = False
        self.first, to = ends - lengths, np.flatnonzero(inner)
        self.truth = np.zeros(self.size)
        nodes, edges = self.parts(self.truth)
        nodes[np.arange(self.n_tokens), labels] = 1.0
        np.add.at(edges, (labels[to - 1], labels[to]), 1.0)

    def parts(self, x: Vector) -> tuple[Vector, Vector]:
        """What belongs to nodes, (N, K), and to transitions, (K, K): views."""
        at = self.n_tokens * self.K
        return x[:at].reshape(self.n_tokens, self.K), x[at:].reshape(self.K, self.K)

    def posterior(self, s: Vector) -> GibbsPoint:
        """The distributions that attain max <alpha, s> - g(alpha): those of the scores s."""
        return GibbsPoint(*self.parts(s), self.lengths, self.rules)

    def truth_and_noise(self, share: float) -> TablePoint:
        """The true labels, but for this share of the uniform distribution."""
        starts, tables = np.zeros((self.n, self.K)), np.zeros((self.n_tokens, self.K, self.K))
        starts[np.arange(self.n), self.labels[self.first]] = 1 - share
        tables[np.arange(self.n_tokens - 1), self.labels[:-1], self.labels[1:]] = 1 - share
        return TablePoint(tables + share / self.K**2, starts + share / self.K, self.lengths)

    def start(self) -> GibbsPoint:
        """The truth: D = 0 there, and J >= 0."""
        return GibbsPoint(_CERTAIN * self.parts(self.truth)[0], np.zeros((self.K, self.K)), self.lengths, self.rules)

    def point(self, alpha: Any) -> Any:
        tokens, K = self.n_tokens, self.K
        fits = {
            GibbsPoint: lambda: (alpha.scores.shape, alpha.transitions.shape) == ((tokens, K), (K, K)),
            TablePoint: lambda: (alpha.tables.shape, alpha.starts.shape) == ((tokens, K, K), (self.n, K)),
        }
        if type(alpha) not in fits:
            raise ValueError(f"alpha must be a GibbsPoint or a TablePoint, not a {type(alpha).__name__}")
        if not fits[type(alpha)]() or not np.array_equal(alpha.lengths, self.lengths):
            raise ValueError(f"alpha does not belong to {self.n} sequences of {tokens} tokens and {K} labels")
        if isinstance(alpha, TablePoint) and not alpha.is_distribution:
            raise ValueError("alpha is not in Q: its tables and starts must be finite numbers >= 0")
        if self.rules is not None:
            return self._allowed(alpha)
        return alpha if isinstance(alpha, TablePoint) or alpha.rules is None else replace(alpha, rules=None)

    def _allowed(self, alpha: Any) -> Any:
        """Scores are of the allowed labellings here, whatever they were of; tables must have no mass elsewhere."""
        assert self.rules is not None
        if isinstance(alpha, GibbsPoint):
            return alpha if alpha.rules is self.rules else replace(alpha, rules=self.rules)
        forbidden = ~self.rules.transitions
        wrong = alpha.tables[:, forbidden].any() or alpha.starts[:, ~self.rules.starts].any()
        if wrong or alpha.moments.edges[forbidden].any() or self._ends_wrong(alpha, ~self.rules.ends):
            raise ValueError("alpha is not in Q: it gives some probability to forbidden labellings")
        return alpha

    def _ends_wrong(self, alpha: TablePoint, forbidden: Any) -> bool:
        """Whether a sequence may end with one of these labels: what leads to its last token must not name them."""
        last, is_long = self.first + self.lengths - 1, self.lengths > 1
        into = alpha.tables[last[is_long] - 1][..., forbidden].any() or alpha.starts[~is_long][:, forbidden].any()
        return bool(into or alpha.moments.nodes[last][:, forbidden].any())

    def coordinates(self, alpha: Any) -> Vector:
        x = np.empty(self.size)
        for part, found in zip(self.parts(x), alpha.marginals, strict=True):
            part[:] = found
        x -= self.truth
        x /= self.n
        return x

    def repair(self, alpha: Any) -> Repair:
        x, moments = self.coordinates(alpha), alpha.moments
        sane = np.isfinite(x).all() and min(moments.nodes.min(), moments.edges.min()) >= 0
        if not sane:
            raise ValueError("alpha is not in Q: its marginals are no finite numbers >= 0")
        lengths = np.linalg.norm(moments.nodes), np.linalg.norm(moments.edges), np.linalg.norm(self.truth)
        errors = moments.nodes_error, moments.edges_error, 0.0
        moved = sum((error + gamma(3)) * length for error, length in zip(errors, lengths, strict=True))
        return Repair(x, distance=1.01 * float(moved) / self.n)

    def log_loss(self, s: Vector, point: GibbsPoint) -> float:
        """(1/n) sum_i log Z_i - <truth, s>, the risk at the scores s whose posterior is ``point``."""
        return float(point.log_z.sum() - self.truth @ s) / self.n

    def best_labels(self, s: Vector) -> Indices:
        """A labelling of the highest score for each sequence."""
        parts = self.parts(s)
        nodes, edges = parts if self.rules is None else self.rules.masked(*parts, self.lengths)
        none = np.zeros(self.K)
        return best_labels(ChainScores(nodes, edges, none, none, self.lengths))[0]

    # What a set of vectors has, in coordinates ----------------------------------------------------------------------

    def violation(self, alpha: Any) -> float:
        return 0.0 if isinstance(alpha, (GibbsPoint, TablePoint)) else np.inf

    def contains(self, alpha: Any, tol: float = 1e-12) -> bool:
        return self.violation(alpha) <= tol

    def project(self, v: Vector) -> Vector:
        raise NotImplementedError("moments of chains have no projection here: see lacks")

    def maximise_linear(self, s: Vector) -> Vector:
        raise NotImplementedError("a labelling is no point that the entropy is finite next to: see lacks")

    def support(self, s: Vector, kappa: Any = 0.0) -> float:
        labels = self.best_labels(s)
        return float(s @ ChainMoments(labels, self.lengths, self.K).truth - s @ self.truth) / self.n

    def radius2(self, centre: Vector | None = None) -> float:
        lengths = np.concatenate([self.lengths, [self.n_tokens**2]]).astype(np.float64)
        return float(2 * lengths.sum()) / self.n**2

    def sample(self, rng: np.random.Generator) -> Any:
        scores = rng.standard_normal(self.size) * 10.0 ** rng.uniform(-1, 1)
        return self.posterior(scores)
