r"""A counterexample: the dual of the chain's projection and its gradient as the paper prints them.

Problem:    The minimum of 1/2 sum_t d_t^2 |alpha_t - m_t|^2 over the marginals of a chain of T tables. With s_t(i, j) =
            lambda_t + xi_t(i, j) + mu_t(j) - mu_{t-1}(i), mu_0 = mu_T = 0, xi >= 0 its dual is the minimum of

                D = 1/2 sum_t d_t^-2 |s_t|^2 + <m_t, s_t> - lambda_t,      alpha_t = m_t + s_t / d_t^2.

Algorithm:  Algorithm 3: xi at its minimum, then a step in (lambda, mu) along minus the gradient. Any step length up to
            one over the largest curvature of D makes the corrected form descend; this one is that.
Guarantee:  weight:      With d_t^2 as printed, one table with one label, m = 0 and d = 2 gets the mass 1/16, not 1.
            lagrangian:  Without its 1/2 the Lagrangian has the derivative s_t at alpha_t, not 0.
            gradient:    dD/dmu_t(i) = sum_j alpha_t(j, i) - sum_j alpha_{t+1}(i, j), by central differences, which are
                         exact for a quadratic. With the plus as printed it is off by 2 sum_j s_{t+1}(i, j) / d_{t+1}^2.
            unbound:     With equal weights mu_t has the factor K - K = 0 in its own printed gradient. So nothing holds
                         it: from sweep 200 to 400 it at least doubles. The corrected alternation ends at the
                         projection.
Source:     Saha, Zhang and Vishwanathan, appendix "Special case: sequence" and Algorithm 3, disproved as printed.
Tight:      Yes, equalities, but for the growth.
Corrected:  As stated above; implemented in pragam.structured.chains.alternating.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pragam.numerics.vector import Vector
from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._quadratic import slopes
from pragam.structured import project_chain

PRINTED = "Saha, Zhang and Vishwanathan, appendix, special case: sequence (as printed)"
CORRECTED = "Saha, Zhang and Vishwanathan, appendix, special case: sequence (corrected)"
SHAPES = ((2, 2), (3, 2), (4, 3))
SWEEPS = 200


class Point(NamedTuple):
    """The multipliers of a chain."""

    lam: Vector  # (T,)
    xi: Vector  # (T, K, K)
    mu: Vector  # (T - 1, K)

    @property
    def s(self) -> Vector:
        ends = np.zeros((1, self.mu.shape[1]))
        mu = np.vstack([ends, self.mu, ends])
        return np.asarray(self.lam[:, None, None] + self.xi + mu[1:, None, :] - mu[:-1, :, None])


def check() -> Iterator[Check]:
    yield Check(
        "chain_dual_as_printed.weight",
        "With the weight d_t^2 in the dual one table with one label, m = 0 and d = 2 gets the mass 1/16.",
        _mass_at_the_printed_minimum(d=2.0),
        1 / 16,
        "==",
        1e-12,
        PRINTED,
    )
    yield worst_case(
        "chain_dual_as_printed.lagrangian",
        "The derivative of the printed Lagrangian at alpha_t = m_t + s_t/d_t^2 is s_t.",
        [pair for m, d, at in _instances() for pair in _lagrangian_slopes(m, d, at)],
        "==",
        1e-9,
        PRINTED,
    )
    yield worst_case(
        "chain_dual_as_printed.gradient",
        "dD/dmu_t(i) = sum_j alpha_t(j, i) - sum_j alpha_{t+1}(i, j), by central differences; the largest difference.",
        [(float(np.abs(_measured(m, d, at) - _by_mu(m, d, at, -1)).max()), 0.0) for m, d, at in _instances()],
        "<=",
        1e-9,
        CORRECTED,
    )
    yield worst_case(
        "chain_dual_as_printed.gradient_printed",
        "The printed dD/dmu_t(i) is too large by 2 sum_j s_{t+1}(i, j)/d_{t+1}^2.",
        [pair for m, d, at in _instances() for pair in _printed_errors(m, d, at)],
        "==",
        1e-9,
        PRINTED,
    )
    yield worst_case(
        "chain_dual_as_printed.unbound",
        f"With the printed gradient |mu| at least doubles from sweep {SWEEPS} to {2 * SWEEPS}.",
        [(_growth(m), 2.0) for m in _tables()],
        ">=",
        0.0,
        PRINTED,
    )
    yield worst_case(
        "chain_dual_as_printed.corrected",
        "With the corrected gradient the same alternation ends at the projection; the largest difference.",
        [(float(np.abs(_alternated(m, -1, 10 * SWEEPS)[1] - project_chain(m)).max()), 0.0) for m in _tables()],
        "<=",
        1e-9,
        CORRECTED,
    )


def _tables() -> Iterator[Vector]:
    """Tables to project: two that disagree about the node between them, and random ones."""
    m = np.zeros((2, 2, 2))
    m[0, 0, 0] = m[1, 1, 1] = 1.0
    yield m
    yield np.random.default_rng(0).standard_normal((3, 2, 2))


def _instances() -> Iterator[tuple[Vector, Vector, Point]]:
    """Tables, weights and multipliers at random."""
    rng = np.random.default_rng(1)
    for T, K in SHAPES:
        at = Point(rng.standard_normal(T), rng.random((T, K, K)), rng.standard_normal((T - 1, K)))
        yield rng.standard_normal((T, K, K)), rng.uniform(0.5, 2.0, T), at


def _dual(m: Vector, give: Vector, at: Point) -> float:
    """D with 1/2 sum_t give_t |s_t|^2."""
    return float(0.5 * (give[:, None, None] * at.s**2).sum() + (m * at.s).sum() - at.lam.sum())


def _mass_at_the_printed_minimum(d: float) -> float:
    """One table with one label, m = 0: lambda minimises d^2 lambda^2 / 2 - lambda, and alpha = lambda / d^2.

    The minimum of a parabola follows from its slope and curvature at 0, both by differences.
    """
    m, give = np.zeros((1, 1, 1)), np.array([d**2])
    below, at, above = (_dual(m, give, Point(np.array([x]), m, np.empty((0, 1)))) for x in (-1.0, 0.0, 1.0))
    lam = -0.5 * (above - below) / (above - 2 * at + below)
    return lam / d**2


def _lagrangian_slopes(m: Vector, d: Vector, at: Point) -> Iterator[tuple[float, float]]:
    alpha = m + at.s / d[:, None, None] ** 2

    def printed(a: Vector) -> float:
        # The multipliers of all constraints together are <s, alpha>, but for a constant.
        return float((d[:, None, None] ** 2 * (a.reshape(m.shape) - m) ** 2).sum() - (at.s * a.reshape(m.shape)).sum())

    yield from zip(slopes(printed, alpha.ravel()), at.s.ravel(), strict=True)


def _measured(m: Vector, d: Vector, at: Point) -> Vector:
    """dD/dmu by central differences."""
    return slopes(lambda mu: _dual(m, d**-2.0, at._replace(mu=mu.reshape(at.mu.shape))), at.mu.ravel()).reshape(
        at.mu.shape
    )


def _by_mu(m: Vector, d: Vector, at: Point, sign: int) -> Vector:
    """The formula for dD/dmu: -1 is the sign of the second table in the corrected one, +1 as printed."""
    s = at.s / d[:, None, None] ** 2
    return np.asarray((s[:-1] + m[:-1]).sum(axis=1) + sign * s[1:].sum(axis=2) - m[1:].sum(axis=2))


def _printed_errors(m: Vector, d: Vector, at: Point) -> Iterator[tuple[float, float]]:
    error = _by_mu(m, d, at, +1) - _measured(m, d, at)
    yield from zip(error.ravel(), (2 * at.s[1:] / d[1:, None, None] ** 2).sum(axis=2).ravel(), strict=True)


def _growth(m: Vector) -> float:
    early, late = (_alternated(m, +1, sweeps)[0].mu for sweeps in (SWEEPS, 2 * SWEEPS))
    return float(np.abs(late).max() / np.abs(early).max())


def _alternated(m: Vector, sign: int, sweeps: int) -> tuple[Point, Vector]:
    """The multipliers after that many sweeps of Algorithm 3 with equal weights, and alpha."""
    T, K = m.shape[:2]
    one, at = np.ones(T), Point(np.zeros(T), np.zeros_like(m), np.zeros((T - 1, K)))
    step = 1.0 / (4 * K * K)  # in lambda |s|^2 / 2 curves by at most 3 K^2, in mu by 6 K: s adds up three of them
    for _ in range(sweeps):
        at = at._replace(xi=np.maximum(-m - at._replace(xi=np.zeros_like(m)).s, 0.0))
        by_lam, by_mu = (m + at.s).sum(axis=(1, 2)) - 1, _by_mu(m, one, at, sign)
        at = at._replace(lam=at.lam - step * by_lam, mu=at.mu - step * by_mu)
    return at, m + at.s
