"""Fingerprints of what a solve was asked: of the data, of the risk, of a solver with its settings."""

from __future__ import annotations

import hashlib
import json
from enum import Enum
from functools import cached_property
from types import FunctionType, MethodType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.numerics.remade import remembers

#: Bytes of an array that is not contiguous that are copied at a time.
_BLOCK = 2**24


class Digests:
    """Fingerprints of objects by what they are made of. An array is read once, however many objects have it."""

    def __init__(self) -> None:
        self._arrays: dict[int, tuple[NDArray[Any], bytes]] = {}

    def of(self, what: Any) -> str:
        """In hexadecimal digits."""
        return self._digest(what, ()).hex()

    def _digest(self, x: Any, around: tuple[int, ...]) -> bytes:
        if isinstance(x, np.ndarray) and x.dtype != object:
            return self._of_array(x)
        if id(x) in around:
            return b"around"
        parts = [each if isinstance(each, bytes) else self._digest(each, (*around, id(x))) for each in _parts(x)]
        return hashlib.sha256(b"".join(len(part).to_bytes(8, "little") + part for part in parts)).digest()

    def _of_array(self, x: NDArray[Any]) -> bytes:
        known = self._arrays.get(id(x))
        if known is None:
            known = self._arrays[id(x)] = x, _sum(x)
        return known[1]


def _parts(x: Any) -> list[Any]:
    """What tells an object from others: bytes, and further objects. What it will compute is no part of it."""
    if x is None or isinstance(x, (bool, int, float, str, bytes, np.generic)):
        return [f"{type(x).__name__} {x!r}".encode()]
    if isinstance(x, (FunctionType, MethodType, type)):
        return [f"{x.__module__}.{x.__qualname__}".encode()]
    if isinstance(x, Enum):
        return [f"{type(x).__name__} {x.name}".encode()]
    if isinstance(x, (list, tuple)):
        return [type(x).__name__.encode(), *x]
    if isinstance(x, np.ndarray):
        return [f"objects {x.shape}".encode(), *x.ravel().tolist()]
    if isinstance(x, (set, frozenset)):
        return [b"set", *sorted(map(repr, x))]
    if isinstance(x, dict):
        return [b"dict", *(part for pair in x.items() for part in pair)]
    if sparse.issparse(x):
        return [type(x).__name__.encode(), *_of_sparse(x)]
    if isinstance(x, np.random.Generator):
        return [str(x.bit_generator.state).encode()]
    name = f"{type(x).__module__}.{type(x).__qualname__}".encode()
    if callable(getattr(x, "fingerprint", None)):  # it need not be read
        return [name, json.dumps(x.fingerprint(), sort_keys=True).encode()]
    own = getattr(x, "__dict__", {})
    return [name, *(part for key in sorted(own) if _is_given(x, key) for part in (key.encode(), own[key]))]


def _is_given(x: Any, name: str) -> bool:
    return name not in remembers(x) and not isinstance(getattr(type(x), name, None), cached_property)


def _of_sparse(x: Any) -> list[Any]:
    rows = x if hasattr(x, "indptr") else x.tocsr()
    return [str(x.shape).encode(), rows.data, rows.indices, rows.indptr]


def _sum(x: NDArray[Any]) -> bytes:
    """Of the type, the shape and the numbers; of their order in memory too, which products may depend on."""
    is_turned = x.flags.f_contiguous and not x.flags.c_contiguous
    whole = hashlib.sha256(f"{x.dtype.str} {x.shape} {is_turned}".encode())
    rows = x.T if is_turned else x
    if rows.flags.c_contiguous:
        whole.update(rows.reshape(-1).view(np.uint8).data if rows.size else b"")
        return whole.digest()
    step = max(1, _BLOCK * len(rows) // max(rows.nbytes, 1))
    for first in range(0, len(rows), step):
        whole.update(np.ascontiguousarray(rows[first : first + step]).data)
    return whole.digest()
