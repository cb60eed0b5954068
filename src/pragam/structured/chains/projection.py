r"""The projection onto the marginals of a chain.

A labelling of a sequence of T + 1 nodes with K labels has an edge (y_t, y_{t+1}) in each of T tables. The convex hull
of all labellings, written as tables of zeros and ones, is the set of marginals

    alpha_t(i, j) >= 0,    sum_ij alpha_t(i, j) = 1,    sum_i alpha_t(i, j) = sum_k alpha_{t+1}(j, k).

The projection of m minimises sum_t d_t^2 / 2 |alpha_t - m_t|^2 over it (the paper's appendix, "Special case: sequence",
with the signs and weights corrected). ``"newton"`` minimises the eliminated dual by a semismooth Newton method, as
stated in :mod:`pragam._kernels.chains.projection`. ``"alternating"`` is the paper's Algorithm 3
(:mod:`pragam.structured.chains.alternating`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam.numerics.arguments import check_number, real_array
from pragam.numerics.vector import Vector
from pragam.polytopes import project_simplex
from pragam.structured.chains.alternating import alternate
from pragam.structured.chains.batch import ChainBatch

METHODS = ("newton", "alternating")


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
        batch = ChainBatch(
            np.concatenate([chains[b] for b in own]),
            np.concatenate([squares[b] for b in own]),
            np.array([len(chains[b]) for b in own], dtype=np.int64),
            np.array(own),
        ).pruned()
        start_of_own = None if potentials is None else [potentials[b] for b in own]
        found = _newton(batch, tol, start_of_own) if method == "newton" else _alternating(batch, tol)
        for b, alpha in zip(own, found, strict=True):
            out[b] = alpha
    return out[0] if is_one else out


def _single(m: Vector) -> Vector:
    """A single node: a simplex over its labels."""
    alpha, allowed = np.zeros_like(m), m > -np.inf
    alpha[allowed] = project_simplex(m[allowed])
    return alpha


def _newton(batch: ChainBatch, tol: float, potentials: list[Vector] | None) -> list[Vector]:
    start = None if potentials is None else np.concatenate([each.ravel() for each in potentials])
    alpha, u = batch.newton(batch.residuals(tol), start)
    if potentials is not None:
        for each, own in zip(potentials, np.split(u.reshape(-1, alpha.shape[-1]), _ends(potentials)), strict=True):
            each[:] = own
    return np.split(alpha, batch.first[1:])


def _ends(parts: list[Vector]) -> Vector:
    """Where each part but the last ends."""
    return np.cumsum([len(part) for part in parts])[:-1]


def _alternating(batch: ChainBatch, tol: float) -> list[Vector]:
    parts = (np.split(each, batch.first[1:]) for each in (batch.m, batch.weight))
    return [alternate(*each) for each in zip(*parts, batch.residuals(tol).tolist(), strict=True)]


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
