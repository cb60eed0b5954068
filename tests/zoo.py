"""Every kind of tiny problem, with its optimal value by Clarabel: what all solvers are tested on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy.linalg
from scipy import sparse

import pragam
from clarabel_qp import hinge_optimum, max_affine_optimum, multiclass_optimum
from risk_zoo import CASES, RISKS, SLOW


@dataclass(frozen=True)
class Case:
    """A problem and its optimal value J(w*)."""

    problem: pragam.Problem
    optimum: float


def _gaussian(rng, n, d, noise=1.0):
    """Labels of a linear model with noise, both of which occur."""
    X = rng.standard_normal((n, d))
    score = X @ rng.standard_normal(d) + noise * rng.standard_normal(n) + 0.3
    y = np.where(score > np.median(score), 1, -1)
    return X, y


def plain(rng):
    return (*_gaussian(rng, 25, 6), {})


def weights(rng):
    X, y = _gaussian(rng, 25, 6)
    return X, y, {"sample_weight": rng.exponential(size=25)}


def class_weights(rng):
    X, y = _gaussian(rng, 25, 6)
    return X, y, {"class_weight": {-1: 0.3, 1: 2.0}}


def balanced(rng):
    X, y = _gaussian(rng, 25, 6)
    y[: rng.integers(5, 20)] = 1
    y[-1] = -1
    return X, y, {"class_weight": "balanced", "sample_weight": rng.random(25)}


def csr(rng):
    X, y = _gaussian(rng, 40, 15)
    return sparse.csr_array(X * (rng.random(X.shape) < 0.2)), y, {}


def wide(rng):
    return (*_gaussian(rng, 8, 60), {})


def tall(rng):
    return (*_gaussian(rng, 120, 2, noise=0.5), {})


def separable(rng):
    X, y = _gaussian(rng, 30, 5)
    return X + 4 * y[:, None] * np.eye(5)[0], y, {}


def one_sign(rng):
    X, _ = _gaussian(rng, 12, 4)
    return X, np.full(12, rng.choice([-1, 1])), {}


def duplicated(rng):
    X, y = _gaussian(rng, 10, 4)
    rows = rng.integers(0, 10, 30)
    rows[:2] = np.argmax(y), np.argmin(y)
    return X[rows], y[rows], {}


def zero_rows(rng):
    X, y = _gaussian(rng, 25, 5)
    X[rng.random(25) < 0.3] = 0
    return X, y, {}


def zero_weights(rng):
    X, y = _gaussian(rng, 25, 5)
    return X, y, {"sample_weight": rng.integers(0, 3, 25)}


def contradictory(rng):
    X, y = _gaussian(rng, 8, 4)
    return np.vstack([X, X, X[:3]]), np.r_[y, -y, y[:3]], {}


def collinear(rng):
    X, y = _gaussian(rng, 20, 2)
    return X @ rng.standard_normal((2, 7)), y, {}


HINGE = {
    f.__name__: f
    for f in (
        plain, weights, class_weights, balanced, csr, wide, tall, separable, one_sign, duplicated, zero_rows,
        zero_weights, contradictory, collinear,
    )
}  # fmt: skip


def hinge_data(variant, seed):
    """``(X, y, lam, keywords)``, the keywords being weights."""
    rng = np.random.default_rng([seed, *map(ord, variant)])
    lam = float(10 ** rng.uniform(-2.5, 0))
    X, y, keywords = HINGE[variant](rng)
    return X, y, lam, keywords


def total_weights(y, sample_weight=None, class_weight=None):
    """The weight of each example, by the definition of the two keywords."""
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, float)
    if class_weight == "balanced":
        class_weight = {label: weight.sum() / (2 * weight[y == label].sum()) for label in set(y.tolist())}
    if class_weight is not None:
        weight = weight * np.array([class_weight[label] for label in y.tolist()])
    return weight


@cache
def hinge_case(variant: str, bias: bool, seed: int) -> Case:
    X, y, lam, keywords = hinge_data(variant, seed)
    optimum = hinge_optimum(X, y, lam, total_weights(y, **keywords), bias)
    return Case(pragam.hinge(X, y, lam=lam, bias=bias, **keywords), optimum)


@cache
def max_affine_case(seed: int) -> Case:
    rng = np.random.default_rng([seed, 1])
    d, m = rng.integers(1, 12, 2)
    A, b = rng.standard_normal((d, m)), rng.standard_normal(m)
    lam = float(10 ** rng.uniform(-1.5, 0))
    return Case(pragam.max_affine(A, b, lam), max_affine_optimum(A, b, lam))


@cache
def hadamard_case(seed: int) -> Case:
    """The paper's worst case for bundle methods with its columns made orthonormal, and small offsets."""
    rng = np.random.default_rng([seed, 2])
    d = 8
    A, b = scipy.linalg.hadamard(d) / np.sqrt(d), 0.1 * rng.random(d)
    return Case(pragam.max_affine(A, b, 0.1), max_affine_optimum(A, b, 0.1))


