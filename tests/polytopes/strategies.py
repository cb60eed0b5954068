"""Small sets and points for hypothesis: whole numbers and quarters, and powers of two to scale them, so that sets are
exactly what was drawn and failures shrink to something readable.

What is drawn is feasible by construction: a plane passes through a drawn point of its box.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from pragam.polytopes import Box, BoxPlane, Simplices

#: -4, .., 4 in steps of 1/4, simplest first.
quarters = st.integers(-16, 16).map(lambda k: k / 4)
#: Binary exponents of scales: ordinary most of the time.
exponents = st.sampled_from([0, 0, 0, 3, -3, 40, -40, 300, -300])
few = st.integers(1, 5)


class Drawn(NamedTuple):
    """A set, a member of it, and any point."""

    Q: Box | Simplices
    member: np.ndarray
    v: np.ndarray

    def __repr__(self) -> str:
        names = [name for name in ("lower", "upper", "sigma", "z", "totals", "K") if hasattr(self.Q, name)]
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


def exact(x: np.ndarray) -> list[Fraction]:
    return [Fraction(a) for a in np.asarray(x, dtype=float).ravel().tolist()]


def exact_dot(x, y) -> Fraction:
    """<x, y> of floats or of Fractions."""
    return sum((Fraction(a) * Fraction(b) for a, b in zip(x, y, strict=True)), Fraction(0))


def exact_support(Q: Box | Simplices, s: list[Fraction]) -> Fraction:
    """max over Q of <alpha, s>, by the definition of each set: over vertices, or over the kinks of the plane's dual."""
    if isinstance(Q, Simplices):
        blocks = [s[i * Q.K : (i + 1) * Q.K] for i in range(len(Q.totals))]
        return exact_dot(Q.totals, map(max, blocks))
    lower, upper = exact(Q.lower), exact(Q.upper)
    sigma, z = (exact(Q.sigma), Fraction(Q.z)) if isinstance(Q, BoxPlane) else ([Fraction(0)] * Q.size, Fraction(0))
    kinks = [x / g for x, g in zip(s, sigma, strict=True) if g] or [Fraction(0)]
    return min(
        b * z + sum(max(l * (x - b * g), u * (x - b * g)) for l, u, x, g in zip(lower, upper, s, sigma, strict=True))
        for b in kinks
    )


def exact_smooth_support(Q: Simplices, s: list[Fraction], kappa: Fraction) -> Fraction:
    """max over Q of <alpha, s> - kappa/2 |alpha|^2, at the projection of s/kappa."""
    value = Fraction(0)
    for i, total in enumerate(exact(Q.totals)):
        row = [x / kappa for x in s[i * Q.K : (i + 1) * Q.K]]
        falling = sorted(row, reverse=True)
        theta = max((sum(falling[:r]) - total) / r for r in range(1, Q.K + 1))
        alpha = [max(x - theta, Fraction(0)) for x in row]
        value += kappa * sum(a * (x - a / 2) for a, x in zip(alpha, row, strict=True))
    return value


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
