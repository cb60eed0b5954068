r"""The projection onto the marginals of a chain.

A labelling of a sequence of T + 1 nodes with K labels has an edge (y_t, y_{t+1}) in each of T tables. The convex hull
of all labellings, written as tables of zeros and ones, is the set of marginals

    alpha_t(i, j) >= 0,    sum_ij alpha_t(i, j) = 1,    sum_i alpha_t(i, j) = sum_k alpha_{t+1}(j, k).

The projection of m minimises sum_t d_t^2 / 2 |alpha_t - m_t|^2 over it (the paper's appendix, "Special case: sequence",
with the signs and weights corrected). ``"newton"`` minimises the eliminated dual by a semismooth Newton method, as
stated in :mod:`pragam._kernels.twins.chains`. ``"alternating"`` is the paper's Algorithm 3
(:mod:`pragam.structured.alternating`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam import _kernels
from pragam.arguments import check_number, real_array
from pragam.polytopes import project_simplex
from pragam.structured.alternating import alternate
from pragam.threads import n_threads
from pragam.vector import Vector

METHODS = ("newton", "alternating")
#: More Newton steps than any chain has needed: random tables take 5 to 40.
_MOST = 500
#: What rounding may leave of a constraint, in units of eps times the largest score, for each label and table.
_ROUNDING = 64
#: Where that is more, the tables do not say where the projection is.
_LARGEST_RESIDUAL = 1e-3
_EPS = float(np.finfo(np.float64).eps)


def project_chain(m: Any, weights: Any = None, method: str = "newton", start: Any = None, tol: float = 1e-12) -> Any:
    r"""The marginals of a chain, or of several, that are nearest to ``m``.

    Parameters
    ----------
    m : array (T, K, K), or a sequence of such arrays of any lengths
        The tables to project. A sequence of a single node is an array (K,). -inf forbids an edge.
    weights : array (T,), or a sequence of such arrays, optional
        d_t > 0: the sum of d_t^2 / 2 \|alpha_t - m_t\|^2 is minimised. The default is 1.
    method : "newton" or "alternating"
    start : array (T + 1, K), or a sequence of such arrays, optional
        The potentials of an earlier projection, from which Newton's method starts. They are overwritten with those of
        this one.
    tol : float
        The largest residual of a constraint; more is allowed where the rounding of large tables leaves more. Tables so
        large, or weights so far apart, that it would be over 1e-3 are refused.

    Returns
    -------
    The marginals, in the form of ``m``.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, not {method!r:.40}")
    check_number("tol", tol, least=0, most=1)
    is_one = isinstance(m, np.ndarray) and m.dtype != object
    chains = [_checked(each, b) for b, each in enumerate(_listed("m", m, is_one))]
    squares = _squares(weights, chains, is_one)
    potentials = _potentials(start, chains, is_one)
    out = [_single(chain) if chain.ndim == 1 else np.empty(0) for chain in chains]
    for K in sorted({chain.shape[-1] for chain in chains if chain.ndim == 3}):
        own = [b for b, chain in enumerate(chains) if chain.ndim == 3 and chain.shape[-1] == K]
        tables, weight = [_pruned(chains[b], b) for b in own], [squares[b] for b in own]
        tols = np.array([_within(tol, chains[b], squares[b], b) for b in own])
        if method == "newton":
            found = _newton(tables, weight, tols, None if potentials is None else [potentials[b] for b in own])
        else:
            found = [alternate(*each) for each in zip(tables, weight, tols.tolist(), strict=True)]
        for b, alpha in zip(own, found, strict=True):
            out[b] = alpha
    return out[0] if is_one else out


def _single(m: Vector) -> Vector:
    """A single node: a simplex over its labels."""
    alpha, allowed = np.zeros_like(m), m > -np.inf
    alpha[allowed] = project_simplex(m[allowed])
    return alpha


def _newton(tables: list[Vector], weights: list[Vector], tols: Vector, potentials: list[Vector] | None) -> list[Vector]:
    """Chains with one number of labels, in one call of the kernel."""
    K, n = tables[0].shape[-1], len(tables)
    lengths = np.array([len(each) for each in tables], dtype=np.int64)
    m, weight = np.concatenate([each.ravel() for each in tables]), np.concatenate(weights)
    u = np.zeros((int(lengths.sum()) + n) * K)
    ends = np.cumsum(lengths + 1) * K
    if potentials is not None:
        u[:] = np.concatenate([each.ravel() for each in potentials])
    alpha, steps, residuals = np.empty_like(m), np.zeros(n, dtype=np.int64), np.full(n, np.inf)
    project = _kernels.get("chain_project")
    for is_warm in (
        (True, False) if potentials is not None else (False,)
    ):  # a start from far away may be worse than none
        project(m, weight, lengths, K, is_warm, tols, _MOST, u, alpha, steps, residuals, n_threads(m.size))
        if (residuals <= tols).all():
            break
    else:
        raise ArithmeticError(f"a projection has ended with a residual of {residuals.max():.1e}")
    if potentials is not None:
        for each, end in zip(potentials, ends, strict=True):
            each[:] = u[end - each.size : end].reshape(each.shape)
    return [
        part.reshape(each.shape)
        for part, each in zip(np.split(alpha, np.cumsum(lengths)[:-1] * K * K), tables, strict=True)
    ]


