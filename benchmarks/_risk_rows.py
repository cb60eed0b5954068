"""The rows of ``risks_versus_peers.py``: for each risk and data set our problem, and who else solves it.

C is that of the sum form, 1/2 |w|^2 + C sum of losses; our lam is 1/(n C). There is no bias unless it is said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import QuantileRegressor
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

import _risk_data as data
import pragam
from _common import cpu_limit
from _peers import Answer, Fit
from _risk_peers import (
    Rival,
    as_it_is,
    certified,
    estimator,
    liblinear,
    libsvm_svr,
    linear_svr,
    quantreg,
    reduction,
    rehline,
    scales,
    svor,
)

Build = Callable[[], pragam.Problem]
Load = Callable[[], data.Data]
REGRESSIONS = ("abalone", "cadata", "cpusmall", "kin8nm")
SMALL = ("iris", "wine", "vehicle", "dna", "digits")
CRAMMER_SINGER = {"multi_class": "crammer_singer"}
EPSILON = 0.1


class Scope(NamedTuple):
    """What the command line asks for: the share of the rows of each set, and seconds for a fit."""

    size: float = 1.0
    cap: float = 20.0

    def of(self, load: Load) -> data.Data:
        return data.some(load(), self.size)


class Case(NamedTuple):
    """Problems that judge (several are summed), our fit, the rivals; ``says`` tells what our w is worth beside J."""

    builds: list[Build]
    ours: Fit
    rivals: Mapping[str, Rival]
    tols: tuple[float, ...] = ()  # not those of the command line
    says: Callable[[np.ndarray], str] | None = None


def _case(build: Build, scope: Scope, rivals: Mapping[str, Rival], **options: Any) -> Case:
    return Case([build], certified(build, scope.cap), rivals, **options)


# ----------------------------------------------------------------- labels


def crammer_singer(load: Load, C: float, scope: Scope) -> Case:
    X, y = scope.of(load)
    build = partial(pragam.multiclass_hinge, X, y, 1 / (C * len(y)))
    return _case(build, scope, {"LIBLINEAR": liblinear(X, y, C, **CRAMMER_SINGER)})


def with_biases(load: Load, C: float, scope: Scope) -> Case:
    """Ours without biases is in the place of ours, and ours with them is the rival."""
    X, y = scope.of(load)
    build = partial(pragam.multiclass_hinge, X, y, 1 / (C * len(y)))
    rival = Rival(lambda: certified(partial(build, bias=True), scope.cap), "certified")
    return _case(build, scope, {"ours with biases": rival})


def held_out(load: Load, C: float, scope: Scope) -> Case:
    """With biases, on three quarters of the rows; the accuracy on the others. LIBLINEAR, which would penalise biases,
    solves the problem without them and is judged by it."""
    X, y = scope.of(load)
    train = np.random.default_rng(0).permutation(len(y)) % 4 > 0
    build = partial(pragam.multiclass_hinge, X[train], y[train], 1 / (C * train.sum()))
    classes = np.unique(y[train])

    def ours(tol: float) -> Answer:
        result = pragam.solve(build(bias=True), "auto", tol=tol, callback=cpu_limit(scope.cap))
        return np.append(result.w, result.biases), result.certificate.relative_gap

    def accuracy(w: np.ndarray) -> str:
        W, biases = np.split(w, [len(classes) * X.shape[1]])
        scores = X[~train] @ W.reshape(len(classes), -1).T + biases
        return f"{np.mean(classes[scores.argmax(axis=1)] == y[~train]):.1%} right"

    peer = liblinear(X[train], y[train], C, **CRAMMER_SINGER)
    return Case([build], ours, {"LIBLINEAR, no biases": peer}, tols=(1e-2,), says=accuracy)


def one_vs_rest(load: Load, C: float, scope: Scope) -> Case:
    """J is the sum over the classes."""
    X, y = scope.of(load)
    lam = 1 / (C * len(y))
    builds = [partial(pragam.hinge, X, np.where(y == k, 1.0, -1.0), lam, bias=False) for k in np.unique(y)]
    model = pragam.LinearSVC(C=C, loss="hinge", fit_intercept=False, max_seconds=scope.cap)
    return Case(list(builds), estimator(model, X, y), {"LinearSVC": liblinear(X, y, C, loss="hinge")})


def multilabel(load: Load, C: float, scope: Scope) -> Case:
    X, Y = scope.of(load)
    build = partial(pragam.multilabel_hinge, X, Y, 1 / (C * len(Y)))
    peer = OneVsRestClassifier(LinearSVC(loss="hinge", C=C, fit_intercept=False, random_state=0))
    return _case(build, scope, {"one-vs-rest, default": as_it_is(peer, X, Y)}, tols=(1e-2, 1e-3))


def defaults(load: Load, scope: Scope) -> Case:
    """Estimators as they are, tol = 1e-4, biases on."""
    X, y = scope.of(load)
    if y.ndim == 1:
        ours, peer = pragam.MulticlassSVC(), LinearSVC(**CRAMMER_SINGER, random_state=0)
        build = partial(pragam.multiclass_hinge, X, y, 1 / len(y), bias=True)
    else:
        ours, peer = pragam.MultilabelSVC(), OneVsRestClassifier(LinearSVC(loss="hinge", random_state=0))
        build = partial(pragam.multilabel_hinge, X, y, 1 / len(y), bias=True)
    return Case([build], estimator(ours, X, y), {"scikit-learn": as_it_is(peer, X, y)}, tols=(1e-4,))


# ---------------------------------------------------------------- margins


def hinge(load: Load, lam: float, scope: Scope) -> Case:
    X, y = scope.of(load)
    build = partial(pragam.hinge, X, y, lam, bias=False)
    return _case(build, scope, {"LIBLINEAR": liblinear(X, y, 1 / (lam * len(y)), loss="hinge")})


def squared_hinge(load: Load, C: float, scope: Scope) -> Case:
    X, y = scope.of(load)
    build = partial(pragam.squared_hinge, X, y, 1 / (C * len(y)), bias=False)
    peers = {"dual CD": liblinear(X, y, C, dual=True), "TRON": liblinear(X, y, C, dual=False)}
    return _case(build, scope, peers)


def ordinal(load: Load, C: float, scope: Scope) -> Case:
    X, y = scope.of(load)
    build = partial(pragam.ordinal_hinge, X, y, 1 / (C * len(y)))
    return _case(build, scope, {f"reduction, scale {scale:g}": reduction(X, y, C, scale) for scale in scales(C)})


def ordinal_kernel(load: Load, C: float, scope: Scope) -> Case:
    """SVOR's C, with its kernel."""
    X, y = scope.of(load)
    build = partial(pragam.ordinal_hinge, X, y, X.shape[1] / (C * len(y)))
    return _case(build, scope, {"SVOR": svor(X, y, C)})


