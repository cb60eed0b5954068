"""Small random graph problems, and everything about them from the raw data, written out."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
from scipy import sparse

from clarabel_qp import solve_qp
from pragam.structured import Graph, graph_hinge


def tree_edges(count, rng):
    """A random tree over some nodes, its edges in random directions; a part is sometimes cut off."""
    edges = [(int(rng.integers(v)), v) for v in range(1, count)]
    edges = [edge[:: int(rng.choice([1, -1]))] for edge in edges]
    return edges if rng.random() < 0.8 else edges[1:]


def add_cycles(edges, count, rng):
    """Up to two more edges."""
    have = {frozenset(edge) for edge in edges}
    more = [pair for pair in combinations(range(count), 2) if frozenset(pair) not in have]
    return edges + [more[k] for k in rng.permutation(len(more))[:2]]


class Drawn:
    """A problem of a few graphs of up to five nodes, exactly."""

    def __init__(self, seed, has_cycles):
        rng = np.random.default_rng(seed)
        n, self.K, self.d, self.e = (int(rng.integers(*span)) for span in ((1, 4), (2, 4), (1, 4), (0, 3)))
        self.lam = float(10 ** rng.uniform(-2, 1))
        self.cost = rng.exponential(size=(self.K, self.K))
        np.fill_diagonal(self.cost, 0.0)
        self.weights = np.append(1.0, rng.exponential(size=n - 1) * (rng.random(n - 1) < 0.8))
        stored, scale = [np.asarray, sparse.csr_array][rng.integers(2)], 10.0 ** rng.integers(-2, 3)
        self.graphs = []
        for _ in range(n):
            count = int(rng.integers(3 if has_cycles else 1, 5))
            edges = tree_edges(count, rng)
            edges = add_cycles(edges, count, rng) if has_cycles else edges
            X, features = scale * rng.standard_normal((count, self.d)), rng.standard_normal((len(edges), self.e))
            y = rng.integers(0, self.K, count)
            self.graphs.append(Graph(stored(X), edges, y, stored(features) if self.e else None))
        self.problem = graph_hinge(self.graphs, self.lam, self.cost, list(range(self.K)), self.weights)
        self.totals = self.problem.Q.totals.tolist()

    def rows(self, i):
        """For graph i, the features {weight: value} of each label of a node, and of each pair of labels of an edge."""
        graph, K, d = self.graphs[i], self.K, self.d
        X = graph.X.toarray() if sparse.issparse(graph.X) else graph.X
        nodes = [[{k * d + j: X[v, j] for j in range(d)} for k in range(K)] for v in range(len(X))]
        edges = []
        for place in range(len(graph.edges)):
            features = [1.0]
            if self.e:
                given = graph.edge_features
                features += (given.toarray() if sparse.issparse(given) else given)[place].tolist()
            edges.append(
                [[{K * d + (f * K + a) * K + b: x for f, x in enumerate(features)} for b in range(K)] for a in range(K)]
            )
        return nodes, edges

    def labellings(self, i):
        """(features, loss) of every labelling of graph i, the true one first, in Fractions."""
        graph, (nodes, edges) = self.graphs[i], self.rows(i)
        truth = tuple(graph.y.tolist())
        for labels in [truth, *product(range(self.K), repeat=len(truth))]:
            features = [Fraction(0)] * self.problem.n_weights
            own = [nodes[v][k] for v, k in enumerate(labels)]
            own += [edges[c][labels[u]][labels[v]] for c, (u, v) in enumerate(graph.edges)]
            for row in own:
                for at, x in row.items():
                    features[at] += Fraction(float(x))
            yield features, sum(Fraction(float(self.cost[a, b])) for a, b in zip(truth, labels, strict=True))

    def objective(self, w):
        """J(w) over labellings, exactly."""
        w = [Fraction(float(x)) for x in w]
        value = Fraction(self.lam) / 2 * sum(x * x for x in w)
        for i, total in enumerate(self.totals):
            (truth, _), *others = self.labellings(i)
            scores = [loss + sum((f - g) * x for f, g, x in zip(one, truth, w, strict=True)) for one, loss in others]
            value += Fraction(total) * max(scores)
        return value

    def dual(self, marginals):
        """D, exactly, of marginals in Fractions: for each graph (p of nodes and labels, q of edges and pairs)."""
        features, loss = [Fraction(0)] * self.problem.n_weights, Fraction(0)
        for i, (p, q) in enumerate(marginals):
            nodes, edges = self.rows(i)
            total, y = Fraction(self.totals[i]), self.graphs[i].y
            terms = [(p[v][k] - (k == y[v]), nodes[v][k]) for v in range(len(p)) for k in range(self.K)]
            for c, (u, v) in enumerate(self.graphs[i].edges):
                for a, b in product(range(self.K), repeat=2):
                    terms.append((q[c][a][b] - (a == y[u] and b == y[v]), edges[c][a][b]))
            for share, row in terms:
                for at, x in row.items():
                    features[at] += total * share * Fraction(float(x))
            for v, k in product(range(len(p)), range(self.K)):
                loss += total * p[v][k] * Fraction(float(self.cost[y[v], k]))
        return loss - sum(f * f for f in features) / (2 * Fraction(self.lam))

    def relaxed_optimum(self):
        """min J over locally consistent marginals, by an interior-point solver on the dual."""
        K, columns, offsets, E, f, size = self.K, [], [], [], [], 0
        for i, graph in enumerate(self.graphs):
            if self.totals[i] == 0:
                continue
            nodes, edges = self.rows(i)
            count = len(nodes)
            at_node = lambda v, k, first=size: first + v * K + k  # noqa: E731
            at_edge = lambda c, a, b, first=size + count * K: first + (c * K + a) * K + b  # noqa: E731
            flat = [row for node in nodes for row in node] + [row for one in edges for two in one for row in two]
            block = np.zeros((len(flat), self.problem.n_weights))
            for r, row in enumerate(flat):
                for at, x in row.items():
                    block[r, at] = x
            columns.append(self.totals[i] * block)
            costs = [self.cost[graph.y[v], k] for v in range(count) for k in range(K)]
            offsets += [self.totals[i] * x for x in costs] + [0.0] * (len(flat) - len(costs))
            for v in range(count):
                E.append({at_node(v, k): 1.0 for k in range(K)})
                f.append(1.0)
            for c, (u, v) in enumerate(graph.edges):
                for a in range(K):
                    E.append({at_node(u, a): -1.0, **{at_edge(c, a, b): 1.0 for b in range(K)}})
                    f.append(0.0)
                for b in range(K - 1):  # the last one follows
                    E.append({at_node(v, b): -1.0, **{at_edge(c, a, b): 1.0 for a in range(K)}})
                    f.append(0.0)
            size += len(flat)
        A, c = np.concatenate(columns), np.array(offsets)
        truth = sum(np.array([float(x) for x in next(self.labellings(i))[0]]) * t for i, t in enumerate(self.totals))
        rows = np.zeros((len(E), size))
        for r, row in enumerate(E):
            rows[r, list(row)] = list(row.values())
        # min |A'a - truth|^2 / (2 lam) - <c, a>, with the weights z = A'a - truth as variables of their own
        d = self.problem.n_weights
        P = np.diag(np.r_[np.zeros(size), np.full(d, 1 / self.lam)])
        G, h = np.hstack([-np.eye(size), np.zeros((size, d))]), np.zeros(size)
        equal = np.vstack([np.hstack([rows, np.zeros((len(rows), d))]), np.hstack([A.T, -np.eye(d)])])
        return -solve_qp(P, np.r_[-c, np.zeros(d)], G, h, equal, np.r_[f, truth]).value
