"""Problems made to break certificates: a seed gives a problem, a description and the settings of a solve.

``adversarial(seed)`` knows no limits but those of float64; ``ordinary(seed)`` stays where ``auto`` is promised to
converge: column scales within 1e+-6, means of at most 1e3 deviations, weight ratios of at most 1e6, lam from 1e-8 to
1e2 for rows of size 1.
"""

from __future__ import annotations

import tempfile
import warnings

import numpy as np
from scipy import sparse

import pragam
from posed import posed
from pragam.operators import ScaledRows
from pragam.polytopes import Box, BoxPlane

#: Squares and products with w must be finite for a problem to be accepted at all.
LARGEST = 1e140


def adversarial(seed):
    """``(problem, description, settings)``; the settings are keywords of :func:`pragam.solve`.

    A solver of None means that none fits: the problem can only be certified, at the start.
    """
    rng = np.random.default_rng([seed, 1])
    X, y, notes = _data(rng)
    lam = _lam(rng, X)
    build = _pick(rng, list(BUILDERS), list(BUILDERS.values()))
    problem, how = build(rng, X, y, lam)
    settings = _settings(rng, problem)
    shown = {k: v for k, v in settings.items() if k != "start"}
    text = f"{how}, {X.shape[0]} x {X.shape[1]}, lam {lam:.3g}, {', '.join(notes) or 'plain'}; {shown}"
    return problem, text + ("; garbage start" if "start" in settings else ""), settings


def ordinary(seed):
    """As :func:`adversarial`, within ordinary scales; the settings are those of a user: auto at 1e-6."""
    rng = np.random.default_rng([seed, 2])
    n, d = int(rng.choice([5, 20, 60, 200])), int(rng.choice([1, 2, 5, 20, 60]))
    X, notes = rng.standard_normal((n, d)), []
    for change in (collinear, duplicated_rows, empty_rows, whole_numbers):
        if rng.random() < 0.2:
            X, notes = change(rng, X), [*notes, change.__name__]
    if rng.random() < 0.5:
        X, notes = X + 10 ** rng.uniform(0, 3) * rng.uniform(-1, 1, d), [*notes, "means"]
    if rng.random() < 0.5:
        X, notes = X * 10 ** rng.uniform(-6, 6, d), [*notes, "column scales"]
    y, note = _labels(rng, X)
    size = float(np.mean(np.sum(X * X, axis=1))) or 1.0
    lam = 10 ** rng.uniform(-8, 2) * size
    build = _pick(rng, [hinge, smoothed, multiclass, maximum, *NEWER], [8, 1, 1, 1, *[0.5] * len(NEWER)])
    problem, how = build(rng, X, y, lam, ratio=6)
    text = f"{how}, {n} x {d}, lam {lam / size:.3g} |x|^2, {', '.join([*notes, note])}"
    return problem, text, {"solver": "auto", "tol": 1e-6, "max_seconds": 2.0}


# The data.


def _data(rng):
    n, d = int(rng.choice([1, 2, 3, 5, 8, 12, 12, 25, 40])), int(rng.choice([0, 1, 1, 2, 3, 5, 12, 30]))
    X, notes = rng.standard_normal((n, d)), []
    for change in rng.choice(CHANGES, rng.integers(0, 4), replace=False) if d else []:
        X, notes = change(rng, X), [*notes, change.__name__]
    y, note = _labels(rng, X)
    if rng.random() < 0.3:
        X, notes = global_scale(rng, X), [*notes, "global scale"]
    return np.clip(X, -LARGEST, LARGEST), y, [*notes, note]


def column_offsets(rng, X):
    return X + 10 ** rng.uniform(0, 8) * rng.standard_normal(X.shape[1])


def column_scales(rng, X):
    return X * 10 ** rng.uniform(-8, 8, X.shape[1])


def row_scales(rng, X):
    return X * 10 ** rng.uniform(-6, 6, (len(X), 1))


def collinear(rng, X):
    noise = 10 ** rng.uniform(-12, -3)
    return X[:, :1] * rng.standard_normal(X.shape[1]) + noise * X


def duplicated_columns(rng, X):
    return X[:, rng.integers(0, X.shape[1], X.shape[1])]