# ------------------------------------------------------------- regression


def svr(load: Load, C: float, scope: Scope) -> Case:
    X, y = scope.of(load)
    build = partial(pragam.epsilon_insensitive, X, y, 1 / (C * len(y)), epsilon=EPSILON, bias=False)
    tube = {"name": "SVR", "epsilon": EPSILON}
    return _case(build, scope, {"LinearSVR": linear_svr(X, y, C, EPSILON), "rehline": rehline(X, y, C, tube)})


def svr_free_bias(load: Load, C: float, scope: Scope) -> Case:
    X, y = scope.of(load)
    build = partial(pragam.epsilon_insensitive, X, y, 1 / (C * len(y)), epsilon=EPSILON, bias=True)
    return _case(build, scope, {"SVR(linear)": libsvm_svr(X, y, C, EPSILON)})


def quantile(load: Load, q: float, C: float, scope: Scope) -> Case:
    """With a free bias."""
    X, y = scope.of(load)
    build = partial(pragam.quantile, X, y, 1 / (C * len(y)), q=q)
    check = {"name": "QR", "qt": q}
    return _case(build, scope, {f"rehline, scale {scale:g}": rehline(X, y, C, check, scale) for scale in scales(C)})


def nearly_unpenalised(load: Load, q: float, C: float, scope: Scope) -> Case:
    """Free bias. The peers minimise the sum of losses alone and are only timed."""
    X, y = scope.of(load)
    build = partial(pragam.quantile, X, y, 1 / (C * len(y)), q=q)
    linear_program = as_it_is(QuantileRegressor(quantile=q, alpha=0.0), X, y)
    return _case(build, scope, {"QuantileRegressor": linear_program, "statsmodels": quantreg(X, y, q)})


