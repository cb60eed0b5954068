r"""A certificate of data in blocks is a sum of what the blocks say, as rigorous as that of the whole, and as tight.

Problem:    The binary hinge on rows in K blocks, each read by itself; with and without a bias, columns of sizes from
            1e-3 to 1e3, lam from 1e-6 to 1.
Algorithm:  One reading of the blocks at (w, alpha): A_k w block by block, and u = sum over k of A_k' alpha_k.
Guarantee:  primal >= J(w, b) and dual <= D(alpha) for the floats as stored, whatever the blocks and their order: a sum
            of m terms rounds by at most gamma(m) of the sum of their sizes, however it is bracketed. The gap that is
            certified is at most 1.05 times that of the whole in one piece, at a gap of 1e-9.
Source:     Higham, Accuracy and Stability of Numerical Algorithms (2002), section 4.2; docs/certificates.md.
Tight:      No, these are worst-case bounds of rounding.
Corrected:  Nothing. The paper has its data in one piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from pragam.certificate import certify
from pragam.certificate.exact import Judged, judge
from pragam.certificate.proof import Certificate
from pragam.driver.result import Result
from pragam.driver.solve import solve
from pragam.operators import ScaledRows, check_data
from pragam.operators.storage import InMemory
from pragam.paper.theory._check import Check, worst_case
from pragam.problem import Problem
from pragam.risks import hinge

REFERENCE = "Higham 2002, section 4.2"


def check() -> Iterator[Check]:
    runs = [run for seed in range(6) for run in _runs(seed)]
    yield worst_case(
        "certificate_of_blocks.primal",
        "primal - J(w, b) >= 0 in rational arithmetic, in units of J, from blocks of any sizes.",
        ((float((Fraction(proof.primal) - exact.primal) / exact.primal), 0.0) for proof, exact, _ in runs),
        ">=",
        0.0,
        REFERENCE,
    )
    yield worst_case(
        "certificate_of_blocks.dual",
        "D of the repaired alpha - dual >= 0 in rational arithmetic, in units of J.",
        ((float((exact.dual - Fraction(proof.dual)) / exact.primal), -_moved(exact)) for proof, exact, _ in runs),
        ">=",
        0.0,
        REFERENCE,
    )
    yield worst_case(
        "certificate_of_blocks.gap",
        "The gap from blocks over that of the whole, at a tolerance of 1e-9.",
        ((proof.gap / whole.gap, 1.05) for proof, _, whole in runs if whole.gap > 1e-12 * whole.primal),
        "<=",
        0.0,
        REFERENCE,
    )


def _moved(exact: Judged) -> float:
    """How much D may differ by where both judges repair alpha, each in its own way: nothing to speak of."""
    return float(exact.moved / exact.primal)


def _runs(seed: int) -> Iterator[tuple[Certificate, Judged, Certificate]]:
    """(from blocks, exactly, from the whole) at the solution of the whole."""
    rng = np.random.default_rng(seed)
    n, d = 60, 4
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-3, 3, d)
    y = np.where(rng.random(n) < 0.5, 1, -1)
    lam = float(10.0 ** rng.uniform(-6, 0) * np.mean(np.sum(X * X, axis=1)))
    for bias in (False, True):
        problem = hinge(X, y, lam, bias=bias)
        found = solve(problem, "dcd", tol=1e-9, max_iter=400)
        cuts = np.sort(rng.choice(np.arange(1, n), 5, replace=False)).tolist()
        proof = certify(_in_blocks(problem, X, [0, *cuts, n]), found.w, found.alpha, found.biases)
        whole = certify(problem, found.w, found.alpha, found.biases)
        yield proof, _exact(X, y, lam, bias, found), whole


def _in_blocks(problem: Problem, X: np.ndarray, cuts: Sequence[int]) -> Problem:
    """The same problem, X in blocks."""
    blocks = InMemory([check_data(X[a:b]) for a, b in pairwise(cuts)])
    return replace(problem, A=ScaledRows(blocks, problem.A.scale))


def _exact(X: np.ndarray, y: np.ndarray, lam: float, bias: bool, found: Result) -> Judged:
    return judge({"name": "hinge", "lam": lam, "bias": bias}, X, y, found.w, found.biases, found.alpha)
