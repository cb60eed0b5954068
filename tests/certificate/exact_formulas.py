"""The loss of every risk at one example in Fractions, as the formula says and as slowly as it likes.

``LOSSES[name](u, y, f, **parameters)`` is u times the loss at the scores f of one example, one for each bias where
there are several. The numbers that a problem rounds are rounded here as well: see pragam.certificate.exact.risks.
"""

from __future__ import annotations

from fractions import Fraction


def _smooth(u, s, width):
    """max over 0 <= a <= u of a s - kappa/2 a^2, kappa = width/u rounded."""
    kappa = Fraction(width / float(u)) if u else Fraction(0)
    if s <= 0 or not u:
        return Fraction(0)
    return s * s / (2 * kappa) if s <= kappa * u else u * s - kappa * u * u / 2


def hinge(u, y, f, bias):
    return u * max(1 - int(y) * f[0], 0)


def squared_hinge(u, y, f, bias):
    s = max(1 - int(y) * f[0], 0)
    return s * s / (2 * Fraction(0.5 / float(u))) if u else Fraction(0)


def smoothed_hinge(u, y, f, bias, gamma):
    return _smooth(u, 1 - int(y) * f[0], gamma)


def epsilon_insensitive(u, y, f, bias, epsilon):
    return u * (max(Fraction(float(y) - epsilon) - f[0], 0) + max(f[0] + Fraction(-float(y) - epsilon), 0))


def quantile(u, y, f, bias, q):
    r = Fraction(float(y)) - f[0]
    return max(Fraction(q * float(u)) * r, Fraction((q - 1) * float(u)) * r)


def ordinal_hinge(u, y, f, n_levels, thresholds):
    near = range(n_levels - 1) if thresholds == "all" else [k for k in (y - 1, y) if 0 <= k < n_levels - 1]
    return u * sum(max(1 - (1 if y > k else -1) * f[k], 0) for k in near)


def multiclass_hinge(u, y, f, bias, n_classes, cost):
    def margin(k):
        return int(k != y) if cost is None else Fraction(cost[y][k])

    return u * max(margin(k) + f[k] - f[y] for k in range(n_classes))


def multilabel_hinge(u, y, f, bias):
    right, wrong = ([x for x, is_right in zip(f, y, strict=True) if is_right == side] for side in (True, False))
    return u * max(0, 1 + max(wrong) - min(right)) if right and wrong else Fraction(0)


LOSSES = {
    loss.__name__: loss
    for loss in (
        hinge, squared_hinge, smoothed_hinge, epsilon_insensitive, quantile, ordinal_hinge, multiclass_hinge,
        multilabel_hinge,
    )
}  # fmt: skip


def naive_primal(risk, X, y, w, biases, weights=None):
    """J(w, biases), one product at a time."""
    parameters = {key: value for key, value in risk.items() if key not in ("name", "lam")}
    n, d = X.shape
    w, biases = [Fraction(v) for v in w.tolist()], [Fraction(b) for b in biases]
    value = Fraction(risk["lam"]) / 2 * sum(v * v for v in w)
    for i in range(n):
        x = [Fraction(v) for v in X[i].tolist()]
        f = [sum(a * b for a, b in zip(x, w[k : k + d], strict=True)) for k in range(0, len(w), d)]
        if len(biases) > len(f):  # thresholds share the direction
            f = f * len(biases)
        f = [a + b for a, b in zip(f, biases, strict=True)] if biases else f
        u = Fraction((1.0 if weights is None else float(weights[i])) / n)
        value += LOSSES[risk["name"]](u, y[i].tolist(), f, **parameters)
    return value
