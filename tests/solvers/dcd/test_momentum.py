"""Momentum: it never lets the dual fall, and it saves sweeps."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from pragam._kernels.coordinate.records import OWN, C
from pragam.solvers.dcd import Dcd
from pragam.solvers.dcd.momentum import Momentum
from solvers.dcd.problems import sample, text, working_set


def _problem(kind, bias, seed):
    X, y = text(60, 80, 12, seed)
    return pragam.hinge(X if kind == "csr" else X.toarray(), y, lam=1e-3, bias=bias)


def point(work):
    """alpha, w, the residuals and <m, w>."""
    return np.concatenate([work.alpha, work.w, work.planes.running])


def value(work, lam, at):
    """F at a point, but for a constant."""
    n, d = work.size, work.w.size
    alpha, w, running = at[:n], at[n : n + d], at[n + d :]
    linear = work.table[:, C] @ alpha - work.table[:, OWN] @ alpha**2 / 2 - lam * w @ w / 2
    if not running.size:
        return linear
    planes, (*r, moment) = work.planes, running
    total = sum(r)
    square = planes.rho * np.dot(r, r) + planes.centre2 / lam * total**2 - 2 * total * moment
    return linear - square / 2 + planes.multiplier @ r


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("kind", ["csr", "dense"])
def test_momentum_never_falls_keeps_w_and_stays_in_the_box(kind, bias):
    gained = clipped = 0
    for seed in range(10):
        problem = _problem(kind, bias, seed)
        lam, momentum = problem.lam, Momentum()
        work, multipliers = working_set(problem, sample(problem, seed))
        for sweep in range(30):
            momentum.begin(work)
            swept = work.sweep(lam, np.inf, sweep)
            before = value(work, lam, point(work))
            gain = momentum.push(work, lam, swept.gain)
            after = value(work, lam, point(work))
            assert gain >= 0 and after - before == pytest.approx(gain, rel=1e-6, abs=1e-12)
            assert problem.Q.lower.min() <= work.alpha.min() and np.all(work.alpha <= problem.Q.upper)
            assert np.allclose(work.w, problem.w_of_alpha(work.alpha.copy()), atol=1e-9)
            if bias:
                assert multipliers.residuals == pytest.approx(problem.B.sigma @ work.alpha, abs=1e-12)
                assert work.planes.running[-1] == pytest.approx(multipliers.centre @ work.w, abs=1e-9)
                multipliers.ascend()
            gained += gain > 0
            clipped += not momentum.has_history
    assert gained > 100 and clipped > 0


@pytest.mark.parametrize("bias", [False, True])
def test_momentum_ends_at_the_maximum_of_the_plane(bias):
    """What it keeps as the slope along h is the derivative of F there, by differences."""
    for seed in range(10):
        problem = _problem("dense", bias, seed)
        lam, momentum = problem.lam, Momentum()
        work, multipliers = working_set(problem, sample(problem, seed))
        for sweep in range(15):
            momentum.begin(work)
            momentum.push(work, lam, work.sweep(lam, np.inf, sweep).gain)
            at, h = point(work), momentum.history
            if momentum.has_history:
                difference = np.subtract(*(value(work, lam, at + e * h) for e in (1e-3, -1e-3))) / 2e-3
                assert momentum.slope == pytest.approx(difference, rel=1e-4, abs=1e-10)
            if bias:
                multipliers.ascend()


def test_momentum_saves_sweeps():
    passes = {}
    for use in (False, True):
        passes[use] = 0.0
        for seed in range(6):
            X, y = text(2500, 2000, 40, seed)
            problem = pragam.hinge(X, y, lam=1e-4, bias=False)
            result = pragam.solve(problem, Dcd(momentum=use, face=False), tol=1e-9)
            assert result.converged
            passes[use] += result.history.passes[-1]
    assert passes[True] < 0.7 * passes[False]
