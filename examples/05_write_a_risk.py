"""Your own risk in a few lines: quantile regression, certified like everything else.

A risk is a polytope Q, a linear map A and an offset c with R(w) = max over alpha in Q of <alpha, A w + c>. The pinball
loss of the residual r = t - <x, w> - b is max(q r, (q - 1) r) = max over a in [q - 1, q] of a r. The intercept b is
not penalised: it has a column of its own, B, beside the map A of the weights.
"""

import numpy as np

import pragam
from pragam.operators import Planes, ScaledRows
from pragam.polytopes import Box


def quantile(X, t, q: float, lam: float) -> pragam.Problem:
    """J(w) = lam/2 |w|^2 + min over b of (1/n) sum_i max(q r_i, (q-1) r_i),  r_i = t_i - <x_i, w> - b."""
    n = len(t)
    A = ScaledRows(X, -np.ones(n))
    Q = Box(np.full(n, (q - 1) / n), np.full(n, q / n))
    return pragam.Problem(A, np.asarray(t, dtype=np.float64), Q, lam, B=Planes(-np.ones(n)))


rng = np.random.default_rng(0)
X = rng.standard_normal((2000, 5))
t = X @ np.arange(5.0) + 10 + rng.exponential(size=2000)

for q in (0.1, 0.5, 0.9):
    result = pragam.solve(quantile(X, t, q, lam=1e-3), tol=1e-8)
    below = np.mean(t <= X @ result.w + result.bias)
    print(
        f"quantile {q}: {below:.3f} of the targets are at or below it, intercept {result.bias:.3f} "
        f"(true {10 - np.log(1 - q):.3f}), relative gap {result.certificate.relative_gap:.1e}"
    )
    assert result.converged and abs(below - q) < 0.01
