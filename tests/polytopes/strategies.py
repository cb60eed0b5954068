"""Small sets and points for hypothesis: whole numbers and quarters, and powers of two to scale them, so that sets are
exactly what was drawn and failures shrink to something readable.

What is drawn is feasible by construction: a plane passes through a drawn point of its box.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from pragam.polytopes import Box, BoxPlane, Pairs, Simplices

#: -4, .., 4 in steps of 1/4, simplest first.
quarters = st.integers(-16, 16).map(lambda k: k / 4)
#: Binary exponents of scales: ordinary most of the time.
exponents = st.sampled_from([0, 0, 0, 3, -3, 40, -40, 300, -300])
few = st.integers(1, 5)


class Drawn(NamedTuple):
    """A set, a member of it, and any point."""

    Q: Box | Simplices | Pairs
    member: np.ndarray
    v: np.ndarray

    def __repr__(self) -> str:
        names = [name for name in ("lower", "upper", "sigma", "z", "totals", "K", "wrong") if hasattr(self.Q, name)]
        parts = ", ".join(f"{name}={getattr(self.Q, name)}" for name in names)
        return f"{type(self.Q).__name__}({parts}), member={self.member}, v={self.v}"


def vectors(n: int, elements: st.SearchStrategy = quarters) -> st.SearchStrategy:
    return st.lists(elements, min_size=n, max_size=n).map(lambda x: np.array(x, dtype=float))


@st.composite
def boxes(draw: st.DrawFn, plane: bool | None = None) -> Drawn:
    """A bounded box, cut by a plane or not; rows of width 0 and normals with zeros occur."""
    n, size = draw(few), 2.0 ** draw(exponents)
    lower, width = draw(vectors(n)), draw(vectors(n, st.integers(0, 4)))
    share = draw(vectors(n, st.sampled_from([0.0, 1.0, 0.25, 0.5])))
    member = (lower + share * width) * size
    v = draw(vectors(n)) * 2.0 ** draw(exponents)
    if not (draw(st.booleans()) if plane is None else plane):
        return Drawn(Box(lower * size, (lower + width) * size), member, v)
    sigma = draw(vectors(n, st.sampled_from([1.0, -1.0, 0.0, 2.0, -0.5, 3.0]))) * 2.0 ** draw(
        st.sampled_from([0, 0, 30, -30])
    )
    z = float(exact_dot(sigma, member))
    return Drawn(BoxPlane(lower * size, (lower + width) * size, sigma, z), member, v)


@st.composite
def simplices(draw: st.DrawFn) -> Drawn:
    """A product of simplices; totals of 0 and a single column occur."""
    n, K = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    size = 2.0 ** draw(exponents)
    totals = draw(vectors(n, st.integers(0, 4)))
    cuts = np.array([sorted(draw(st.lists(st.integers(0, 4), min_size=K - 1, max_size=K - 1))) for _ in range(n)])
    shares = np.diff(cuts.reshape(n, K - 1), axis=1, prepend=0, append=4) / 4
    v = draw(vectors(n * K)) * 2.0 ** draw(exponents)
    return Drawn(Simplices(totals * size, K), (shares * totals[:, None] * size).ravel(), v)


@st.composite
def pairs(draw: st.DrawFn) -> Drawn:
    """Pairs of labels; totals of 0, examples without a pair and a single label occur."""
    n, K = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    size = 2.0 ** draw(exponents)
    wrong = np.array(draw(st.lists(st.booleans(), min_size=n * K, max_size=n * K))).reshape(n, K)
    Q = Pairs(draw(vectors(n, st.integers(0, 4))) * size, wrong)
    member = np.zeros((n, K))
    for i in np.flatnonzero(Q.totals):
        for share in draw(st.lists(st.sampled_from([0.25, 0.5]), max_size=2)):  # two pairs of a wrong and a right label
            chosen = [draw(st.sampled_from(np.flatnonzero(side).tolist())) for side in (wrong[i], ~wrong[i])]
            member[i, chosen] += share * Q.totals[i]
    return Drawn(Q, member.ravel(), draw(vectors(n * K)) * 2.0 ** draw(exponents))


def exact(x: np.ndarray) -> list[Fraction]:
    return [Fraction(a) for a in np.asarray(x, dtype=float).ravel().tolist()]


def exact_dot(x, y) -> Fraction:
    """<x, y> of floats or of Fractions."""
    return sum((Fraction(a) * Fraction(b) for a, b in zip(x, y, strict=True)), Fraction(0))


def blocks_of(Q: Simplices | Pairs, x: list) -> list[list]:
    """The K numbers of each example."""
    return [x[i * Q.K : (i + 1) * Q.K] for i in range(len(Q.totals))]


def sides_of(wrong: np.ndarray, row: list) -> tuple[list, list]:
    """The numbers of the wrong labels of an example, and of the right ones."""
    return [x for x, w in zip(row, wrong, strict=True) if w], [x for x, w in zip(row, wrong, strict=True) if not w]


def exact_support(Q: Box | Simplices | Pairs, s: list[Fraction]) -> Fraction:
    """max over Q of <alpha, s>, by the definition of each set: over vertices, or over the kinks of the plane's dual."""
    if isinstance(Q, Simplices):
        return exact_dot(Q.totals, map(max, blocks_of(Q, s)))
    if isinstance(Q, Pairs):
        rows = [sides_of(wrong, row) for wrong, row in zip(Q.wrong, blocks_of(Q, s), strict=True)]
        return exact_dot(Q.totals, [max(max(p) + max(q), 0) if p and q else 0 for p, q in rows])
    lower, upper = exact(Q.lower), exact(Q.upper)
    sigma, z = (exact(Q.sigma), Fraction(Q.z)) if isinstance(Q, BoxPlane) else ([Fraction(0)] * Q.size, Fraction(0))
    kinks = [x / g for x, g in zip(s, sigma, strict=True) if g] or [Fraction(0)]
    return min(
        b * z + sum(max(l * (x - b * g), u * (x - b * g)) for l, u, x, g in zip(lower, upper, s, sigma, strict=True))
        for b in kinks
    )


