r"""What a solve remembers as JSON and arrays, and back, to the bit.

Solvers keep records of arrays, numbers and further records. Any of them is written as it is, by the names of its class
and attributes; so no solver says how. Of the objects of a graph,

- what the problem and the solver are made of (*roots*) is written as the way to it: the run that goes on has its own;
- what a pure function has made of other parts (:mod:`pragam.numerics.remade`) is written as that call: copies of rows;
- the rest is written once, however often it occurs. Arrays on the same memory share it afterwards too.

Nothing that is read is executed but such calls. No class is made that is not of pragam's mathematics or of the solver's
own module: none that opens a file, starts a process or cleans up after itself.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.numerics.remade import Call, Calls, parts_of, remembers

Bytes = NDArray[np.uint8]

#: An array begins at the same place of a cache line as it did.
LINE = 64
_PLAIN = (bool, int, str)
#: The rooms whose classes may be in a state.
_ROOMS = frozenset(
    f"pragam.{room}"
    for room in (
        "_kernels", "certificate", "conjugates", "driver.record", "driver.result", "driver.screened",
        "numerics", "operators", "polytopes", "problem", "risks", "solvers", "structured", "views",
    )
)  # fmt: skip


class UnknownError(ValueError):
    """Something is of a type that is not written."""


def may_hold(module: str, modules: Sequence[str]) -> bool:
    """Whether classes of this module may be in a state: of pragam's rooms, or of the ``modules`` of the solver."""
    return module in modules or any(module == room or module.startswith(f"{room}.") for room in _ROOMS)


class Frozen(NamedTuple):
    """A tree that JSON can hold, and the memory of the arrays in it."""

    tree: dict[str, Any]
    memory: list[Bytes]
    kept: Any = None  # what the memory is of, while it is used


class Roots:
    """What both runs have: objects by name."""

    def __init__(self, objects: Mapping[str, Any]) -> None:
        self.objects = dict(objects)
        self.ways = {id(part): [name, *way] for name, root in objects.items() for way, part in parts_of(root)}

    def memories(self) -> list[tuple[list[Any], str, Any]]:
        """(the way to an object, an attribute, its value) of what objects of the roots remember."""
        found = []
        for name, root in self.objects.items():
            found += [
                ([name, *way], own, getattr(part, own)) for way, part in parts_of(root) for own in remembers(part)
            ]
        return found


def freeze(what: Any, roots: Roots, calls: Calls | None = None, modules: Sequence[str] = ()) -> Frozen:
    """``what`` as a tree; the arrays' memory is not copied. Classes are pragam's, or of the ``modules``."""
    writer = _Writer(roots, calls, modules)
    return writer.frozen(what)


class _Memory(NamedTuple):
    """Where the arrays of one piece of memory are: (the node of an array, its first and last byte)."""

    arrays: list[tuple[list[Any], NDArray[Any]]]


