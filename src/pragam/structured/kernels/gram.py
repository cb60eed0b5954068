"""The Gram matrix of tokens, in blocks and in the precision that it is stored in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pragam.numerics.vector import Vector
from pragam.structured.kernels.function import KernelFunction

#: Rows of a kernel that are computed at a time: few, so that they stay in the cache on their way to the stored matrix.
BLOCK = 256


class Tokens:
    """Feature rows with what a kernel on nodes may ask of their places in the sequences.

    ``nodes``: "once", every token has its score once; "per_edge", the paper's kernel on edges, which counts a token
    once for each edge it is in (twice inside a sequence, never in a sequence of one token); "by_position", tokens at
    different places in their sequences have nothing to do with each other.
    """

    def __init__(self, X: Any, lengths: NDArray[np.int64], nodes: str) -> None:
        self.X, self.lengths, self.nodes = X, lengths, nodes
        self.position = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        self.count = np.ones(len(self.position))
        if nodes == "per_edge":
            last = np.repeat(lengths, lengths) - 1
            self.count = (self.position > 0).astype(np.float64) + (self.position < last)

    def __len__(self) -> int:
        return len(self.position)

    def gram_with(self, others: Tokens, kernel: KernelFunction, rows: slice, columns: slice) -> Vector:
        """k of these rows of tokens with those of the others."""
        block = kernel(self.X[rows], others.X[columns])
        if self.nodes == "by_position":
            block = np.where(self.position[rows, None] == others.position[columns], block, 0.0)
        if self.nodes == "per_edge":
            block = block * self.count[rows, None] * others.count[columns]
        return block


def gram_matrix(tokens: Tokens, kernel: KernelFunction, precision: DTypeLike) -> Vector:
    """That of all tokens, exactly symmetric: blocks on and above the diagonal are computed, the others are copies."""
    N = len(tokens)
    out = np.empty((N, N), dtype=precision)
    for i in range(0, N, BLOCK):
        rows = slice(i, min(i + BLOCK, N))
        block = tokens.gram_with(tokens, kernel, rows, slice(i, N)).astype(precision)
        size = rows.stop - i
        block[:, :size] = np.triu(block[:, :size]) + np.triu(block[:, :size], 1).T
        out[rows, i:] = block
        out[i:, rows] = block.T
    return out


def kernel_scores(new: Tokens, trained: Tokens, kernel: KernelFunction, coefficients: Vector) -> Vector:
    """k(new, trained) times the coefficients, (n, K)."""
    out = np.empty((len(new), coefficients.shape[1]))
    for i in range(0, len(new), BLOCK):
        rows = slice(i, min(i + BLOCK, len(new)))
        out[rows] = new.gram_with(trained, kernel, rows, slice(0, len(trained))) @ coefficients
    return out
