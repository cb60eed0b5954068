r"""The marginals of the Gibbs distributions of many chains: forward-backward on edge tables.

For scores s_t(i, j) of the edges of a chain, p(y) = exp(sum_t s_t(y_t, y_{t+1})) / Z is the maximiser of

    <alpha, s> + entropy of the distribution,    with the value log Z,

over the marginals alpha of all distributions of labellings. With the backward messages

    b_t(i) = log sum_j exp(s_t(i, j) + b_{t+1}(j)),     b_T = 0,

the conditional distributions are q_t(j | i) = exp(s_t(i, j) + b_{t+1}(j) - b_t(i)), and the tables follow from the
first one: alpha_t(i, j) = (sum_k alpha_{t-1}(k, i)) q_t(j | i). The messages stay in logarithms and each q_t is
normalised anew, so that scores of any size give marginals that agree with each other to rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pragam.numerics.vector import Vector

if TYPE_CHECKING:
    from pragam.structured.chains.layout import ChainLayout, Group


def soft_marginals(layout: ChainLayout, s: Vector) -> tuple[Vector, Vector]:
    """The marginals of all sequences, in the order of ``layout``, and log Z of each. A score of -inf forbids."""
    out, log_partition = np.empty(layout.size), np.empty(layout.n)
    tables, found = layout.tables(s), layout.tables(out)
    for group in layout.groups:
        log_partition[group.sequences] = _forward_backward(tables, group, found)
    shares, log_sums = _softmax(layout.singles(s))
    layout.singles(out)[:] = shares
    log_partition[layout.single] = log_sums
    return out, log_partition


def _forward_backward(tables: Vector, group: Group, out: Vector) -> Vector:
    """The tables of sequences of one length, written to ``out``; log Z of each."""
    B, T = group.tables.shape
    K = tables.shape[-1]
    message = np.zeros((B, K))
    for t in range(T - 1, 0, -1):
        q, message = _softmax(tables[group.tables[:, t]] + message[:, None, :])
        out[group.tables[:, t]] = q
    first, log_partition = _softmax((tables[group.tables[:, 0]] + message[:, None, :]).reshape(B, K * K))
    out[group.tables[:, 0]] = first = first.reshape(B, K, K)
    mass = first.sum(axis=1)
    for t in range(1, T):
        joint = mass[:, :, None] * out[group.tables[:, t]]
        out[group.tables[:, t]] = joint
        mass = joint.sum(axis=1)
    return log_partition


def _softmax(s: Vector) -> tuple[Vector, Vector]:
    """exp(s) over its sum along the last axis, and the logarithm of that sum; zeros and -inf where all is forbidden."""
    if not s.size:
        return s.copy(), np.empty(s.shape[:-1])
    top = s.max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    e = np.exp(s - top)
    sums = e.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):
        log_sums = top + np.log(sums)
    return np.divide(e, sums, out=e, where=sums > 0), log_sums[..., 0]
