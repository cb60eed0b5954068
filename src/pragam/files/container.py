"""The file under every model of pragam's own: safetensors, with a JSON object under the metadata key "pragam".

Nothing in it is executed when it is read. The JSON is checked before any tensor is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from pragam.files.atomic import replacing
from pragam.files.kinds import HEAD, MODEL, looks_like

T = TypeVar("T")

_KEY = "pragam"
_DTYPES = {name: np.dtype(kind) for name, kind in (
    ("F64", "<f8"), ("F32", "<f4"), ("I64", "<i8"), ("I32", "<i4"), ("U32", "<u4"), ("U8", "|u1"), ("BOOL", "|b1"),
)}  # fmt: skip
#: The longest header that safetensors allows.
_LONGEST_HEADER = 100_000_000


class Tensors:
    """The tensors of a file, by name."""

    def __init__(self, content: bytes) -> None:
        from safetensors import deserialize

        self._tensors = dict(deserialize(content))

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def names(self) -> list[str]:
        """All of them."""
        return list(self._tensors)

    def dtype(self, name: str, *among: str) -> str:
        """Which of these types a tensor has; the last one if it has none of them, or there is no such tensor."""
        found = self._tensors[name]["dtype"] if name in self._tensors else among[-1]
        return found if found in among else among[-1]

    def array(self, name: str, dtype: str = "F64") -> NDArray[Any]:
        """One of them, which must hold numbers of this type."""
        if name not in self._tensors:
            raise ValueError(f"it has no tensor {name!r}")
        tensor = self._tensors[name]
        if tensor["dtype"] != dtype:
            raise ValueError(f"{name} must hold {_DTYPES[dtype].name} numbers, not {tensor['dtype']}")
        return np.frombuffer(tensor["data"], _DTYPES[dtype]).reshape(tensor["shape"])


def write(path: str | os.PathLike[str], record: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> None:
    """Write a file; it appears whole, with all bytes on the disk, or not at all."""
    from safetensors.numpy import save

    # safetensors would write a strided array's memory in its own order, that is: other numbers.
    own = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    content = save(own, {_KEY: json.dumps(record, allow_nan=False)})
    with replacing(path) as stream:
        stream.write(content)


def read(stream: BinaryIO, name: str, build: Callable[[str, Callable[[], Tensors]], T], what: str = "model file") -> T:
    """What ``build(text, tensors)`` makes of the JSON text and, when it asks for them, of the tensors.

    Anything amiss is a ValueError of one line, that this is no usable ``what``.
    """
    from safetensors import SafetensorError

    begin = stream.read(8)
    header = b""
    try:
        if len(begin) < 8 or int.from_bytes(begin, "little") > _LONGEST_HEADER:
            header = stream.read(HEAD)
            raise ValueError("it is no safetensors file")
        header = stream.read(int.from_bytes(begin, "little"))
        return build(_metadata(header), lambda: Tensors(begin + header + stream.read()))
    except (SafetensorError, ValueError, RecursionError, OverflowError) as error:
        kind = looks_like(begin + header[:HEAD], MODEL)
        raise ValueError(f"{name}: not a usable {what}: {error}{kind}") from error


def _metadata(header: bytes) -> str:
    """The text under pragam's key. (safetensors reads metadata only from a file that it opens by its name.)"""
    content = json.loads(header)
    metadata = content.get("__metadata__") if isinstance(content, dict) else None
    text = metadata.get(_KEY) if isinstance(metadata, dict) else None
    if not isinstance(text, str):
        raise ValueError(f"its metadata have no entry {_KEY!r}")
    return text
