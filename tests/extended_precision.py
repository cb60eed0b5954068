r"""J and D of a hinge and of a maximum of affine functions in more digits, from X, y, lam and the weights alone.

The numbers are longdoubles (64 bits of mantissa on x86) or Fractions (exact): the same code runs on both, and nothing
of the package's operators, polytopes or kernels is used.

*How far float64 may be off.* A sum of products, k roundings deep, errs by at most g = k eps (k eps/2 and terms of
higher order) times the same sum of absolute values. Here k <= n + d + 10. So with t_i = 1 + sum_j |x_ij w_j| + |b|,

    |error of J| <= g (lam/2 |w|^2 + 2 sum_i upper_i t_i)                      the margins, then their weighted sum
    |error of D| <= g (sum |alpha| + |u|^2/lam) + |u| e/lam + e^2/(2 lam),     u = X' (y alpha),
                    e = g |X|' |alpha| in Euclidean norm                       the rounding of u itself
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

EPS = np.finfo(np.float64).eps
WIDER = np.finfo(np.longdouble).eps < 1e-3 * EPS


def longdouble(x):
    return np.asarray(x, dtype=np.longdouble)


def exact(x):
    """Every float64 is a fraction."""
    x = np.asarray(x, dtype=np.float64)
    return np.array([Fraction(float(v)) for v in x.ravel()], dtype=object).reshape(x.shape)


class Hinge:
    r"""J(w, b) = lam/2 |w|^2 + sum_i upper_i [1 - y_i (<x_i, w> + b)]_+,  D(alpha) = sum_i alpha_i - |u|^2/(2 lam)."""

    def __init__(self, X, y, lam, upper, number):
        self.number, self.floats = number, (np.abs(X), upper, lam, (sum(X.shape) + 10) * EPS)
        self.X, self.y, self.upper, self.lam = number(X), number(y), number(upper), number(lam)[()]

    def primal(self, w, bias):
        w, bias = self.number(w), self.number(bias)[()]
        margins = 1 - self.y * (self.X.dot(w) + bias)
        losses = self.upper * np.where(margins > 0, margins, 0 * margins)
        return self.lam * w.dot(w) / 2 + losses.sum()

    def primal_error(self, w, bias):
        sizes, upper, lam, g = self.floats
        return g * (0.5 * lam * w @ w + 2 * upper @ (1 + sizes @ np.abs(w) + abs(bias)))

    def dual(self, alpha):
        alpha = self.number(alpha)
        u = self.X.T.dot(self.y * alpha)
        return alpha.sum() - u.dot(u) / (2 * self.lam)

    def dual_error(self, alpha):
        sizes, _, lam, g = self.floats
        u = float(np.linalg.norm((self.X.T.dot(self.y * self.number(alpha))).astype(np.float64)))
        e = g * float(np.linalg.norm(sizes.T @ np.abs(alpha)))
        return g * (np.abs(alpha).sum() + u * (u / lam)) + u * (e / lam) + e * (e / lam) / 2

    def off_box(self, alpha):
        alpha = self.number(alpha)
        return max(0, (-alpha).max(), (alpha - self.upper).max())

    def off_plane(self, alpha):
        return abs(self.y.dot(self.number(alpha)))


class MaxAffine:
    r"""J(w) = lam/2 |w|^2 + max_i <a_i, w> + b_i,  D(alpha) = <b, alpha> - |A alpha|^2/(2 lam), a_i columns of A."""

    def __init__(self, A, b, lam, number):
        self.number, self.floats = number, (np.abs(A), np.abs(b), lam, (sum(A.shape) + 10) * EPS)
        self.A, self.b, self.lam = number(A), number(b), number(lam)[()]

    def primal(self, w):
        w = self.number(w)
        return self.lam * w.dot(w) / 2 + (self.A.T.dot(w) + self.b).max()

    def primal_error(self, w):
        sizes, offsets, lam, g = self.floats
        return g * (0.5 * lam * w @ w + float((sizes.T @ np.abs(w) + offsets).max()))

    def dual(self, alpha):
        alpha = self.number(alpha)
        u = self.A.dot(alpha)
        return self.b.dot(alpha) - u.dot(u) / (2 * self.lam)

    def dual_error(self, alpha):
        sizes, offsets, lam, g = self.floats
        v = sizes @ np.abs(alpha)
        return g * (offsets @ np.abs(alpha) + 4 * float(v @ v) / lam)
