"""Dual ascent over a block of sequences of a Gaussian-process problem."""

from __future__ import annotations

import numpy as np

from pragam._kernels.chains.forward_backward import posterior
from pragam._kernels.chains.records import Block, Iterate
from pragam.numerics.vector import Vector

__all__ = ["chain_block_ascent"]

LINE_STEPS = 4
LINE_TOL = 0.1
FLOOR = 1e-40


def chain_block_ascent(block: Block, iterate: Iterate, entropies: Vector, gaps: Vector) -> None:
    """One step for each sequence, towards its distribution at the present scores; see ascent.cpp.

    Of every sequence before its step: the entropy H(alpha), and the gap log Z - <scores, alpha> - H(alpha).
    """
    gram, lengths, order, K, tau, scale = block
    F, U, nodes, tables, steps, gone = iterate
    N = int(lengths.sum())
    G, scores, alpha, lost = gram.reshape(N, N), F.reshape(N, K), nodes.reshape(N, K), gone.reshape(N, K)
    edges, U = tables.reshape(N, K, K), U.reshape(K, K)
    first = np.concatenate([[0], np.cumsum(lengths)])
    lost[:] = 0.0
    for turn, i in enumerate(order.tolist()):
        own, between = slice(first[i], first[i + 1]), slice(first[i], first[i + 1] - 1)
        L, T = int(lengths[i]), tau * U
        P, E, log_z = posterior(scores[own], T)
        to_node, to_edge = P - alpha[own], E - edges[between]
        # How often the entropy of each token counts: H = sum of those of the edges, less those of the inner nodes.
        share = np.ones(1) if L == 1 else np.concatenate([[0.0], -np.ones(L - 2), [0.0]])
        linear = (scores[own] * alpha[own]).sum() + (T * edges[between].sum(axis=0)).sum()
        entropies[i] = _entropy(alpha[own], edges[between], share)
        gaps[i] = log_z - linear - entropies[i]
        summed = to_edge.sum(axis=0)
        square = tau * (summed**2).sum() + (to_node * (G[own, own] @ to_node)).sum()
        slope = (scores[own] * to_node).sum() + (T * summed).sum()
        x = np.concatenate([edges[between].ravel(), alpha[own].ravel()])
        d = np.concatenate([to_edge.ravel(), to_node.ravel()])
        counts = np.concatenate([np.ones(to_edge.size), np.repeat(share, K)])
        step = steps[i] = _line_search(x, d, counts, slope, square * scale, steps[i])
        alpha[own] += step * to_node
        edges[between] += step * to_edge
        U -= step * scale * summed
        lost[own] += step * scale * to_node
        for j in order[turn + 1 :].tolist():
            scores[first[j] : first[j + 1]] -= G[first[j] : first[j + 1], own] @ lost[own]


def _entropy(nodes: Vector, edges: Vector, share: Vector) -> float:
    per_node = -(nodes * np.log(np.where(nodes > 0, nodes, 1.0))).sum(axis=1)
    return float(share @ per_node) - float((edges * np.log(np.where(edges > 0, edges, 1.0))).sum())


def _line_search(x: Vector, d: Vector, counts: Vector, slope: float, bend: float, step: float) -> float:
    """The highest point of H(x + step d) + step slope - step^2 bend / 2 on [0, 1], nearly."""
    low, high = 0.0, 1.0
    for _ in range(LINE_STEPS):
        at = x + step * d + FLOOR
        first = slope - step * bend - float((counts * d * np.log(at)).sum())
        second = -bend - float((counts * d * d / at).sum())
        low, high = (step, high) if first > 0 else (low, step)
        following = step - first / second if second < 0 else step
        if not low < following < high:
            following = 0.5 * (low + high)
        is_near = abs(following - step) <= LINE_TOL * step
        step = following
        if is_near:
            break
    return step
