"""What was frozen (:mod:`pragam.driver.checkpoint.freezing`), made again, to the bit.

The tree is read as if an enemy had written it. It names parts of the problem and of the solver, copies of rows that a
pure function makes of such parts, records of few rooms, and numbers; nothing else can be said in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.driver.checkpoint.freezing import LINE, Bytes, Frozen, may_hold
from pragam.numerics.memory import fresh
from pragam.numerics.remade import Call, follow, is_remade, remembers


def thaw(frozen: Frozen, objects: Mapping[str, Any], modules: Sequence[str] = ()) -> Any:
    """What was frozen, with these objects as roots. What does not fit this version is a ValueError."""
    try:
        return _Reader(frozen, objects, modules).whole()
    except (ArithmeticError, AttributeError, ImportError, LookupError, RecursionError, TypeError) as error:
        raise ValueError(f"it does not fit this version ({type(error).__name__}: {error!s:.80})") from error


class _Reader:
    def __init__(self, frozen: Frozen, objects: Mapping[str, Any], modules: Sequence[str]) -> None:
        self._tree, self._bytes = frozen[:2]
        self._objects, self._modules = objects, tuple(modules)
        self._found: dict[int, Any] = {}
        self._made: dict[int, Any] = {}
        self._memory: dict[int, Bytes] = {}

    def whole(self) -> Any:
        found = self.value(self._tree["root"])
        for way, name, node in self._tree["remembered"]:
            part = self._follow(way)
            if name not in remembers(part):
                raise ValueError(f"it changes {name!r:.40}, which is not remembered")
            setattr(part, name, self.value(node))
        return found

    def value(self, node: Any) -> Any:
        if not isinstance(node, list):
            return node
        kind, *rest = node
        if kind == "object":
            (number,) = rest
            if number not in self._found:
                self._build(number)
            return self._found[number]
        return _READERS[kind](self, *rest)

    def _follow(self, way: list[Any]) -> Any:
        return follow(self._objects[way[0]], tuple(way[1:]))

    def root(self, way: list[Any]) -> Any:
        return self._follow(way)

    def made(self, number: int, end: list[Any]) -> Any:
        if number not in self._made:
            name, arguments = self._tree["calls"][number]
            if not is_remade(name):
                raise ValueError(f"it calls {name!r:.80}, which this version does not know")
            self._made[number] = Call(name, tuple(map(self.value, arguments))).again()
        return follow(self._made[number], tuple(end))

    def member(self, name: str, member: str) -> Any:
        own = self._class(name)
        if not issubclass(own, Enum):
            raise ValueError(f"its {own.__name__} has no members")
        return own[member]

    def scalar(self, dtype: str, content: str) -> Any:
        return np.frombuffer(bytes.fromhex(content), _numbers(dtype))[0]

    def _build(self, number: int) -> None:
        kind, *rest = self._tree["objects"][number]
        if kind == "list":
            found: Any = []
            self._found[number] = found
            found.extend(map(self.value, rest[0]))
        elif kind == "dict":
            found = self._found[number] = {}
            found.update((self.value(key), self.value(value)) for key, value in rest[0])
        elif kind == "record":
            own = self._class(rest[0])
            found = self._found[number] = object.__new__(own)
            _check_fields(own, rest[1])
            vars(found).update({name: self.value(value) for name, value in rest[1].items()})
        else:
            self._found[number] = _BUILDERS[kind](self, *rest)

    def items(self, content: list[Any]) -> Any:
        return tuple(map(self.value, content))

    def named(self, name: str, content: list[Any]) -> Any:
        own: Any = self._class(name)
        if len(own._fields) != len(content):
            raise ValueError(f"its {own.__name__} has other fields than in this version")
        return own._make(map(self.value, content))

    def generator(self, state: dict[str, Any]) -> np.random.Generator:
        kind: Any = getattr(np.random, state["bit_generator"])
        if not (isinstance(kind, type) and issubclass(kind, np.random.BitGenerator)):
            raise ValueError(f"it has random numbers of {state['bit_generator']!r:.40}")
        bits = kind(0)
        bits.state = _from_json(state)
        return np.random.Generator(bits)

    def compressed(self, name: str, arrays: list[Any], shape: list[int]) -> Any:
        data, indices, indptr = map(self.value, arrays)
        found = {"csr_array": sparse.csr_array, "csc_array": sparse.csc_array}[name](tuple(shape), dtype=data.dtype)
        found.data, found.indices, found.indptr = data, indices, indptr
        return found

    def objects(self, shape: list[int], content: list[Any]) -> Any:
        found = np.empty(len(content), dtype=object)
        for k, each in enumerate(content):
            found[k] = self.value(each)
        return found.reshape(shape)

    def array(self, dtype: str, shape: list[int], strides: list[int], writeable: bool, *where: int) -> NDArray[Any]:
        if not where:
            found: NDArray[Any] = np.zeros(shape, _numbers(dtype))  # without an entry
        else:
            number, offset, lead = where
            found = np.ndarray(shape, _numbers(dtype), self._memory_of(number, lead), offset, strides)
        found.flags.writeable = writeable
        return found

    def _memory_of(self, number: int, lead: int) -> Any:
        if number not in self._memory:
            content = self._bytes[number]
            if not 0 <= lead < LINE:
                raise ValueError(f"its memory begins {lead!r:.40} bytes into a cache line")
            own = fresh(lead + content.size, np.uint8)[lead:]
            own[:] = content
            self._memory[number] = own
        return self._memory[number]

    def _class(self, name: str) -> Any:
        module, _, qualname = name.partition(":")
        found: Any = import_module(module) if may_hold(module, self._modules) else None
        for part in qualname.split("."):
            found = getattr(found, part, None)
        if not isinstance(found, type) or (found.__module__, found.__qualname__) != (
            module,
            qualname,
        ):  # imported there
            raise ValueError(f"it holds a {name!r:.80}, which this version does not know")
        return found


_READERS: dict[str, Callable[..., Any]] = {
    "float": lambda reader, text: float(text),
    "dtype": lambda reader, text: _numbers(text),
    "type": lambda reader, text: _numbers(text).type,
    "frozenset": lambda reader, content: frozenset(map(reader.value, content)),
    "root": _Reader.root,
    "made": _Reader.made,
    "scalar": _Reader.scalar,
    "member": _Reader.member,
}
_BUILDERS: dict[str, Callable[..., Any]] = {
    "tuple": _Reader.items,
    "named": _Reader.named,
    "generator": _Reader.generator,
    "sparse": _Reader.compressed,
    "objects": _Reader.objects,
    "array": _Reader.array,
}


def _check_fields(own: type, given: Mapping[str, Any]) -> None:
    """A class with other fields is that of another version."""
    wanted = getattr(own, "__dataclass_fields__", None)
    if wanted is not None and not set(wanted) <= set(given):
        raise ValueError(f"its {own.__name__} has other fields than in this version")


def _numbers(text: Any) -> np.dtype[Any]:
    """The type of this name. Objects, whose bytes are addresses, are none."""
    found = np.dtype(text) if isinstance(text, str) else None
    if found is None or found.hasobject or found.names is not None:
        raise ValueError(f"it holds numbers of type {text!r:.40}")
    return found


def _from_json(state: Any) -> Any:
    if isinstance(state, dict) and set(state) == {"array", "dtype"}:
        return np.array(state["array"], _numbers(state["dtype"]))
    return {name: _from_json(value) for name, value in state.items()} if isinstance(state, dict) else state
