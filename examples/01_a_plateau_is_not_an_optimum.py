"""A plateau is not an optimum: three fits of scikit-learn's LinearSVC, and how far each is above the minimum.

The data are of the kind reported in scikit-learn's issue 22283: Gaussian X, 1000 x 300, hinge loss, C = 1, no
intercept. LIBLINEAR stops when its last steps are small, so it cannot tell a plateau from an optimum. Any of pragam's
dual points bounds the minimum from below. ``pragam.certify`` turns that into a number for *any* weights, whatever
computed them.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import pragam

n, d, C = 1000, 300, 1.0
rng = np.random.default_rng(0)
X = rng.standard_normal((n, d))
noise = 0.5 * np.sqrt(d) * rng.standard_normal(n)
y = np.where(X @ rng.standard_normal(d) + noise > 0, 1, -1)

problem = pragam.hinge(X, y, lam=1 / (n * C), bias=False)
result = pragam.solve(problem, tol=1e-9)


def above(w: np.ndarray) -> float:
    """How far J(w) is above the best lower bound, relative to it. J(w) exceeds the minimum by at most this."""
    certificate = pragam.certify(problem, w, result.alpha)
    return certificate.primal / certificate.dual - 1


print(f"{'':46}{'iterations':>10}{'warned':>8}{'above the minimum by':>22}")
for settings in ({}, {"max_iter": 100_000}, {"max_iter": 100_000, "tol": 1e-12}):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model = LinearSVC(loss="hinge", C=C, fit_intercept=False, random_state=0, **settings).fit(X, y)
    name = f"LinearSVC({', '.join(f'{k}={v:g}' for k, v in settings.items()) or 'defaults'})"
    print(f"{name:46}{model.n_iter_:>10}{'yes' if caught else 'no':>8}{above(model.coef_):>20.4%}")
name = f"pragam.solve(tol=1e-9): {result.solver}"
print(f"{name:46}{result.n_iter:>10}{'no' if result.converged else 'yes':>8}{above(result.w):>20.1e}")
print(f"\nJ(w) = {result.certificate.primal:.12f}\nD(alpha) = {result.certificate.dual:.12f}  (no w has a smaller J)")
