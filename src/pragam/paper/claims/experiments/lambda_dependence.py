r"""How iterations grow as lam falls: like lam^-1/2 for PRAGAM and like 1/lam for the others, by their bounds.

For lam = 2^-4 .. 2^-14 on one problem, k(lam) is the number of iterations until J(w_k) - J* <= 1e-3, and p the slope of
log k over log(1/lam). The bounds say p = 1/2 for PRAGAM and p = 1 for the others; a bound is not what happens, so p is
measured. PRAGAM's dependence is milder than another's if its p is less by at least 0.1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pragam.compare.experiment import Floats
from pragam.paper.claims.experiments.counting import growth, iterations_to
from pragam.paper.claims.thresholds import THRESHOLDS
from pragam.paper.claims.verdict import Answer, Verdict
from pragam.risks import hinge
from pragam.solvers import LsBmrm, PegasosN, Pragam, QpBmrm
from pragam.solvers.base import AnySolver

LAMS = tuple(2.0**-e for e in range(4, 15, 2))
EPS = 1e-3
MOST = 20_000
RIVALS: tuple[AnySolver, ...] = (QpBmrm(), LsBmrm(), PegasosN())
REFERENCE = "Section 4.1, paragraph 3, sentence 1"


def verdicts(X: ArrayLike | None = None, y: ArrayLike | None = None, name: str = "") -> list[Verdict]:
    """PRAGAM against each of the others, on these data or on a made problem of 200 x 20. Seconds for small data."""
    if X is None or y is None:
        X, y = _made()
        name = "made, 200 x 20"
    counts = {
        solver.name: [iterations_to(hinge(X, y, lam=lam, bias=False), solver, EPS, MOST) for lam in LAMS]
        for solver in (Pragam(), *RIVALS)
    }
    return [judged(rival.name, counts, name) for rival in RIVALS]


def judged(rival: str, counts: dict[str, list[float]], name: str) -> Verdict:
    """Undecided if a count is not known, or if PRAGAM's p is less by something below 0.1."""
    sizes = [1 / lam for lam in LAMS]
    mine, theirs = growth(sizes, counts["pragam"]), growth(sizes, counts[rival])
    answer: Answer = "undecided"
    if np.isfinite([*counts["pragam"], *counts[rival]]).all():
        difference = theirs.slope - mine.slope
        answer = "confirmed" if difference >= THRESHOLDS.milder else "refuted" if difference <= 0 else "undecided"
    words = "; ".join(
        f"{solver} {', '.join(f'{k:.0f}' for k in counts[solver])} ~ lam^-{fit.slope:.2f} (R^2 = {fit.r2:.2f})"
        for solver, fit in (("pragam", mine), (rival, theirs))
    )
    sentence = f"PRAGAM's iterations grow more slowly than those of {rival} as lambda falls."
    return Verdict(
        sentence, REFERENCE, name, answer, f"Iterations to {EPS:g} for lambda = 2^-4, 2^-6 .. 2^-14: {words}."
    )


def _made() -> tuple[Floats, Floats]:
    """Two overlapping classes, rows of unit length."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(200) < 0.5, 1.0, -1.0)
    X = rng.standard_normal((200, 20)) + 0.5 * y[:, None] * rng.random(20)
    return X / np.linalg.norm(X, axis=1, keepdims=True), y
