r"""The projection onto the locally consistent marginals of a graph of cliques.

It minimises sum_c d_c^2 / 2 |alpha_c - m_c|^2 over tables alpha_c >= 0 of mass 1 that agree on the marginals of the
nodes they share (:mod:`pragam.structured.graphs.clique_graph`): the paper's appendix, with the signs corrected. On a
tree these are the marginals of labellings. On a graph with cycles the set is larger: a relaxation.

``"newton"`` minimises the eliminated dual by a semismooth Newton method (:mod:`pragam.structured.graphs.newton`).
``"alternating"`` is the paper's own algorithm (:mod:`pragam.structured.graphs.alternating`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam.numerics.arguments import check_number, real_array
from pragam.numerics.vector import Vector
from pragam.structured.graphs.alternating import alternate
from pragam.structured.graphs.clique_graph import CliqueGraph
from pragam.structured.graphs.newton import Dual, newton

METHODS = {"newton": newton, "alternating": alternate}
#: What rounding may leave of a constraint, in units of eps times the largest score, for each label and clique.
_ROUNDING = 64
#: Where that is more, the tables do not say where the projection is.
_LARGEST_RESIDUAL = 1e-3
_EPS = float(np.finfo(np.float64).eps)


def project_graph(
    m: Any,
    cliques: Any,
    n_labels: Any,
    weights: Any = None,
    method: str = "newton",
    start: Any = None,
    tol: float = 1e-12,
) -> list[Vector]:
    r"""The locally consistent tables of cliques that are nearest to ``m``.

    Parameters
    ----------
    m : a table for each clique
        Each has an axis for every node of its clique, as long as the node has labels. -inf forbids an entry.
    cliques : list of tuples of node numbers
        Edges are pairs. Cliques that no node connects are projected side by side.
    n_labels : int, or one for each node
    weights : a number for each clique, optional
        d_c > 0: the sum of d_c^2 / 2 \|alpha_c - m_c\|^2 is minimised. The default is 1.
    method : "newton" or "alternating"
    start : array (n_potentials,), optional
        The potentials of an earlier projection, of ``CliqueGraph(cliques, n_labels).n_potentials`` numbers, from which
        this one starts. They are overwritten with those of this one.
    tol : float
        The largest residual of a constraint; more is allowed where the rounding of large tables leaves more. Tables so
        large, or weights so far apart, that it would be over 1e-3 are refused.

    Returns
    -------
    A table for each clique.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, not {method!r:.40}")
    check_number("tol", tol, least=0, most=1)
    graph = CliqueGraph(cliques, n_labels)
    flat, weight = _flat(m, graph), _squares(weights, graph)
    u = _potentials(start, graph)
    return graph.tables(project_flat(graph, flat, weight, tol, u, method))


def project_flat(
    graph: CliqueGraph, m: Vector, weight: Vector, tol: float, u: Vector, method: str = "newton"
) -> Vector:
    """The same for tables in one vector, d_c^2 of each clique, and potentials u, which are overwritten."""
    tols = _within(tol, m, weight, graph)
    dual = Dual(graph, _pruned(m, graph), np.repeat(weight, graph.sizes))
    try:
        return METHODS[method](dual, tols, u)
    except ArithmeticError:
        if not u.any():
            raise
        u[:] = 0.0  # a start from far away may be worse than none
        return METHODS[method](dual, tols, u)


def _pruned(m: Vector, graph: CliqueGraph) -> Vector:
    """m without the entries whose labels of a link's nodes the other clique forbids, and so on."""
    if (m > -np.inf).all():
        return m
    m = m.copy()
    sides = [tuple((c, graph.separator_index(c, link.nodes)) for c in (link.one, link.two)) for link in graph.links]
    changed = True
    while changed:
        changed = False
        for (one, of_one), (two, of_two) in sides:
            a, b = (m[graph.first[c] : graph.first[c + 1]] for c in (one, two))
            allowed = [
                np.bincount(index, own > -np.inf, 1 + index.max()) > 0 for own, index in ((a, of_one), (b, of_two))
            ]
            both = allowed[0] & allowed[1]
            for own, index in ((a, of_one), (b, of_two)):
                closed = (own > -np.inf) & ~both[index]
                changed |= bool(closed.any())
                own[closed] = -np.inf
    empty = np.maximum.reduceat(m, graph.first[:-1]) == -np.inf
    if empty.any():
        raise ValueError(f"m[{int(empty.argmax())}] has no entry left: m forbids every labelling")
    return m


def _within(tol: float, m: Vector, weight: Vector, graph: CliqueGraph) -> Vector:
    """The residual at which the projection of each component ends."""
    count = int(graph.component.max()) + 1
    largest, least, most = np.ones(count), np.full(count, np.inf), np.zeros(count)
    sizes = np.maximum.reduceat(np.where(np.isfinite(m), np.abs(m), 0.0), graph.first[:-1])
    np.maximum.at(largest, graph.component, sizes)
    np.minimum.at(least, graph.component, weight)
    np.maximum.at(most, graph.component, weight)
    terms = max(graph.n_labels) * np.bincount(graph.component)
    within = np.maximum(tol, _ROUNDING * _EPS * terms * largest * (most / least))
    is_bad = ~(within <= max(tol, _LARGEST_RESIDUAL))
    if is_bad.any():
        c = int(np.flatnonzero(is_bad[graph.component])[0])
        own = graph.component[c]
        raise ValueError(
            f"m[{c}] and the cliques around it cannot be projected in float64: scores are up to {largest[own]:.1e}, "
            f"and squared weights {most[own] / least[own]:.1e} times apart"
        )
    return within


def _flat(m: Any, graph: CliqueGraph) -> Vector:
    try:
        given = list(m)
    except TypeError:
        raise ValueError(f"m must be a list of tables, not {m!r:.40}") from None
    if len(given) != len(graph.cliques):
        raise ValueError(f"m has {len(given)} tables for {len(graph.cliques)} cliques")
    out = np.empty(graph.size)
    for c, (table, own) in enumerate(zip(given, graph.tables(out), strict=True)):
        values = real_array(f"m[{c}]", table)
        if values.shape != own.shape:
            raise ValueError(
                f"m[{c}] must have the shape {own.shape}, that of clique {graph.cliques[c]}, not {values.shape}"
            )
        if not (values < np.inf).all():
            raise ValueError(f"m[{c}], the table of clique {graph.cliques[c]}, contains NaN or +infinity")
        if not (values > -np.inf).any():
            raise ValueError(f"m[{c}], the table of clique {graph.cliques[c]}, forbids every entry")
        own[...] = values
    return out


def _squares(weights: Any, graph: CliqueGraph) -> Vector:
    """d_c^2 of every clique."""
    if weights is None:
        return np.ones(len(graph.cliques))
    d = np.asarray(real_array("weights", weights), dtype=np.float64)
    if d.shape != (len(graph.cliques),) or not (np.isfinite(d) & (d > 0)).all():
        raise ValueError(f"weights must hold {len(graph.cliques)} positive numbers")
    return d**2


def _potentials(start: Any, graph: CliqueGraph) -> Vector:
    if start is None:
        return np.zeros(graph.n_potentials)
    is_array = isinstance(start, np.ndarray) and start.dtype == np.float64 and start.flags.writeable
    if not is_array or start.shape != (graph.n_potentials,) or not np.isfinite(start).all():
        raise ValueError(f"start must be a writeable float64 array of {graph.n_potentials} finite numbers")
    return np.asarray(start)
