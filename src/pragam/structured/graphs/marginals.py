"""The dual variables of max-margin graph labelling: locally consistent marginals for each graph."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from pragam.polytopes.base import Curvature, Polytope, Vector
from pragam.polytopes.box import relative
from pragam.structured.graphs.clique_graph import CliqueGraph
from pragam.structured.graphs.forest import best_of_forest
from pragam.structured.graphs.projection import project_flat
from pragam.structured.graphs.values import highest, relaxed_best
from pragam.structured.graphs.wiring import Indices, Wiring

#: The residual of a constraint, of marginals that sum to 1, at which a projection ends.
_TOL = 1e-12


class GraphMarginals(Polytope):
    r"""Q = product over graphs i of totals_i times its locally consistent marginals (p, q):

        p_v(k) >= 0,   sum_k p_v(k) = 1,   q_uv(k, l) >= 0,   sum_l q_uv(k, l) = p_u(k),   sum_k q_uv(k, l) = p_v(l).

    All nodes come first, then all edges. The vertices are the labellings if no graph has a cycle; otherwise others are
    among them, and the set is a relaxation.
    """

    def __init__(self, totals: Vector, wiring: Wiring, K: int) -> None:
        self.totals, self.wiring, self.K = totals, wiring, K
        self.size = wiring.n_nodes * K + len(wiring.edges) * K * K
        self.exact = bool(wiring.is_forest.all())
        self._scale = np.concatenate(
            [np.repeat(totals[wiring.graph_of_node], K), np.repeat(totals[wiring.graph_of_edge], K * K)]
        )

    @property
    def is_bounded(self) -> bool:
        return True

    @cached_property
    def _cliques(self) -> CliqueGraph:
        nodes = [(v,) for v in range(self.wiring.n_nodes)]
        return CliqueGraph([*nodes, *map(tuple, self.wiring.edges.tolist())], [self.K] * len(nodes))

    def parts(self, x: Vector) -> tuple[Vector, Vector]:
        """Those of nodes (N, K) and edges (E, K, K), views."""
        first = self.wiring.n_nodes * self.K
        return x[:first].reshape(-1, self.K), x[first:].reshape(-1, self.K, self.K)

    def violation(self, alpha: Vector) -> float:
        if np.isnan(alpha).any():
            return np.inf
        p, q = self.parts(alpha)
        u, v = self.wiring.edges.T
        masses = p.sum(axis=1) - self.totals[self.wiring.graph_of_node]
        gaps = (masses, q.sum(axis=2) - p[u], q.sum(axis=1) - p[v])
        worst = max(-float(alpha.min(initial=0.0)), *(float(np.abs(gap).max(initial=0.0)) for gap in gaps))
        return relative(worst, float(self.totals.max(initial=0.0)))

    def project(self, v: Vector) -> Vector:
        """totals_i times the projection of v_i / totals_i."""
        m = np.divide(v, self._scale, out=np.zeros(self.size), where=self._scale > 0)
        ones, start = np.ones(len(self._cliques.cliques)), np.zeros(self._cliques.n_potentials)
        return self._scale * project_flat(self._cliques, m, ones, _TOL, start)

    def maximise_linear(self, s: Vector) -> Vector:
        """With cycles, a point that about attains the maximum."""
        nodes, tables = self.parts(s)
        if self.exact:
            return self.indicator(best_of_forest(self.wiring, nodes, tables)[1])
        return self._scale * relaxed_best(self.wiring, nodes, tables)

    def support(self, s: Vector, kappa: Curvature = 0.0) -> float:
        """With cycles, an upper bound."""
        if np.any(kappa):
            alpha = self.project(s / kappa)
            return float(np.sum(alpha * (s - 0.5 * kappa * alpha)))
        return float(self.totals @ highest(self.wiring, self.exact, *self.parts(s))[0])

    def indicator(self, labels: Indices) -> Vector:
        """A labelling of all graphs."""
        out = np.zeros(self.size)
        p, q = self.parts(out)
        ends = labels[self.wiring.edges]
        p[np.arange(len(p)), labels] = 1.0
        q[np.arange(len(q)), ends[:, 0], ends[:, 1]] = 1.0
        return self._scale * out

    def radius2(self, centre: Vector | None = None) -> float:
        """In 1/2 |v - c|^2 a vertex v has the scores -c, beside what is at most that of a labelling."""
        c = np.zeros(self.size) if centre is None else centre
        squares = float(c @ c) + float(self.totals**2 @ (self.wiring.sizes + self.wiring.n_edges))
        return (0.5 * squares + self.support(-c)) * (1 + 1e-13)

    def sample(self, rng: np.random.Generator) -> Vector:
        """A random mixture of three random labellings, or one of them."""
        shares = rng.dirichlet(np.ones(3)) if rng.random() < 0.7 else np.array([1.0, 0.0, 0.0])
        drawn = [self.indicator(rng.integers(0, self.K, self.wiring.n_nodes)) for _ in shares]
        return np.asarray(sum(share * one for share, one in zip(shares, drawn, strict=True)), dtype=np.float64)