def exact_smooth_support(Q: Simplices | Pairs, s: list[Fraction], kappa: Fraction) -> Fraction:
    """max over Q of <alpha, s> - kappa/2 |alpha|^2, at the projection of s/kappa."""
    value = Fraction(0)
    if isinstance(Q, Pairs):
        for wrong, total, row in zip(Q.wrong, exact(Q.totals), blocks_of(Q, s), strict=True):
            sides = sides_of(wrong, [x / kappa for x in row])
            value += kappa * max(_pairs_candidates(*sides, total), default=Fraction(0))
        return value
    for i, total in enumerate(exact(Q.totals)):
        row = [x / kappa for x in s[i * Q.K : (i + 1) * Q.K]]
        falling = sorted(row, reverse=True)
        theta = max((sum(falling[:r]) - total) / r for r in range(1, Q.K + 1))
        alpha = [max(x - theta, Fraction(0)) for x in row]
        value += kappa * sum(a * (x - a / 2) for a, x in zip(alpha, row, strict=True))
    return value


def _pairs_candidates(p: list[Fraction], q: list[Fraction], total: Fraction) -> list[Fraction]:
    """<a, v> - 1/2 |a|^2 at the stationary points of all faces of a block of pairs that lie in it; v = (p, q)."""
    values = [Fraction(0)]
    subsets = product(*(list(product((False, True), repeat=len(side))) for side in (p, q)))
    for some in subsets:
        P, R = (
            [x for x, chosen in zip(side, mask, strict=True) if chosen] for side, mask in zip((p, q), some, strict=True)
        )
        if not (P and R):
            continue
        t = (sum(P) - sum(R)) / (len(P) + len(R))  # sums that are equal, whatever they are
        for a, c in ((t, -t), ((sum(P) - total) / len(P), (sum(R) - total) / len(R))):
            left, right = [x - a for x in P], [x - c for x in R]
            if min(left + right) >= 0 and sum(left) <= total:
                values.append(sum(y * (x - y / 2) for x, y in zip(P + R, left + right, strict=True)))
    return values


def exact_biases(Q: BoxPlane, s: list[Fraction]) -> tuple[Fraction | float, Fraction | float]:
    """The ends of {b : sum_i max over the box of alpha_i (s_i - b sigma_i) + b z is least}; the sum is convex in b."""
    rows = list(zip(s, exact(Q.sigma), exact(Q.lower), exact(Q.upper), strict=True))

    def slopes(b):
        """Left and right of b. A row sits at its upper end where s - b sigma > 0."""
        fixed = sum(g * (u if x > b * g else low) for x, g, low, u in rows if x != b * g)
        tied = [(g * low, g * u) for x, g, low, u in rows if x == b * g]
        return [Fraction(Q.z) - fixed - sum(end(pair) for pair in tied) for end in (max, min)]

    kinks = sorted({x / g for x, g, low, u in rows if g and low < u})
    if not kinks:
        return -np.inf, np.inf
    first = next((b for b in kinks if slopes(b)[1] >= 0), None)
    last = next((b for b in reversed(kinks) if slopes(b)[0] <= 0), None)
    assert first is not None and last is not None, "Q is empty"
    return (-np.inf if slopes(kinks[0])[0] >= 0 else first), (np.inf if slopes(kinks[-1])[1] <= 0 else last)
