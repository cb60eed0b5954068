"""Max-margin labelling of graphs: the max-margin Markov network (Taskar, Guestrin and Koller, NIPS 2003)."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike, NDArray

from pragam.numerics.arguments import refuse_masked
from pragam.problem import Problem
from pragam.structured.expected_features import ExpectedFeatures, structured_problem
from pragam.structured.graphs.graph import Joined, join_graphs, labels_of
from pragam.structured.graphs.structure import GraphStructure
from pragam.structured.targets import costs_of, label_numbers, weights_of
from pragam.structured.weights_and_loss import WeightsAndLoss


def graph_hinge(
    graphs: Any,
    lam: float = 1e-2,
    loss: str | ArrayLike = "hamming_mean",
    labels: Any = None,
    sample_weight: ArrayLike | None = None,
) -> Problem[WeightsAndLoss, ExpectedFeatures]:
    r"""The structured hinge risk of graphs.

    ::

        J(w) = lam/2 |w|^2 + (1/n) sum_i weight_i max over labellings y of  loss_i(y) + F_i(y) - F_i(y_i)
        F_i(y) = sum_v <w_{y_v}, x_v> + sum over edges (u, v) of (v_0 + sum_f e_uvf v_f)_{y_u y_v}

    w holds the node weights (K, d), then the pairwise weights v (1 + edge features, K, K), flat:
    ``problem.Q.structure.parts(w)``.

    Trees and forests are exact. If a graph has a cycle, the maximum is over the locally consistent marginals of that
    graph, which is an upper bound: J is that of a relaxed problem, and ``problem.Q.exact`` is False. The certificate
    bounds the relaxed J, as messages between the nodes do (:mod:`pragam.structured.graphs.messages`).

    Parameters
    ----------
    graphs : list of Graph, with labels y
    lam : float > 0
    loss : "hamming_mean", "hamming_sum" or a (K, K) matrix of costs
        What a wrong label costs: 1 over the number of nodes of its graph, 1, or cost[true, predicted], numbers >= 0
        with a zero diagonal.
    labels : the label set in order, optional
        By default the sorted labels that occur. Labels that do not occur are allowed.
    sample_weight : one number >= 0 for each graph, optional
    """
    return joined_hinge(join_graphs(graphs), labels_of(graphs), lam, loss, labels, sample_weight)


def joined_hinge(
    joined: Joined, y: NDArray[Any], lam: float, loss: str | ArrayLike, labels: Any, sample_weight: ArrayLike | None
) -> Problem[WeightsAndLoss, ExpectedFeatures]:
    """The same of graphs that are one already."""
    refuse_masked(sample_weight=sample_weight)
    nodes, edges, wiring = joined
    classes, index = label_numbers(y, labels, wiring.sizes, "graph")
    if len(classes) < 2:
        raise ValueError(f"y must have at least two labels, not {classes.tolist()}; labels= names those that may occur")
    K = len(classes)
    cost, scale = costs_of(loss, wiring.sizes, K)
    totals = weights_of("sample_weight", sample_weight, wiring.n) / wiring.n
    return structured_problem(GraphStructure(nodes, edges, wiring, index, K, totals, cost, scale), lam)
