"""When a solve is written to its checkpoint, what belongs there, and how one goes on.

What is written is the state between two iterations, as it is: writing changes nothing, so the clock may say when. It is
written when the writing would take no more than 2 % of the time, and not more often than every second.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.driver.checkpoint.freezing import Bytes, Frozen, Roots, UnknownError, freeze
from pragam.driver.checkpoint.thawing import thaw
from pragam.files import checkpoint_file
from pragam.files.checkpoint_file import Content
from pragam.numerics.remade import Calls, recording

#: Writing takes no more than one part of this many of the time,
_SHARE = 50.0
#: and there are this many seconds between the beginnings of two writings.
_LEAST = 1.0
#: Memory of fewer bytes has no tensor of its own.
_SMALL = 2048
#: What a solve that is over holds under ``result``, and one that is not under ``state``.
_OVER, _RUNNING = "result", "state"


class Keeper:
    """The checkpoint of one run, held as long as the run lasts.

    kind, belongs : what it is of, as :mod:`pragam.files.checkpoint_file` keeps it
    free : names in it that may differ: then a result stands, and what was unfinished begins anew
    objects : what both runs have, by name, and what is therefore not written: the problem and the solver
    modules : whose classes, beside pragam's, may be written: those of a user's own solver
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        kind: str,
        belongs: Mapping[str, Any],
        objects: Mapping[str, Any],
        calls: Calls,
        free: tuple[str, ...] = (),
        modules: tuple[str, ...] = (),
    ) -> None:
        self.path, self._kind, self._belongs = path, kind, dict(belongs)
        self.objects, self._calls, self._free, self._modules = objects, calls, free, modules
        # can_write: whether what it keeps was found to be of known types
        self._cost, self._at, self.can_write, self._has_warned = 0.0, time.perf_counter(), False, False

    def found(self) -> tuple[Any, bool] | None:
        """What the run before has left, and whether it was over; None if there is nothing."""
        try:
            content = checkpoint_file.read(self.path)
        except FileNotFoundError:
            return None
        checkpoint_file.verify(self.path, content, self._kind, _without(self._free, self._belongs))
        is_over = content.meta.get("holds") == _OVER
        if not is_over and any(content.belongs.get(name) != self._belongs[name] for name in self._free):
            return None
        try:
            return thaw(_unpacked(content), self.objects, self._modules), is_over
        except (LookupError, TypeError, ValueError) as error:
            raise self.unusable(error) from error

    def unusable(self, why: object) -> ValueError:
        """The error where a file is whole, but holds something else."""
        return ValueError(f"{self.path}: not a usable checkpoint: {why}: begin anew")

    def perhaps(self, state: Any, **told: Any) -> None:
        """Write the state if it is time. What cannot be written is refused at the first call, before any work."""
        if not self.can_write:
            self._frozen(state)
            self.can_write = True
        if time.perf_counter() - self._at >= max(_LEAST, _SHARE * self._cost):
            self.write(state, **told)

    def write(self, state: Any, *, is_over: bool = False, **told: Any) -> None:
        """Write the state now, with words of it for people; or what came of the run, at its end.

        If that fails, the run goes on: the file before stays, and one warning says so.
        """
        begin = time.perf_counter()
        try:
            frozen = self._frozen(state)
            meta, tensors = _packed(frozen)
            meta |= {"holds": _OVER if is_over else _RUNNING, "told": told}
            checkpoint_file.write(self.path, Content(self._kind, self._belongs, meta, tensors))
        except (OSError, ValueError) as error:
            self._warn(error)
        self._at = time.perf_counter()
        self._cost = self._at - begin

    def _frozen(self, state: Any) -> Frozen:
        try:
            return freeze(state, Roots(self.objects), self._calls, self._modules)
        except UnknownError as error:
            raise ValueError(f"{self.path}: what the solver remembers cannot be written: {error}") from error

    def _warn(self, error: Exception) -> None:
        if not self._has_warned:
            self._has_warned = True
            what = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            warnings.warn(
                f"{self.path}: the checkpoint was not written ({what}). The solve goes on, and tries again.",
                RuntimeWarning,
                stacklevel=2,
            )


@contextmanager
def keeping(
    path: str | os.PathLike[str],
    kind: str,
    belongs: Mapping[str, Any],
    objects: Mapping[str, Any],
    free: tuple[str, ...] = (),
    method: Any = None,
) -> Iterator[Keeper]:
    """The keeper of this file, which no other process has meanwhile. States may have classes of the method's module."""
    with checkpoint_file.held(path), recording() as calls:
        yield Keeper(path, kind, belongs, objects, calls, free, (type(method).__module__,))


def _without(names: tuple[str, ...], belongs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in belongs.items() if name not in names}


def _packed(frozen: Frozen) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Pieces of memory as tensors, the small ones in one."""
    small = [each for each in frozen.memory if each.size < _SMALL]
    tensors: dict[str, NDArray[Any]] = {
        f"memory.{k}": _typed(each) for k, each in enumerate(frozen.memory) if each.size >= _SMALL
    }
    if small:
        tensors["small"] = np.concatenate(small)
    return {"tree": frozen.tree, "sizes": [each.size for each in frozen.memory]}, tensors


def _unpacked(content: Content) -> Frozen:
    memory, at = [], 0
    for k, size in enumerate(content.meta["sizes"]):
        if size < _SMALL:
            each: Bytes = content.tensors["small"][at : at + size]
            at += size
        else:
            each = content.tensors[f"memory.{k}"].view(np.uint8)
        if each.size != size:
            raise ValueError("a tensor has another size than it says")
        memory.append(each)
    return Frozen(content.meta["tree"], memory)


def _typed(memory: Bytes) -> NDArray[Any]:
    """Bytes as the numbers that they mostly are, for those who look into the file."""
    return memory.view(np.float64) if memory.size % 8 == 0 else memory
