"""Tiny problems for hypothesis: whole numbers and quarters, scaled by powers of two, whose exact optimum is known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

import pragam
from polytopes.strategies import Drawn, boxes, quarters, simplices, vectors
from posed import posed
from pragam.operators import CrammerSinger, ScaledRows
from pragam.polytopes import Simplices

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
        return (
            f"A={rows}, c={p.c}, lam={p.lam}, kappa={p.g.curvature}, w={self.w}, {Drawn(p.domain, self.member, p.c)!r}"
        )


@st.composite
def problems(draw: st.DrawFn, sets: st.SearchStrategy | None = None, smooth: bool = True) -> Posed:
    """Dense or sparse rows, scaled or of Crammer and Singer; a box, a box with a plane, or simplices."""
    Q, member, _ = draw(st.one_of(boxes(), simplices()) if sets is None else sets)
    d = draw(st.integers(1, 3))
    multiclass = isinstance(Q, Simplices) and draw(st.booleans())
    n = len(Q.totals) if multiclass else Q.size
    X = draw(vectors(n * d)).reshape(n, d) * 2.0 ** draw(exponents)
    X = draw(st.sampled_from([np.asarray, sparse.csr_array, sparse.csc_array]))(X)
    if multiclass:
        A = CrammerSinger(X, draw(vectors(n, st.integers(0, Q.K - 1))).astype(int), Q.K)
    else:
        A = ScaledRows(X, draw(vectors(n, st.sampled_from([1.0, -1.0, 3.0, -0.5]))))
    c = draw(vectors(Q.size)) * 2.0 ** draw(exponents)
    lam = draw(st.sampled_from([1.0, 3.0, 0.125])) * 2.0 ** draw(exponents)
    kappa = draw(st.sampled_from([0.0, 0.5, 3.0])) if smooth else 0.0
    w = draw(vectors(A.shape[1], quarters)) * 2.0 ** draw(exponents)
    return Posed(posed(A, c, Q, lam, kappa), member, w)
