"""How copies were made, while somebody wants to know: a checkpoint keeps the call in place of the copy.

A copy of some rows, or of all in another form, is a pure function of what it was made from, and may be as large as the
data. A function under :func:`remade` says that of its results. While a thread is :func:`recording`, its calls are
noted: for each part of a result, array or object, the call and the way to the part. Nothing is held by that but the
arguments, and they no longer than the part.
"""

from __future__ import annotations

import inspect
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, wraps
from types import FunctionType, MethodType, ModuleType
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

#: The way from an object to a part of it: names of attributes, and places in tuples and lists.
Way = tuple["str | int", ...]

#: Longer lists are not looked into: they hold examples, not parts.
_LONG = 64
#: Not looked into either: they are no parts of anything.
_LEAVES = (str, bytes, bool, int, float, complex, np.generic, np.dtype, type, FunctionType, MethodType, ModuleType)


@dataclass(frozen=True, eq=False)
class Call:
    """A call whose result can be had again."""

    name: str
    arguments: tuple[Any, ...]

    def again(self) -> Any:
        """The result, made anew."""
        return _FUNCTIONS[self.name](*self.arguments)


_FUNCTIONS: dict[str, Callable[..., Any]] = {}


def remade(function: F) -> F:
    """Say of a function that it is pure, and that its results, which nobody changes, may be made again."""

    @wraps(function)
    def noted(*arguments: Any) -> Any:
        return made_as(function(*arguments), function, *arguments)

    _FUNCTIONS[f"{function.__module__}:{function.__qualname__}"] = noted
    return noted  # type: ignore[return-value]


def made_as(result: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    """The result, of which is said that ``function(*arguments)``, a remade one, would give it to the bit."""
    if _here.calls is not None:
        name = f"{function.__module__}:{function.__qualname__}"
        _here.calls.note(result, Call(name, tuple(map(_own, arguments))))
    return result


def is_remade(name: str) -> bool:
    """Whether a function of this name is one whose calls may be made again."""
    return name in _FUNCTIONS


class Calls:
    """The calls of a thread, by the parts of their results."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[weakref.ref[Any], Call, Way]] = {}

    def note(self, result: Any, call: Call) -> None:
        """Remember where the parts of a result come from; those that are parts of the arguments come from there."""
        given = {id(part) for _, part in parts_of(call.arguments)}
        for way, part in parts_of(result):
            if id(part) in given or isinstance(part, (tuple, list)):
                continue
            key = id(part)
            try:
                self._found[key] = weakref.ref(part, self._forget(key)), call, way
            except TypeError:  # what cannot be followed is kept as it is
                continue

    def _forget(self, key: int) -> Callable[[Any], None]:
        def gone(reference: Any) -> None:
            self._found.pop(key, None)

        return gone

    def of(self, part: Any) -> tuple[Call, Way] | None:
        """The call that has made this, and the way to it; None if it is not known."""
        found = self._found.get(id(part))
        return found[1:] if found is not None and found[0]() is part else None


class _Here(threading.local):
    calls: Calls | None = None


_here = _Here()


@contextmanager
def recording() -> Iterator[Calls]:
    """A context in which the calls of this thread are noted."""
    before, _here.calls = _here.calls, Calls()
    try:
        yield _here.calls
    finally:
        _here.calls = before


def parts_of(whole: Any) -> Iterator[tuple[Way, Any]]:
    """An object and what it is made of, near parts first, each once, with the way to it. What it will compute, and what
    it merely remembers (``remembers``), is no part."""
    seen: set[int] = set()
    layer: list[tuple[Way, Any]] = [((), whole)]
    while layer:
        following: list[tuple[Way, Any]] = []
        for way, part in layer:
            if part is None or isinstance(part, _LEAVES) or id(part) in seen:
                continue
            seen.add(id(part))
            yield way, part
            following += [((*way, key), child) for key, child in _children(part)]
        layer = following


def follow(whole: Any, way: Way) -> Any:
    """The part at the end of the way, which may come from a file: only what ``parts_of`` would yield, or would once it
    is computed, is reached. So no function is, no class, and nothing else that leads out of the data."""
    for key in way:
        whole = _child(whole, key)
    if isinstance(whole, _LEAVES):
        raise ValueError(f"its way {list(way)!r:.80} leads to no part of the problem")
    return whole


def _child(part: Any, key: str | int) -> Any:
    if isinstance(key, int) and isinstance(part, (tuple, list)):
        return part[key]
    if isinstance(key, str) and not isinstance(part, _LEAVES) and key not in remembers(part):
        is_computed = isinstance(inspect.getattr_static(type(part), key, None), cached_property)
        if is_computed or key in getattr(part, "__dict__", ()):
            return getattr(part, key)
    raise ValueError(f"its way has a step {key!r:.40} that leads to no part of the problem")


def remembers(part: Any) -> tuple[str, ...]:
    """The attributes in which an object remembers what it was last asked: no parts of it."""
    return getattr(type(part), "remembers", ())


def _children(part: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(part, np.ndarray):
        return
    if isinstance(part, (tuple, list)):
        if len(part) <= _LONG:
            yield from enumerate(part)
        return
    own = getattr(part, "__dict__", None)
    if isinstance(own, dict):
        yield from ((name, child) for name, child in list(own.items()) if name not in remembers(part))


def _own(argument: Any) -> Any:
    """An argument that stays as it is: numbers of rows are copied."""
    return argument.copy() if isinstance(argument, np.ndarray) else argument