# ------------------------------------------------------------------- rows


def _sets(make: Callable[..., Case], load: Callable[[str], data.Data], *names: str, **settings: Any) -> dict[str, Any]:
    """The same case on several sets, named after set and settings."""
    suffix = "".join(f", {key} = {value:g}" for key, value in settings.items())
    return {f"{name}{suffix}": partial(make, partial(load, name), **settings) for name in names}


_SIMPLEX: dict[str, tuple[Load, tuple[float, ...]]] = {
    "news20": (data.news20, (1.0, 0.1)),
    "letter": (partial(data.table, "letter"), (1.0, 20.0)),
    "covtype": (partial(data.table, "covtype.multiclass"), (1.0,)),
    "mnist": (data.mnist, (0.01, 1.0)),
    **{name: (partial(data.table, name), (1.0,)) for name in SMALL},
}


def _simplex(make: Callable[..., Case]) -> dict[str, Any]:
    return {f"{name}, C = {C:g}": partial(make, load, C) for name, (load, Cs) in _SIMPLEX.items() for C in Cs}


def _quantiles(C: float) -> dict[str, Any]:
    median, high = (_sets(quantile, data.regression, *REGRESSIONS, q=q, C=C) for q in (0.5, 0.9))
    return {**median, **high}


#: Row: problem: case of a scope.
ROWS: dict[str, dict[str, Callable[..., Case]]] = {
    "crammer-singer": _simplex(crammer_singer),
    "biases": _simplex(with_biases),
    "held-out": _sets(held_out, data.table, "letter", C=1.0),
    "svr": _sets(svr, data.regression, *REGRESSIONS, C=1.0),
    "svr-small-C": _sets(svr, data.regression, *REGRESSIONS, C=0.01),
    "quantile": _quantiles(1.0),
    "quantile-small-C": _quantiles(0.01),
    "quantile-large-C": _sets(nearly_unpenalised, data.regression, "cadata", "kin8nm", q=0.5, C=1e4),
    "svr-free-bias": _sets(svr_free_bias, data.regression, "abalone", C=1.0),
    "squared-hinge": {
        **{f"{name}, C = 1": partial(squared_hinge, partial(data.load_named, name), 1.0) for name in ("a9a", "w8a")},
        "news20 odd/even, C = 1": partial(squared_hinge, data.news20_odd_even, 1.0),
    },
    "ordinal": {
        "generated, C = 1": partial(ordinal, data.graded, 1.0),
        **_sets(ordinal, data.levels, "abalone_ord", "winequality-red", C=1.0),
    },
    "ordinal-svor": {"generated, C = 1": partial(ordinal_kernel, data.graded, 1.0)},
    "one-vs-rest": {"news20, C = 1": partial(one_vs_rest, data.news20, 1.0)},
    "text": {
        "news20 odd/even, 2^-15": partial(hinge, data.news20_odd_even, 2.0**-15),
        "generated, 2^-16": partial(hinge, data.text, 2.0**-16),
        "news20-bigram, 2^-14": partial(hinge, data.news20_bigram, 2.0**-14),
    },
    "multilabel": {
        **_sets(multilabel, data.labelled, "scene", "emotions", C=1.0),
        "generated, 60 labels, C = 1": partial(multilabel, data.topics, 1.0),
    },
    "estimators": {
        **_sets(defaults, data.table, *SMALL),
        **_sets(defaults, data.labelled, "emotions", "scene"),
    },
}  # fmt: skip
