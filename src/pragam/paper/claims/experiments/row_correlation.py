r"""PRAGAM's constant L and the correlation of the rows.

n rows of unit length with <y_i x_i, y_j x_j> = rho for i != j have sigma_max^2 = 1 + (n - 1) rho: from 1 for orthogonal
rows to n for equal ones, as the paper says (its L lacks the factor 1/lam). That is a fact about L. The rate says
k <= const sqrt(L / eps), so whether k itself follows L is a second question, and it is measured: k is the number of
iterations until J(w_k) - J* <= 1e-3, with L given and with L adapted, for rho from 0 to 1.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import spearmanr

from pragam.compare.experiment import Floats
from pragam.paper.claims.experiments.counting import growth, iterations_to
from pragam.paper.claims.thresholds import THRESHOLDS
from pragam.paper.claims.verdict import Answer, Verdict
from pragam.problem import Problem
from pragam.risks import hinge
from pragam.solvers import Pragam

N = 100
RHOS = (0.0, 0.01, 0.03, 0.1, 0.3, 0.6, 0.9, 1.0)
LAMS = (1e-1, 1e-2, 1e-3)
EPS = 1e-3
MOST = 5_000
REFERENCE = "Section 4.1, paragraph 3, sentence 2"


def verdicts() -> list[Verdict]:
    """L against the correlation, then PRAGAM's iterations against L, given and adapted. A few seconds."""
    problems = {lam: [equicorrelated(rho, lam) for rho in RHOS] for lam in LAMS}
    sigma2 = [float(np.linalg.norm(_rows(rho), 2)) ** 2 for rho in RHOS]
    given = {
        lam: [iterations_to(p, Pragam(lipschitz=s2 / lam), EPS, MOST) for p, s2 in zip(some, sigma2, strict=True)]
        for lam, some in problems.items()
    }
    adapted = {lam: [iterations_to(p, Pragam(), EPS, MOST) for p in some] for lam, some in problems.items()}
    return [of_constant(sigma2), of_counts("given", sigma2, given), of_counts("adapted", sigma2, adapted)]


def of_constant(sigma2: list[float]) -> Verdict:
    """Whether lam L = sigma_max^2 rises from 1 to n."""
    right = np.allclose(sigma2, [1 + (N - 1) * rho for rho in RHOS], rtol=1e-9)
    words = ", ".join(f"{rho:g}: {value:.4g}" for rho, value in zip(RHOS, sigma2, strict=True))
    sentence = "lambda L = sigma_max^2 rises with the correlation of the rows, from 1 to n."
    return Verdict(
        sentence, REFERENCE, f"made, n = {N}", "confirmed" if right else "refuted", f"By correlation: {words}."
    )


def of_counts(kind: str, sigma2: list[float], counts: dict[float, list[float]]) -> Verdict:
    """Confirmed if counts and L have a rank correlation of at least 0.5 for every lam, refuted if some is <= 0."""
    rhos = [float(spearmanr(sigma2, some).statistic) for some in counts.values()]
    answer: Answer = "undecided"
    if all(np.isfinite(some).all() for some in counts.values()):
        low = min(rhos)
        answer = "confirmed" if low >= THRESHOLDS.correlation else "refuted" if low <= 0 else "undecided"
    words = "; ".join(
        f"lambda {lam:g}: {', '.join(f'{k:.0f}' for k in some)} ~ L^{growth(sigma2, some).slope:.2f}, "
        f"rank correlation {rho:.2f}"
        for (lam, some), rho in zip(counts.items(), rhos, strict=True)
    )
    sentence = f"PRAGAM's iterations, with L {kind}, rise with the correlation of the rows."
    return Verdict(sentence, REFERENCE, f"made, n = {N}", answer, f"Iterations to {EPS:g} by correlation: {words}.")


def equicorrelated(rho: float, lam: float) -> Problem:
    """The hinge without a bias on n rows, the y_i x_i with inner product rho."""
    y = np.where(np.arange(N) % 2 == 0, 1.0, -1.0)
    return hinge(y[:, None] * _rows(rho), y, lam=lam, bias=False)


def _rows(rho: float) -> Floats:
    """sqrt(1 - rho) e_i beside a last column sqrt(rho)."""
    return np.hstack([np.sqrt(1 - rho) * np.eye(N), np.full((N, 1), np.sqrt(rho))])
