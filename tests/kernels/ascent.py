"""What the kernels of coordinate ascent are called with, by name, for every kind of problem."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pragam._kernels.coordinate.records import (
    ALPHA,
    LOWER,
    NO_PLANES,
    OWN,
    UPPER,
    Ascent,
    Batch,
    C,
    Limits,
    Planes,
    Points,
    Variables,
    Visits,
)

from .storages import LAM, D, N, dense


class Kind(NamedTuple):
    """planes: how many; curved: g has a curvature and some boxes have no upper end; shared: variables share rows;
    joint: these are moved together."""

    planes: int = 0
    curved: bool = False
    shared: bool = False
    joint: bool = False


KINDS = {
    "plain": Kind(),
    "plane": Kind(planes=1),
    "curved": Kind(curved=True),
    "shared": Kind(shared=True),
    "planes": Kind(planes=3),
    "all": Kind(planes=3, curved=True, shared=True),
    "joint": Kind(shared=True, joint=True),
    "joint, plane": Kind(planes=1, shared=True, joint=True),
    "joint, all": Kind(planes=3, curved=True, shared=True, joint=True),
}


class Sweep(NamedTuple):
    """The arguments of dcd_sweep, after the raw arrays of X."""

    variables: Variables
    planes: Planes
    lam: float
    w: np.ndarray
    visits: Visits
    batch: Batch


class Push(NamedTuple):
    """The arguments of momentum_push, after the raw arrays of X."""

    variables: Variables
    planes: Planes
    lam: float
    w: np.ndarray
    points: Points
    ascent: Ascent
    limits: Limits


class Function(NamedTuple):
    """F by its definition, in dense matrices."""

    A: np.ndarray
    tilt: np.ndarray
    B: np.ndarray  # (n, K)
    levels: np.ndarray
    centre: np.ndarray

    def w(self, alpha):
        return -(self.A.T @ alpha + self.tilt) / LAM

    def running(self, alpha):
        """The residuals and <m, w>; nothing without planes."""
        return np.r_[self.B.T @ alpha - self.levels, self.centre @ self.w(alpha)] if self.levels.size else np.empty(0)

    def value(self, arguments, alpha):
        table, planes = arguments.variables.table, arguments.planes
        r = self.B.T @ alpha - self.levels
        u = self.A.T @ alpha + self.tilt + r.sum() * self.centre
        curved = table[:, C] @ alpha - table[:, OWN] @ alpha**2 / 2 - u @ u / (2 * LAM)
        return curved + planes.multiplier @ r - planes.rho / 2 * r @ r

    def slopes(self, arguments, alpha):
        """The gradient of F."""
        table, planes = arguments.variables.table, arguments.planes
        r = self.B.T @ alpha - self.levels
        rows = self.A + np.outer(self.B.sum(axis=1), self.centre)
        u = self.A.T @ alpha + self.tilt + r.sum() * self.centre
        return table[:, C] - table[:, OWN] * alpha - rows @ u / LAM + self.B @ (planes.multiplier - planes.rho * r)


def problem(seed, kind, X=None):
    """Variables and planes at a random point, with the function that they stand for."""
    rng = np.random.default_rng([seed, 5])
    X = dense(np.float64, "C", seed) if X is None else X
    scale, c = rng.choice([-1.0, 1.0], N), rng.standard_normal(N)
    upper = rng.integers(0, 3, N) / N  # some boxes have no width (weight zero)
    alpha = upper * rng.choice([0.0, 0.3, 1.0], N)
    kappa = rng.choice([0.0, 0.5, 3.0], N) * (upper > 0) if kind.curved else np.zeros(N)
    upper = np.where((kappa > 1) & (alpha < upper), np.inf, upper)
    number = np.sort(rng.integers(0, N, N)) if kind.shared else None
    A = scale[:, None] * (X if number is None else X[number])
    K = kind.planes
    B, centre = np.zeros((N, K)), rng.standard_normal(D) * (K > 0)
    group = rng.integers(0, max(K, 1), N)
    if kind.joint:  # sigma is the same multiple of scale in all variables of a row, each on a plane of its own
        number = np.repeat(np.arange(0, N, 3), 3)[:N]
        group = np.arange(N) % 3 % max(K, 1)
        A = scale[:, None] * X[number]
    if K:
        B[np.arange(N), group] = scale if kind.joint else rng.choice([-1.0, 1.0, 1.0, 0.0], N)
    F = Function(A, 0.1 * rng.standard_normal(D), B, 0.1 * rng.standard_normal(K), centre)
    own = kappa + rng.choice([0.0, 0.5], N) / N
    rho, sigma = 0.7 * (K > 0), B.sum(axis=1)
    q = np.sum((A + np.outer(sigma, centre)) ** 2, axis=1) / LAM + own + rho * sigma**2
    slope = np.where(rng.random(N) < 0.5, np.nan, rng.standard_normal(N))
    table = np.column_stack([scale, c, np.zeros(N), upper, q, own, alpha, slope])
    planes = NO_PLANES if K == 0 else Planes(
        np.column_stack([sigma, A @ centre]), group if K > 1 else None, F.running(alpha), 0.1 * rng.standard_normal(K),
        float(rho), float(centre @ centre),
    )  # fmt: skip
    return Variables(table, number, kappa if kind.curved else None, kind.joint), planes, F


def sweep_arguments(seed, kind, X=None):
    variables, planes, F = problem(seed, kind, X)
    rng = np.random.default_rng([seed, 6])
    active = np.sort(rng.permutation(N)[: N if seed % 2 else N - 4]).astype(np.int64)
    reach = np.inf if seed % 3 else 0.1 / LAM
    visits = Visits(active, len(active), reach, (1, 3, 16)[seed // 2 % 3], seed + 2**62)
    return Sweep(variables, planes, LAM, F.w(variables.table[:, ALPHA]), visits, Batch())


def push_arguments(seed, kind, X=None):
    """A sweep's end, where it began and the step before; gain and slope are what F has there, or not at all."""
    variables, planes, F = problem(seed, kind, X)
    rng = np.random.default_rng([seed, 8])
    table = variables.table
    alpha = table[:, ALPHA]

    def point(alpha):
        return np.concatenate([alpha, F.w(alpha), F.running(alpha)])

    def step(size):
        return size * rng.standard_normal(N) * (table[:, UPPER] > table[:, LOWER])

    size = 10.0 ** -(seed % 4) / N
    before, history = point(alpha - step(size)), point(step(size)) - point(np.zeros(N))
    gain, slope = (rng.standard_normal(2) * size).tolist()
    points = Points(before, np.full_like(before, np.nan), history if seed % 5 else np.full_like(before, np.nan))
    ascent, limits = Ascent(gain, slope, bool(seed % 5)), Limits(0.1, 5.0, 0.2)
    return Push(variables, planes, LAM, F.w(alpha), points, ascent, limits)


def copies(part):
    """Of all arrays of a record of records."""
    if isinstance(part, np.ndarray):
        return part.copy()
    return type(part)(*map(copies, part)) if isinstance(part, tuple) else part


def arrays_of(part):
    """All arrays and numbers of a record of records, in order."""
    if isinstance(part, tuple):
        return [array for element in part for array in arrays_of(element)]
    return [] if part is None else [part]