def duplicated_rows(rng, X):
    return X[rng.integers(0, max(len(X) // 3, 1), len(X))]


def cauchy_cubed(rng, X):
    return rng.standard_cauchy(X.shape) ** 3


def empty_rows(rng, X):
    return np.where(rng.random((len(X), 1)) < 0.3, 0.0, X)


def whole_numbers(rng, X):
    """Ties: many scores and margins are equal."""
    return np.rint(X)


def global_scale(rng, X):
    return X * 10.0 ** rng.choice([-300, -160, -150, -100, -30, -10, 10, 30, 100, 139]) * rng.choice([1.0, 1e-18])


CHANGES = [
    column_offsets, column_offsets, column_scales, row_scales, collinear, duplicated_columns, duplicated_rows,
    cauchy_cubed, empty_rows, whole_numbers,
]  # fmt: skip


def _labels(rng, X):
    n = len(X)
    kind = rng.choice(["linear", "linear", "random", "one positive", "one class"])
    if kind == "linear":
        scores = (X - X.mean(axis=0)) @ rng.standard_normal(X.shape[1])
        return np.where(scores > np.median(scores), 1.0, -1.0), "separable"
    y = rng.choice([-1.0, 1.0], n) if kind == "random" else np.full(n, -1.0)
    y[0] = 1.0 if kind == "one positive" else y[0]
    return y, kind


def _lam(rng, X):
    """From 1e-30 to 1e6, half of the time in relation to the rows, where the problem is neither trivial nor absurd."""
    with np.errstate(over="ignore", under="ignore"):
        size = float(np.mean(np.sum(X * X, axis=1)))
    if rng.random() < 0.6 and 1e-290 < size < 1e290:
        return float(np.clip(10 ** rng.uniform(-10, 2) * size, 1e-300, 1e300))
    return float(10 ** rng.uniform(-30, 6))


def _weights(rng, n, ratio):
    """Weights, of a ratio of at most 10^ratio among those that are not 0."""
    kind = rng.choice(["equal", "equal", "some zero", "wide", "one heavy"])
    if kind == "some zero":
        weights = rng.integers(0, 3, n).astype(float)
        return weights if weights.any() else np.ones(n)  # without any weight there is no problem
    if kind == "wide":
        return 10 ** rng.uniform(-ratio / 2, ratio / 2, n)
    return np.r_[10.0 ** (ratio if kind == "one heavy" else 0), np.ones(n - 1)]


# The storage.


def _stored(rng, X, ratio):
    """X in one of the storages, and its name."""
    kind = rng.choice(["C", "F", "strided", "float32", "csr", "csr", "csc", "memmap", "repeated entries"])
    if kind == "float32" and np.abs(X).max(initial=0.0) < 1e18:
        return (X.astype(np.float32) if rng.random() < 0.5 else sparse.csr_array(X.astype(np.float32))), "float32"
    if kind == "F":
        return np.asfortranarray(X), kind
    if kind == "strided":
        wide = np.full((2 * len(X) + 1, 3 * X.shape[1] + 1), np.nan)
        wide[: 2 * len(X) : 2, : 3 * X.shape[1] : 3] = X
        return wide[: 2 * len(X) : 2, : 3 * X.shape[1] : 3], kind
    if kind in ("csr", "csc"):
        M = sparse.csr_array(X) if kind == "csr" else sparse.csc_array(X)
        index = rng.choice([np.int32, np.int64])
        M.indices, M.indptr = M.indices.astype(index), M.indptr.astype(index)
        return M, f"{kind} {np.dtype(index)}"
    if kind == "memmap" and X.size:
        file = tempfile.TemporaryFile()  # noqa: SIM115 (the map keeps it open)
        mapped = np.memmap(file, X.dtype, "w+", shape=X.shape)
        mapped[:] = X
        return mapped, kind
    if kind == "repeated entries" and X.size:
        return _repeated(rng, X, ratio), kind
    return np.ascontiguousarray(X), "C"


def _repeated(rng, X, ratio):
    """CSR, unsorted, with +t and -t at some of the places, t up to 10^ratio times the entry."""
    i, j = (k.ravel() for k in np.indices(X.shape))
    some = rng.random(X.size) < 0.3
    t = (np.abs(X.ravel()) * 10 ** rng.uniform(0, ratio, X.size))[some]
    rows, columns = np.r_[i, i[some], i[some]], np.r_[j, j[some], j[some]]
    values = np.r_[X.ravel(), t, -t]
    order = np.lexsort((rng.random(len(rows)), rows))
    ends = np.r_[0, np.cumsum(np.bincount(rows, minlength=len(X)))]
    return sparse.csr_array((values[order], columns[order], ends), shape=X.shape)


# The problems.


def hinge(rng, X, y, lam, ratio=16):
    X, storage = _stored(rng, X, ratio)
    bias = bool(rng.random() < 0.6)
    weights = _weights(rng, len(y), ratio)
    problem = pragam.hinge(X, y, lam, bias=bias, sample_weight=weights)
    return problem, f"hinge{' with bias' * bias}, {storage}, weights {weights.min():.1e}..{weights.max():.1e}"


def quantile(rng, X, y, lam, ratio=16):
    """Quantile regression and absolute deviations: -u (1 - q) <= alpha <= u q, targets far from 1."""
    X, storage = _stored(rng, X, ratio)
    u, q = _weights(rng, len(y), ratio) / len(y), rng.choice([0.5, 0.1, 0.9])
    targets = y * 10 ** rng.uniform(-3, 3, len(y))
    sigma = np.ones(len(y))
    bias = bool(rng.random() < 0.6)
    sides = (-u * (1 - q), u * q)
    Q = BoxPlane(*sides, sigma) if bias else Box(*sides)
    problem = posed(ScaledRows(X, -sigma), targets, Q, lam)
    return problem, f"quantile {q}{' with bias' * bias}, {storage}"


def any_box(rng, X, y, lam, ratio=16):
    """Bounds of any signs, some equal; any scales of the rows; a plane of any normal at some level within reach."""
    X, storage = _stored(rng, X, ratio)
    n, size = len(y), _weights(rng, len(y), ratio)
    lower, upper = np.sort(size * rng.standard_normal((2, n)) * (rng.random((2, n)) < 0.8), axis=0)
    A, c = ScaledRows(X, rng.standard_normal(n)), rng.standard_normal(n)
    if rng.random() < 0.5:
        return posed(A, c, Box(lower, upper), lam, _kappa(rng)), f"any box, {storage}"
    sigma = rng.choice([1.0, -1.0, 0.0, 3.0, 1e-3], n)
    z = float(sigma @ (lower + rng.random(n) * (upper - lower)))
    return posed(A, c, BoxPlane(lower, upper, sigma, z), lam, _kappa(rng)), f"any box with plane, {storage}"


def smoothed(rng, X, y, lam, ratio=16):
    X, storage = _stored(rng, X, ratio)
    u, kappa = _weights(rng, len(y), ratio) / len(y), float(10 ** rng.uniform(-6, 3))
    bias = bool(rng.random() < 0.5)
    Q = BoxPlane(np.zeros(len(y)), u, y) if bias else Box(np.zeros(len(y)), u)
    curvature = _one_or_each(rng, kappa, u)
    problem = posed(ScaledRows(X, -y), np.ones(len(y)), Q, lam, curvature)
    return problem, f"smoothed hinge{' with bias' * bias}, {storage}, kappa {kappa:.1e} ({np.size(curvature)})"


def unbounded(rng, X, y, lam, ratio=16):
    """Least squares (both sides open) and the squared hinge (one side open), with and without a bias."""
    X, storage = _stored(rng, X, ratio)
    n, kappa = len(y), float(10 ** rng.uniform(-6, 6))
    lower = np.full(n, -np.inf if rng.random() < 0.5 else 0.0)
    upper = np.full(n, np.inf)
    bias = bool(rng.random() < 0.5)
    Q = BoxPlane(lower, upper, y) if bias else Box(lower, upper)
    weights = _weights(rng, n, ratio)
    curvature = _one_or_each(rng, kappa, np.where(weights > 0, weights, 1.0))
    problem = posed(ScaledRows(X, -y), np.ones(n), Q, lam, curvature)
    return problem, f"unbounded{' with bias' * bias}, {storage}, kappa {kappa:.1e} ({np.size(curvature)})"


def squared_hinge(rng, X, y, lam, ratio=16):
    X, storage = _stored(rng, X, ratio)
    bias, weights = bool(rng.random() < 0.5), _weights(rng, len(y), ratio)
    problem = pragam.squared_hinge(X, y, lam, bias=bias, sample_weight=weights)
    return problem, f"squared hinge{' with bias' * bias}, {storage}"


def smoothed_hinge(rng, X, y, lam, ratio=16):
    X, storage = _stored(rng, X, ratio)
    bias, weights = bool(rng.random() < 0.5), _weights(rng, len(y), ratio)
    gamma = float(10 ** rng.uniform(-4, 2))
    problem = pragam.smoothed_hinge(X, y, lam, gamma=gamma, bias=bias, sample_weight=weights)
    return problem, f"smoothed hinge, width {gamma:.1e}{', with bias' * bias}, {storage}"


def tube(rng, X, y, lam, ratio=16):
    """Support vector regression: two dual variables a row, targets far from 1."""
    X, storage = _stored(rng, X, ratio)
    targets = y * 10 ** rng.uniform(-3, 3, len(y)) + rng.choice([0.0, 1e6])
    bias, epsilon = bool(rng.random() < 0.6), float(rng.choice([0.0, 0.1, 10.0]))
    weights = _weights(rng, len(y), ratio)
    problem = pragam.epsilon_insensitive(X, targets, lam, epsilon=epsilon, bias=bias, sample_weight=weights)
    return problem, f"tube of {epsilon}{' with bias' * bias}, {storage}"


def ordinal(rng, X, y, lam, ratio=16):
    """Two to five levels, some of which may not occur: planes with rows of one sign, or with none."""
    X, storage = _stored(rng, X, ratio)
    K, which = int(rng.integers(2, 6)), str(rng.choice(["all", "immediate"]))
    levels, weights = rng.integers(0, K, len(y)), _weights(rng, len(y), ratio)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "y has no example of level")
        problem = pragam.ordinal_hinge(X, levels, lam, which, order=range(K), sample_weight=weights)
    return problem, f"ordinal, {K} levels, {which} thresholds, {storage}"


def multiclass(rng, X, y, lam, ratio=16):
    X, storage = _stored(rng, X[np.arange(max(len(X), 2)) % len(X)], ratio)
    n, K = X.shape[0], int(rng.integers(2, 5))
    labels = np.r_[0, 1, rng.integers(0, K, n - 2)]
    K = len(set(labels.tolist()))
    cost = 10 ** rng.uniform(-3, 3, (K, K)) * (1 - np.eye(K)) if rng.random() < 0.3 else None
    bias, weights = bool(rng.random() < 0.3), _weights(rng, n, ratio)
    problem = pragam.multiclass_hinge(X, labels, lam, cost=cost, bias=bias, sample_weight=weights)
    return problem, f"multiclass, {K} classes{', costs' * (cost is not None)}{', biases' * bias}, {storage}"


def multilabel(rng, X, y, lam, ratio=16):
    """Any sets of labels, the empty one and the full one included."""
    X, storage = _stored(rng, X, ratio)
    n, K = X.shape[0], int(rng.integers(2, 5))
    Y = rng.random((n, K)) < rng.choice([0.2, 0.5])
    Y[0, :2] = True, False  # one comparison at least, without which there is no problem
    bias, weights = bool(rng.random() < 0.3), _weights(rng, n, ratio)
    problem = pragam.multilabel_hinge(X, Y, lam, bias=bias, sample_weight=weights)
    return problem, f"multilabel, {K}{', biases' * bias}, {storage}"


def maximum(rng, X, y, lam, ratio=16):
    offsets = rng.standard_normal(len(X)) * 10 ** rng.uniform(-3, 3)
    A, storage = _stored(rng, X.T, ratio)
    return pragam.max_affine(A, offsets, lam), f"max_affine, {storage}"


NEWER = [squared_hinge, smoothed_hinge, tube, ordinal, multilabel]
#: builder -> how often it is taken
BUILDERS = {hinge: 8, quantile: 1, any_box: 1, smoothed: 2, unbounded: 1, multiclass: 2, maximum: 1} | dict.fromkeys(
    NEWER, 1
)


def _one_or_each(rng, kappa, weights):
    """One curvature for all rows, or kappa over each row's weight: none where the weight is zero."""
    each = np.divide(kappa, weights, out=np.zeros(len(weights)), where=weights > 0)
    return each if rng.random() < 0.5 and np.isfinite(each).all() else kappa


def _kappa(rng):
    return float(rng.choice([0.0, 0.0, 10 ** rng.uniform(-6, 3)]))


# The settings.


def _settings(rng, problem):
    names = [name for name in pragam.solvers.names() if name != "auto"]
    fitting = [name for name in names if not pragam.solvers.by_name(name).missing(problem)]
    if not fitting:  # an unbounded set without curvature: pragam certifies it, but has no solver for it
        return {"solver": None, "start": _garbage(rng, problem)}
    solver = str(rng.choice([*fitting, "auto", "auto", "auto"]))
    settings = {"solver": solver, "tol": float(10 ** rng.uniform(-12, -2)), "random_state": int(rng.integers(100))}
    budget = rng.choice([0, 1, 2, 20, -1], p=[0.05, 0.1, 0.1, 0.25, 0.5])
    # A slow solver is judged after some iterations, which come out the same anywhere; the clock is a safeguard.
    swift = solver in ("auto", "dcd", "newton")
    settings |= {"max_iter": None if budget < 0 and swift else int(abs(budget) if budget >= 0 else 100)}
    settings |= {"max_seconds": 0.25}
    if rng.random() < 0.15:
        settings["start"] = _garbage(rng, problem)
    return settings


def _garbage(rng, problem):
    w = 10.0 ** rng.choice([-300, -10, 0, 10, 150]) * rng.standard_normal(problem.n_weights)
    alpha = 10.0 ** rng.choice([-300, -3, 0, 10, 150]) * rng.standard_normal(problem.Q.size)
    return (w, alpha) if rng.random() < 0.5 else alpha


def _pick(rng, functions, odds):
    return functions[rng.choice(len(functions), p=np.array(odds) / sum(odds))]
