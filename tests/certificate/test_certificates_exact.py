"""Every certificate is a theorem about the stored floats: judged in rational arithmetic over generated problems.

CI judges some thousand problems. A campaign is one command, with as many seeds as there is time for, and a first one:

    PRAGAM_SEEDS=100000 PRAGAM_FIRST_SEED=0 pytest -n2 tests/certificate/test_certificates_exact.py

A failure names its seeds: ``adversarial(seed)`` of tests/adversarial.py makes the problem and the settings again.
"""

from __future__ import annotations

import os
from fractions import Fraction
from math import inf

import numpy as np
import pytest

import pragam
from adversarial import adversarial, ordinary
from exact_form import form
from exact_judge import exact_dual, exact_optimum, exact_primal
from exact_lifted import knows_optimum

SEEDS = int(os.environ.get("PRAGAM_SEEDS", "2000"))
FIRST = int(os.environ.get("PRAGAM_FIRST_SEED", "0"))
#: Parts of the seeds, so that several processes can share them.
PARTS = 8
#: The exact optimum is computed up to this many dual variables, and beyond where D alone does not confirm a bound.
SMALL, LARGE = 12, 40


def seeds(part, share=1.0):
    return range(FIRST + part, FIRST + int(SEEDS * share), PARTS)


def faults(problem, certificate, w, alpha, converged_at=None):
    """What is false in a certificate of (w, alpha), in words; ``converged_at`` is the tolerance it is said to meet."""
    proof = certificate
    primal = exact_primal(problem, w, proof.biases)
    dual = _largest_dual(problem, proof.dual, alpha)
    found = []
    if not proof.primal >= primal:
        found.append(f"primal {proof.primal!r} is below J by {_relative(primal, proof.primal):.1e}")
    if not proof.dual <= dual:
        found.append(f"dual {proof.dual!r} is above D by {_relative(proof.dual, dual):.1e}")
    if not proof.rigorous:
        found.append("it is not rigorous")
    if not _is_rounded_up(proof):
        found.append(f"its gap {proof.gap!r} or {proof.relative_gap!r} is rounded down")
    if converged_at is not None and not primal - dual <= Fraction(converged_at) * max(abs(primal), abs(dual)):
        found.append(f"converged at {converged_at:.1e}, but the true gap is {_relative(primal, dual):.1e}")
    return found


def _is_rounded_up(proof):
    if inf in (proof.primal, -proof.dual):
        return proof.gap == proof.relative_gap == inf
    primal, dual = Fraction(proof.primal), Fraction(proof.dual)
    gap, size = primal - dual, max(abs(primal), abs(dual))
    return proof.gap >= gap and (proof.relative_gap == inf or Fraction(proof.relative_gap) * size >= gap)


def _largest_dual(problem, claimed, alpha):
    """The largest lower bound of min J that is known: the optimum, or D of alpha where that confirms the claim."""
    m = problem.Q.size if knows_optimum(form(problem)) else inf
    dual = exact_dual(problem, alpha) if m > SMALL else None
    if m <= SMALL or (m <= LARGE and (dual is None or not claimed <= dual)):
        return exact_optimum(problem, near=alpha)
    return -inf if dual is None else dual


def _relative(a, b):
    """(a - b) / max(|a|, |b|), for the eye."""
    if inf in (abs(a), abs(b)):
        return inf
    a, b = Fraction(a), Fraction(b)
    return float((a - b) / (max(abs(a), abs(b)) or 1))


def complain(failures):
    """All failures at once: each names its seed."""
    assert not failures, f"{len(failures)} faults:\n" + "\n".join(failures[:40])


@pytest.mark.parametrize("part", range(PARTS))
def test_no_certificate_of_a_solve_is_false(part):
    failures = []
    for seed in seeds(part):
        problem, text, settings = adversarial(seed)
        if settings["solver"] is None:
            continue
        try:
            result = pragam.solve(problem, **settings)
        except Exception as error:  # whatever it is, the seed must be named
            failures.append(f"seed {seed}: {type(error).__name__}: {error}; {text}")
            continue
        tol = settings["tol"] if result.converged else None
        found = faults(problem, result.certificate, result.w, result.alpha, tol)
        failures += [f"seed {seed}: {fault}; {result.status.name}; {text}" for fault in found]
    complain(failures)


@pytest.mark.parametrize("part", range(PARTS))
def test_no_certificate_of_a_stranger_is_false(part):
    """Weights, intercepts and dual variables of anybody: refused, or certified truly, as nearly all must be."""
    failures, judged = [], 0
    for seed in seeds(part):
        problem, text, _ = adversarial(seed)
        rng = np.random.default_rng([seed, 3])
        w, alpha, bias = _stranger(rng, problem)
        try:
            proof = pragam.certify(problem, w, alpha, bias)
        except ValueError as error:
            if type(error) is not ValueError or "not in Q" not in str(error):
                failures.append(f"seed {seed}: {type(error).__name__}: {error}; {text}")
            continue
        except Exception as error:  # as above
            failures.append(f"seed {seed}: {type(error).__name__}: {error}; {text}")
            continue
        judged += proof.dual > -inf
        failures += [f"seed {seed}: {fault}; {text}" for fault in faults(problem, proof, w, alpha)]
    complain(failures)
    assert judged >= 0.9 * len(seeds(part))


def _stranger(rng, problem):
    """A point of Q, or one near it as rounding leaves it; weights that fit it, or any."""
    Q = problem.domain
    with np.errstate(all="ignore"):
        alpha = Q.project(Q.sample(rng) * rng.choice([0.0, 1.0, 1e-9]))
        w = problem.w_of_alpha(alpha)
    if rng.random() < 0.5 or not np.isfinite(w).all():
        w = rng.standard_normal(problem.n_weights) * 10.0 ** rng.choice([-160, -5, 0, 5, 140])
    alpha = alpha * (1 + rng.choice([0.0, 1e-16, 1e-13]) * rng.standard_normal(Q.size))
    biases = 10 ** rng.uniform(-3, 8) * rng.standard_normal(problem.n_biases)
    return w, alpha, biases if problem.n_biases and rng.random() < 0.3 else None


@pytest.mark.parametrize("part", range(PARTS))
def test_the_slack_of_ordinary_problems_is_small(part):
    """Loose bounds prove nothing: J and D are certified within max(2e-13, tol/10) |J|, or the status is ROUNDING, or
    the budget ended with a gap of ten times the slack and more."""
    failures = []
    for seed in seeds(part, 0.1):
        problem, text, settings = ordinary(seed)
        tol = 10 ** np.random.default_rng(seed).uniform(-12, -2)
        result = pragam.solve(problem, **{**settings, "tol": tol, "max_seconds": 5.0})
        proof = result.certificate
        primal, dual = exact_primal(problem, result.w, proof.biases), exact_dual(problem, result.alpha)
        slack = Fraction(proof.primal) - primal + dual - Fraction(proof.dual)
        allowed = max(2e-13 * abs(primal), tol / 10 * abs(primal), 0 if result.converged else proof.gap / 10)
        if result.status.name != "ROUNDING" and slack > allowed:
            failures.append(f"seed {seed}: slack {float(slack / abs(primal)):.1e} at tol {tol:.1e}; {text}")
        failures += [f"seed {seed}: {f}; {text}" for f in faults(problem, proof, result.w, result.alpha)]
    complain(failures)
