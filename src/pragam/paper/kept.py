"""Answers of theorems in a file, used again for as long as the code that gave them is the same.

A page is drawn several times, and all theorems take a dozen seconds. The file holds the answers, which theorems they
are of, and a fingerprint of what else they depend on: the sources of this package, its kernels, NumPy and SciPy.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import scipy

from pragam.files.atomic import replacing
from pragam.paper.theory import Check

_PACKAGE = Path(__file__).parents[1]


def kept_checks(path: Path, names: Sequence[str], run: Callable[[Sequence[str]], list[Check]]) -> list[Check]:
    """The answers in the file if the same code gave them to the same names; else they are run, and written there."""
    known: dict[str, object] = {"names": list(names), "code": fingerprint()}
    if (found := _read(path, known)) is not None:
        return found
    checks = run(names)
    with replacing(path) as stream:
        stream.write(json.dumps({**known, "checks": list(map(asdict, checks))}, indent=1).encode())
    return checks


def fingerprint() -> str:
    """A SHA-256 of the code that theorems run."""
    whole = hashlib.sha256(f"numpy {np.__version__}, scipy {scipy.__version__}".encode())
    files = sorted(_PACKAGE.rglob("*.py"))
    if (kernels := sys.modules.get("pragam._kernels._compiled")) is not None:
        files.append(Path(str(kernels.__file__)))
    for file in files:
        whole.update(f"\n{file.name} ".encode() + hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()


def _read(path: Path, known: dict[str, object]) -> list[Check] | None:
    """None if there is no such file, if it is of other code, or if it is damaged: then it is written anew."""
    try:
        found = json.loads(path.read_bytes())
        checks = [Check(**each) for each in found.pop("checks")]
        return checks if found == known else None
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        return None