class _Writer:
    def __init__(self, roots: Roots, calls: Calls | None, modules: Sequence[str]) -> None:
        self._roots, self._calls, self._modules = roots, calls, tuple(modules)
        self._numbers: dict[int, int] = {}
        self._nodes: list[Any] = []
        self._kept: list[Any] = []  # what has a number stays alive meanwhile
        self._made: dict[int, int] = {}
        self._calls_made: list[Any] = []
        self._memories: dict[int, _Memory] = {}

    def frozen(self, what: Any) -> Frozen:
        memories = [[way, name, self.node(value)] for way, name, value in self._roots.memories()]
        root = self.node(what)
        memory = [self._placed(number, each) for number, each in enumerate(self._memories.values())]
        tree = {"root": root, "objects": self._nodes, "calls": self._calls_made, "remembered": memories}
        return Frozen(tree, memory, self._kept)

    def node(self, x: Any) -> Any:
        """What stands for an object."""
        if x is None or type(x) in _PLAIN:
            return x
        if type(x) is float:
            return x if isfinite(x) else ["float", repr(x)]
        if (way := self._roots.ways.get(id(x))) is not None:
            return ["root", way]
        if self._calls is not None and (found := self._calls.of(x)) is not None:
            call, end = found
            return ["made", self._call(call), list(end)]
        if id(x) in self._numbers:
            return ["object", self._numbers[id(x)]]
        return self._new(x)

    def _call(self, call: Call) -> int:
        if id(call) not in self._made:
            arguments = [self.node(each) for each in call.arguments]
            self._made[id(call)] = len(self._calls_made)
            self._calls_made.append([call.name, arguments])
            self._kept.append(call)
        return self._made[id(call)]

    def _new(self, x: Any) -> Any:
        for kind, write in _WRITERS:
            if isinstance(x, kind):
                return write(self, x)
        number = self._number(x)
        self._nodes[number] = self._record(x)
        return ["object", number]

    def _number(self, x: Any) -> int:
        number = self._numbers[id(x)] = len(self._nodes)
        self._kept.append(x)
        self._nodes.append(None)
        return number

    def _record(self, x: Any) -> list[Any]:
        """An instance of a class, by its attributes."""
        own = getattr(x, "__dict__", None)
        if own is None or callable(x) or isinstance(x, type):
            raise UnknownError(f"it holds a {type(x).__name__}")
        return ["record", self._class(type(x)), {name: self.node(value) for name, value in own.items()}]

    def _class(self, kind: type) -> str:
        if not may_hold(kind.__module__, self._modules):
            raise UnknownError(f"it holds a {kind.__module__}.{kind.__qualname__}")
        return f"{kind.__module__}:{kind.__qualname__}"

    def items(self, x: Any) -> Any:
        number = self._number(x)
        content = [self.node(each) for each in x]
        if isinstance(x, list):
            self._nodes[number] = ["list", content]
        elif hasattr(x, "_fields"):
            self._nodes[number] = ["named", self._class(type(x)), content]
        else:
            self._nodes[number] = ["tuple", content]
        return ["object", number]

    def pairs(self, x: dict[Any, Any]) -> Any:
        number = self._number(x)
        self._nodes[number] = ["dict", [[self.node(key), self.node(value)] for key, value in x.items()]]
        return ["object", number]

    def scalar(self, x: np.generic) -> Any:
        return ["scalar", x.dtype.str, x.tobytes().hex()]

    def other(self, x: Any) -> Any:
        """Bytes, and subclasses of plain types."""
        raise UnknownError(f"it holds a {type(x).__name__}")

    def kind(self, x: Any) -> Any:
        """A type of numbers."""
        if not (isinstance(x, np.dtype) or issubclass(x, np.generic)) or np.dtype(x).names is not None:
            raise UnknownError(f"it holds a {x!r:.60}")
        return ["dtype" if isinstance(x, np.dtype) else "type", np.dtype(x).str]

    def names(self, x: frozenset[Any]) -> Any:
        return ["frozenset", [self.node(each) for each in sorted(x)]]

    def member(self, x: Enum) -> Any:
        return ["member", self._class(type(x)), x.name]

    def generator(self, x: np.random.Generator) -> Any:
        number = self._number(x)
        self._nodes[number] = ["generator", _jsonable(x.bit_generator.state)]
        return ["object", number]

    def compressed(self, x: Any) -> Any:
        number = self._number(x)
        arrays = [self.node(each) for each in (x.data, x.indices, x.indptr)]
        self._nodes[number] = ["sparse", type(x).__name__, arrays, list(x.shape)]
        return ["object", number]

    def array(self, x: NDArray[Any]) -> Any:
        number = self._number(x)
        if x.dtype == object:
            self._nodes[number] = ["objects", list(x.shape), [self.node(each) for each in x.ravel().tolist()]]
        elif x.dtype.names is not None or x.dtype.hasobject:
            raise UnknownError(f"it holds an array of {x.dtype}")
        else:
            node = self._nodes[number] = ["array", x.dtype.str, list(x.shape), list(x.strides), bool(x.flags.writeable)]
            if x.size:
                owner = _owner(x)
                self._memories.setdefault(id(owner), _Memory([])).arrays.append((node, x))
                self._kept.append(owner)
        return ["object", number]

    def _placed(self, number: int, memory: _Memory) -> Bytes:
        """The part of one piece of memory that its arrays use, and where each begins in it."""
        ends = [_ends(x) for _, x in memory.arrays]
        first, last = min(end[0] for end in ends), max(end[1] for end in ends)
        for node, x in memory.arrays:
            node += [number, x.__array_interface__["data"][0] - first, first % LINE]
        return _bytes_at(first, last - first)


_WRITERS: list[tuple[Any, Callable[[_Writer, Any], Any]]] = [
    (np.ndarray, _Writer.array),
    (np.generic, _Writer.scalar),
    (Enum, _Writer.member),
    ((np.dtype, type), _Writer.kind),
    ((list, tuple), _Writer.items),
    (frozenset, _Writer.names),
    (dict, _Writer.pairs),
    (np.random.Generator, _Writer.generator),
    ((sparse.csr_array, sparse.csc_array), _Writer.compressed),
    ((bool, int, float, str, bytes), _Writer.other),
]


def _owner(x: NDArray[Any]) -> Any:
    """Whose memory an array is on."""
    base: Any = x
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    return base


def _ends(x: NDArray[Any]) -> tuple[int, int]:
    """The addresses of its first byte and of the one after its last."""
    reach = [(size - 1) * stride for size, stride in zip(x.shape, x.strides, strict=True)]
    first = int(x.__array_interface__["data"][0])
    return first + sum(min(each, 0) for each in reach), first + sum(max(each, 0) for each in reach) + x.itemsize


def _bytes_at(address: int, size: int) -> Bytes:
    """Memory as it is."""
    memory: Any = (ctypes.c_uint8 * size).from_address(address)
    return np.frombuffer(memory, dtype=np.uint8)


def _jsonable(state: Any) -> Any:
    """The state of a generator, whose arrays become lists."""
    if isinstance(state, dict):
        return {name: _jsonable(value) for name, value in state.items()}
    if isinstance(state, np.ndarray):
        return {"array": state.tolist(), "dtype": state.dtype.str}
    return state.item() if isinstance(state, np.generic) else state
