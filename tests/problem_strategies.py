"""Tiny problems for hypothesis: whole numbers and quarters, scaled by powers of two, whose exact optimum is known."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

import pragam
from polytopes.strategies import Drawn, boxes, pairs, quarters, simplices, vectors
from posed import posed
from pragam.operators import LabelRows, Planes, ScaledRows, SharedRows
from pragam.polytopes import Box
from pragam.problem import Rest

#: Binary exponents, ordinary most of the time; no product of three of their powers overflows.
exponents = st.sampled_from([0, 0, 0, 0, 2, -2, 30, -30, 150, -150])


class Posed(NamedTuple):
    """A problem, a point of its Q, and any weights."""

    problem: pragam.Problem
    member: np.ndarray
    w: np.ndarray

    def __repr__(self) -> str:
        p = self.problem
        rows = [p.A.rmatvec(e).tolist() for e in np.eye(p.A.shape[0])]
        parts = f"A={rows}, c={p.c}, lam={p.lam}, kappa={p.g.curvature}, origin={p.origin}, {p.rest}, w={self.w}"
        return f"{parts}, {Drawn(p.domain, self.member, p.c)!r}"


@st.composite
def problems(draw: st.DrawFn, sets: st.SearchStrategy | None = None, smooth: bool = True) -> Posed:
    """Dense or sparse rows, each read by one dual variable, by several, or by all labels of an example; a box, a box
    with a plane, simplices or pairs, and a truth in one of their vertices or none."""
    Q, member, _ = draw(st.one_of(boxes(), simplices(), pairs()) if sets is None else sets)
    d, is_box = draw(st.integers(1, 3)), isinstance(Q, Box)
    reading = draw(st.sampled_from(["own", "shared"] if is_box else ["own", "shared", "labels"]))
    n = {"own": Q.size, "shared": 2, "labels": Q.n_blocks if reading == "labels" else 0}[reading]
    X = draw(vectors(n * d)).reshape(n, d) * 2.0 ** draw(exponents)
    X = draw(st.sampled_from([np.asarray, sparse.csr_array, sparse.csc_array]))(X)
    if reading == "labels":
        A = LabelRows(X, Q.K, draw(st.none() | vectors(Q.size, st.sampled_from([1.0, -1.0]))))
    else:
        scale = draw(vectors(Q.size, st.sampled_from([1.0, -1.0, 3.0, -0.5])))
        number = draw(vectors(Q.size, st.integers(0, 1))).astype(int)
        A = ScaledRows(X, scale) if reading == "own" else SharedRows(X, number, scale)
    c = draw(vectors(Q.size)) * 2.0 ** draw(exponents)
    lam = draw(st.sampled_from([1.0, 3.0, 0.125])) * 2.0 ** draw(exponents)
    kappa = draw(st.sampled_from([0.0, 0.5, 3.0])) if smooth else 0.0
    w = draw(vectors(A.shape[1], quarters)) * 2.0 ** draw(exponents)
    problem = posed(A, c, Q, lam, kappa)
    if not is_box and draw(st.booleans()):
        problem = replace(problem, origin=Q.maximise_linear(draw(vectors(Q.size))))
    return Posed(problem, member, w)


@st.composite
def problems_on_planes(draw: st.DrawFn) -> Posed:
    """A box, each row of which lies on one of three planes through a point of it, or on none; what is fixed moves w."""
    Q, member, _ = draw(boxes(plane=False))
    whole = draw(problems(st.just(Drawn(Q, member, member))))
    sigma = draw(vectors(Q.size, st.sampled_from([1.0, -1.0, 0.0, 2.0])))
    B = Planes(sigma, draw(vectors(Q.size, st.integers(0, 2))).astype(int), 3)
    weights = draw(vectors(whole.problem.n_weights)) if draw(st.booleans()) else None
    rest = Rest(weights, -B.rmatvec(member), draw(quarters))
    return Posed(replace(whole.problem, B=B, rest=rest), member, whole.w)
