"""Model files changed by hand: the record and the tensors, written back without any check."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load, save

Record, Tensors = dict[str, Any], dict[str, np.ndarray]


def read(path: Path | str) -> tuple[Record, Tensors]:
    """The JSON record of a file, and copies of its tensors."""
    content = Path(path).read_bytes()
    size = int.from_bytes(content[:8], "little")
    text = json.loads(content[8 : 8 + size])["__metadata__"]["pragam"]
    return json.loads(text), {name: array.copy() for name, array in load(content).items()}


def write(path: Path | str, record: Any, tensors: Tensors) -> None:
    """A file with this record, or this text, and these tensors."""
    metadata = {"pragam": record if isinstance(record, str) else json.dumps(record)}
    own = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    Path(path).write_bytes(save(own, metadata))


def forge(path: Path | str, change: Callable[[Record, Tensors], Any], to: Path | str | None = None) -> None:
    """Change a file in its place, or into another one; ``change`` works on the record and the tensors themselves."""
    record, tensors = read(path)
    change(record, tensors)
    write(path if to is None else to, record, tensors)


def stored(record: Record, **bounds: float) -> None:
    """Other bounds in every certificate."""
    for proof in record["proofs"]:
        proof["certificate"].update(bounds)
