"""Solvers of other packages, one file each, found here by being in this folder."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from importlib.util import find_spec

from pragam.compare.peers.base import Fitted, Peer

__all__ = ["Fitted", "Peer", "by_name", "is_installed", "names"]


@cache
def _peers() -> dict[str, Peer]:
    modules = (importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__))
    classes = [each for module in modules for each in vars(module).values() if is_peer_of(each, module.__name__)]
    return {each.name: each() for each in classes}


def is_peer_of(value: object, module: str) -> bool:
    """Whether this is the class of a peer that was defined in this module."""
    is_peer = isinstance(value, type) and issubclass(value, Peer) and not inspect.isabstract(value)
    return is_peer and value.__module__ == module


def names() -> list[str]:
    """Of all peers that there is a file for, installed or not."""
    return list(_peers())


def by_name(name: str) -> Peer:
    """The peer of this name."""
    if name not in _peers():
        raise ValueError(f"peer must be one of {', '.join(map(repr, names()))}, not {name!r}")
    return _peers()[name]


def is_installed(peer: Peer) -> bool:
    """Whether its package can be found. It is not imported."""
    return find_spec(peer.module) is not None
