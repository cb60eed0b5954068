"""Who else minimises the risks of the package: a function each, which gives ``fit(tol) -> (w, None)``.

All minimise 1/2 |w|^2 + C sum of losses, our problem at lam = 1/(n C). Their iteration limits are raised, so that the
tolerance ends a fit, or the cap. What a peer cannot leave unpenalised, a bias or thresholds, is a column of size
``scale``: the larger, the nearer to our problem and the slower the peer. Its J is that of the best biases for its w.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import pragam
from _common import cpu_limit
from _peers import MAX_ITER, MAX_STEPS, Answer, Fit


def scales(C: float) -> list[float]:
    """Sizes of the column of a bias at this C: each is tried, and the best one counts."""
    return [scale / np.sqrt(C) for scale in (1.0, 10.0)]


class Rival(NamedTuple):
    """Somebody to compare with. ``prepare`` makes the fit, off the clock.

    judged      over a sweep of its tolerances, by J(w)
    timed       as it is, whatever it has found: another problem, or no tolerance
    certified   by its own certificate: it is pragam
    """

    prepare: Callable[[], Fit]
    kind: str = "judged"


def certified(build: Callable[[], pragam.Problem], cap: float) -> Fit:
    """pragam's default, the building of the problem included; what it certifies stands for a dual point."""

    def fit(tol: float) -> Answer:
        result = pragam.solve(build(), "auto", tol=tol, callback=cpu_limit(cap))
        return result.w, result.certificate.relative_gap

    return fit


def estimator(model: Any, X: Any, y: Any) -> Fit:
    """An estimator of ours."""

    def fit(tol: float) -> Answer:
        fitted = model.set_params(tol=tol).fit(X, y)
        return fitted.coef_, fitted.certificate_.relative_gap

    return fit


def as_it_is(model: Any, X: Any, y: Any) -> Rival:
    """An estimator of scikit-learn, with the settings it has: it is only timed."""

    def fit(tol: float) -> Answer:
        model.fit(X, y)
        return np.empty(0), None

    return Rival(lambda: fit, "timed")


# -------------------------------------------------------------- LIBLINEAR


def liblinear(X: Any, y: Any, C: float, **settings: Any) -> Rival:
    """scikit-learn's LinearSVC without a bias: of several classes one against the rest, or all at once."""
    from sklearn.svm import LinearSVC

    def fit(tol: float) -> Answer:
        model = LinearSVC(C=C, tol=tol, max_iter=MAX_ITER, fit_intercept=False, random_state=0, **settings)
        return model.fit(X, y).coef_, None

    return Rival(lambda: fit)


def linear_svr(X: Any, y: np.ndarray, C: float, epsilon: float) -> Rival:
    """LIBLINEAR's dual coordinate descent, as scikit-learn's LinearSVR, without a bias."""
    from sklearn.svm import LinearSVR

    def fit(tol: float) -> Answer:
        model = LinearSVR(C=C, epsilon=epsilon, tol=tol, max_iter=MAX_ITER, fit_intercept=False, random_state=0)
        return model.fit(X, y).coef_, None

    return Rival(lambda: fit)


def reduction(X: np.ndarray, y: np.ndarray, C: float, scale: float) -> Rival:
    """K levels as n (K - 1) examples of two classes, (x_i, scale e_k) is above threshold k or not: LinearSVC."""
    from sklearn.svm import LinearSVC

    K = int(y.max()) + 1

    def prepare() -> Fit:
        thresholds = np.tile(scale * np.eye(K - 1), (len(y), 1))
        rows = np.hstack([np.repeat(X, K - 1, axis=0), thresholds])
        above = np.where(y[:, None] > np.arange(K - 1), 1, -1).ravel()

        def fit(tol: float) -> Answer:
            model = LinearSVC(C=C, loss="hinge", tol=tol, max_iter=MAX_ITER, fit_intercept=False, random_state=0)
            return model.fit(rows, above).coef_[0, : X.shape[1]], None

        return fit

    return Rival(prepare)


# ----------------------------------------------------------------- others


def rehline(X: np.ndarray, y: np.ndarray, C: float, loss: dict[str, Any], scale: float = 0.0) -> Rival:
    """ReHLine's coordinate descent, with a column of size ``scale`` for the bias, or without one."""
    rows = np.column_stack([X, np.full(len(y), scale)]) if scale else X

    def fit(tol: float) -> Answer:
        from rehline import plqERM_Ridge

        model = plqERM_Ridge(loss, C=C, tol=tol, max_iter=MAX_ITER).fit(rows, y)
        return np.ravel(model.coef_)[: X.shape[1]], None

    return Rival(lambda: fit)


def libsvm_svr(X: np.ndarray, y: np.ndarray, C: float, epsilon: float) -> Rival:
    """LIBSVM with a linear kernel, as scikit-learn's SVR: its bias is free."""
    from sklearn.svm import SVR

    def fit(tol: float) -> Answer:
        model = SVR(kernel="linear", C=C, epsilon=epsilon, tol=tol, max_iter=MAX_STEPS, cache_size=1000).fit(X, y)
        return model.coef_, None

    return Rival(lambda: fit)


def svor(X: np.ndarray, y: np.ndarray, C: float) -> Rival:
    """skordinal's SVOR with all thresholds (Chu and Keerthi). Its linear kernel is <x, x'>/d: our lam is d/(n C).

    It keeps no w: the scores of the unit vectors are its entries.
    """

    def prepare() -> Fit:
        from skordinal.classifiers import SVOR

        points = np.vstack([np.zeros(X.shape[1]), np.eye(X.shape[1])])

        def fit(tol: float) -> Answer:
            scores = SVOR(C=C, kernel="linear", tol=tol, constraints="implicit").fit(X, y).predict_projection(points)
            return scores[1:] - scores[0], None

        return fit

    return Rival(prepare)


def quantreg(X: np.ndarray, y: np.ndarray, q: float) -> Rival:
    """statsmodels' iterated least squares, unpenalised: it is only timed."""

    def prepare() -> Fit:
        from statsmodels.regression.quantile_regression import QuantReg

        rows = np.column_stack([X, np.ones(len(y))])

        def fit(tol: float) -> Answer:
            QuantReg(y, rows).fit(q=q, max_iter=MAX_ITER)
            return np.empty(0), None

        return fit

    return Rival(prepare, "timed")