def _multiclass_data(seed, weighted):
    rng = np.random.default_rng([seed, 3])
    n, d, K = 20, 4, 3
    y = np.r_[np.arange(K), rng.integers(0, K, n - K)]
    X = rng.standard_normal((n, d)) + 2 * np.eye(K, d)[y] * (seed % 2)
    if seed % 3 == 0:
        X = sparse.csr_array(X * (rng.random(X.shape) < 0.5))
    return X, y, float(10 ** rng.uniform(-1.5, 0)), (rng.integers(0, 4, n) * 0.5 if weighted else np.ones(n))


@cache
def multiclass_case(seed: int) -> Case:
    X, y, lam, _ = _multiclass_data(seed, weighted=False)
    return Case(pragam.multiclass_hinge(X, y, lam), multiclass_optimum(X, y, lam, np.ones(len(y))))


@cache
def weighted_multiclass_case(seed: int) -> Case:
    X, y, lam, weight = _multiclass_data(seed, weighted=True)
    problem = pragam.multiclass_hinge(X, y, lam, sample_weight=weight)
    return Case(problem, multiclass_optimum(X, y, lam, weight))


@cache
def risk_case(name: str, bias: bool, seed: int) -> Case:
    """A risk on random data; every second seed with weights."""
    drawn = RISKS[name](np.random.default_rng([seed, *map(ord, name)]), bias, weighted=seed % 2 == 1)
    return Case(drawn.problem, drawn.optimum().value)


def _risk(name: str, bias: bool) -> Callable[[int], Case]:
    return lambda seed: risk_case(name, bias, seed)


def _hinge(variant: str, bias: bool) -> Callable[[int], Case]:
    return lambda seed: hinge_case(variant, bias, seed)


#: name -> the case of a seed
BOXES = {f"{variant}{', bias' * bias}": _hinge(variant, bias) for variant in HINGE for bias in (False, True)}
SIMPLICES: dict[str, Callable[[int], Case]] = {
    "max affine": max_affine_case,
    "hadamard": hadamard_case,
    "multiclass": multiclass_case,
    "multiclass, weights": weighted_multiclass_case,
}
#: Every other risk that is fast on every solver; the hinge has its own cases.
LOSSES = {
    f"{name}{', bias' * bias}": _risk(name, bias)
    for name, bias in CASES
    if name != "hinge" and (name, bias) not in SLOW
}
ZOO = BOXES | SIMPLICES | LOSSES


def fitting(name: str) -> list[str]:
    """The solvers that fit the problems of this name."""
    problem = ZOO[name](0).problem
    return [s for s in pragam.solvers.names() if s != "auto" and not pragam.solvers.by_name(s).missing(problem)]


#: (solver, problem) for all that fit
PAIRS = [(solver, name) for name in ZOO for solver in fitting(name)]
#: All that fit one of the problems: not those of structured problems, which have tests of their own.
SOLVERS = [name for name in pragam.solvers.names() if name in {solver for solver, _ in PAIRS}]