def _within(tol: float, m: Vector, weight: Vector, b: int) -> float:
    """The residual at which the projection of chain b ends."""
    largest, spread = float(np.abs(m[np.isfinite(m)]).max(initial=0.0)), float(weight.max() / weight.min())
    within = max(tol, _ROUNDING * _EPS * m.shape[-1] * len(m) * max(largest, 1.0) * spread)
    if not within <= max(tol, _LARGEST_RESIDUAL):
        raise ValueError(
            f"m[{b}] cannot be projected in float64: its scores are up to {largest:.1e}, and its squared weights "
            f"{spread:.1e} times apart"
        )
    return within


def _pruned(m: Vector, b: int) -> Vector:
    """m without the edges that no allowed labelling can have. ValueError if there is no such labelling."""
    allowed = m > -np.inf
    if allowed.all():
        return m
    T, K = m.shape[:2]
    begins, ends = np.ones((T + 1, K), dtype=bool), np.ones((T + 1, K), dtype=bool)
    for t in range(T):
        begins[t + 1] = (allowed[t] & begins[t, :, None]).any(axis=0)
    for t in range(T - 1, -1, -1):
        ends[t] = (allowed[t] & ends[t + 1]).any(axis=1)
    if not begins[T].any():
        raise ValueError(f"m[{b}] forbids every labelling")
    return np.where(allowed & begins[:-1, :, None] & ends[1:, None, :], m, -np.inf)


def _listed(name: str, values: Any, is_one: bool) -> list[Any]:
    if is_one:
        return [values]
    try:
        return list(values)
    except TypeError:
        raise ValueError(f"{name} must be an array or a sequence of arrays, not {values!r:.40}") from None


def _checked(m: Any, b: int) -> Vector:
    m = np.ascontiguousarray(real_array(f"m[{b}]", m), dtype=np.float64)
    if not (m.ndim == 1 or (m.ndim == 3 and m.shape[1] == m.shape[2] and m.shape[0])) or m.shape[-1] == 0:
        raise ValueError(f"m[{b}] must have the shape (T, K, K), or (K,) for a single node, not {m.shape}")
    if not (m < np.inf).all():
        raise ValueError(f"m[{b}] contains NaN or +infinity")
    if m.ndim == 1 and not (m > -np.inf).any():
        raise ValueError(f"m[{b}] forbids every labelling")
    return m


def _squares(weights: Any, chains: list[Vector], is_one: bool) -> list[Vector]:
    """d_t^2 of every table."""
    lengths = [len(chain) if chain.ndim == 3 else 0 for chain in chains]
    if weights is None:
        return [np.ones(T) for T in lengths]
    given = _listed("weights", weights, is_one)
    if len(given) != len(chains):
        raise ValueError(f"weights has {len(given)} entries for {len(chains)} chains")
    out = []
    for b, (each, T) in enumerate(zip(given, lengths, strict=True)):
        d = np.asarray(real_array(f"weights[{b}]", each), dtype=np.float64)
        if d.shape != (T,) or not (np.isfinite(d) & (d > 0)).all():
            raise ValueError(f"weights[{b}] must hold {T} positive numbers")
        out.append(d**2)
    return out


def _potentials(start: Any, chains: list[Vector], is_one: bool) -> list[Vector] | None:
    if start is None:
        return None
    given = _listed("start", start, is_one)
    if len(given) != len(chains):
        raise ValueError(f"start has {len(given)} entries for {len(chains)} chains")
    for b, (each, chain) in enumerate(zip(given, chains, strict=True)):
        shape = (len(chain) + 1, chain.shape[-1]) if chain.ndim == 3 else (1, chain.shape[-1])
        is_array = isinstance(each, np.ndarray) and each.dtype == np.float64 and each.flags.writeable
        if not is_array or each.shape != shape or not np.isfinite(each).all():
            raise ValueError(f"start[{b}] must be a writeable float64 array of finite numbers, of the shape {shape}")
    return given
