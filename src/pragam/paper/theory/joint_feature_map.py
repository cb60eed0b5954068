r"""The joint feature map concatenates over types of cliques.

Problem:    The kernel delta(y_c = y'_c') <x_c, x'_c'> of two cliques with their labels, 0 if their types differ.
            The paper vectorises it as f(x, y) = sum_c x_c (x) (delta(y_c = y_{c,1}), ..., delta(y_c = y_{c,m(c)})).
Algorithm:  None: both feature maps against the kernel on random cliques.
Guarantee:  Within one type <f, f'> is the kernel. Over several types the sum above has terms of different lengths.
            Where the lengths agree (nodes with 4 features, edges with 2, two labels: 8 both), a node with features
            (1, 0, 0, 0) and label 0 and an edge with features (1, 0) and labels (0, 0) have the inner product 1, and
            their kernel is 0. With a block of its own for each type the inner product is the kernel. So is
            that of our chains, whose types are nodes, transitions, first and last labels.
Source:     Saha, Zhang and Vishwanathan, appendix "Margin scaled maximum margin Markov network", the joint feature map.
Tight:      Yes, equalities.
Corrected:  Blocks for the types, Kronecker products inside a block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector
from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._sequences import Sequences, small_sequences
from pragam.structured import ChainLayout

PRINTED = "Saha, Zhang and Vishwanathan, appendix, joint feature map (as printed)"
CORRECTED = "Saha, Zhang and Vishwanathan, appendix, joint feature map (corrected)"
K = 2

Labels = NDArray[np.int64]


class Clique(NamedTuple):
    """A clique with its features and the number of its labels' configuration."""

    is_edge: bool
    x: Vector
    label: int


def check() -> Iterator[Check]:
    node, edge = Clique(False, np.eye(4)[0], 0), Clique(True, np.eye(2)[0], 0)
    yield Check(
        "joint_feature_map.printed",
        "As printed, a node and an edge whose kernel is 0 have the inner product 1.",
        float(_product(node) @ _product(edge)),
        1.0 + _kernel(node, edge),
        "==",
        0.0,
        PRINTED,
    )
    drawn = _cliques()
    yield worst_case(
        "joint_feature_map.blocks",
        "With a block for each type the inner product is the kernel.",
        [(float(_blocks(one) @ _blocks(two)), _kernel(one, two)) for one in drawn for two in drawn],
        "==",
        1e-9,
        CORRECTED,
    )
    yield worst_case(
        "joint_feature_map.chains",
        "The inner product of the features of two chains is the sum of the kernels of nodes, transitions and ends.",
        [pair for own in small_sequences() for pair in _chain_products(own)],
        "==",
        1e-9,
        CORRECTED,
    )


def _cliques() -> list[Clique]:
    rng = np.random.default_rng(0)
    edges = [Clique(True, rng.standard_normal(2), int(rng.integers(K**2))) for _ in range(8)]
    return edges + [Clique(False, rng.standard_normal(4), int(rng.integers(K))) for _ in range(8)]


def _kernel(one: Clique, two: Clique) -> float:
    same = one.is_edge == two.is_edge and one.label == two.label
    return float(one.x @ two.x) if same else 0.0


def _product(clique: Clique) -> Vector:
    """The printed x_c (x) (indicator of y_c)."""
    return np.kron(clique.x, np.eye(K**2 if clique.is_edge else K)[clique.label])


def _blocks(clique: Clique) -> Vector:
    own, other = _product(clique), np.zeros(8)
    return np.concatenate([other, own] if clique.is_edge else [own, other])


def _chain_products(own: Sequences) -> Iterator[tuple[float, float]]:
    """<Phi_i(y), Phi_j(z)> of the library's feature map, and the kernel."""
    rng, n = np.random.default_rng(1), len(own.y)
    for _ in range(5):
        (i, j), (y, z) = rng.integers(0, n, 2), own.labellings[rng.integers(0, len(own.labellings), 2)]
        yield float(_features(own, i, y) @ _features(own, j, z)), _chain_kernel(own.X[i], y, own.X[j], z)


def _features(own: Sequences, i: int, labels: Labels) -> Vector:
    """Phi_i(labels) = A' times the edges of this labelling, on the problem of sequence i alone."""
    A = replace(own, X=own.X[[i]], y=own.y[[i]]).edge_problem(1.0).A
    return A.rmatvec(ChainLayout(np.array([len(labels)]), own.K).indicator(labels))


def _chain_kernel(x: Vector, y: Labels, other: Vector, z: Labels) -> float:
    nodes = float((x @ other.T)[y[:, None] == z].sum())
    moves = sum(one == two for one in pairwise(y.tolist()) for two in pairwise(z.tolist()))
    return nodes + moves + float(y[0] == z[0]) + float(y[-1] == z[-1])
