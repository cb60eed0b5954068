"""The compiled loops, or their NumPy twins where the extension was not built.

A kernel is a plain function on flat arrays. ``_kernels.get(name)`` returns the compiled one when there is
one, else the twin of the same name from :mod:`pragam._kernels.twins`, after one warning in the process.
Set the environment variable ``PRAGAM_KERNELS=numpy`` to force the twins.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any


def _load() -> Any:
    if os.environ.get("PRAGAM_KERNELS") == "numpy":
        return None
    try:
        return import_module("pragam._kernels._compiled")
    except ImportError:
        return None


_extension = _load()
compiled = _extension is not None
_warned = False


def get(name: str) -> Callable[..., Any]:
    """The kernel ``name``: compiled if possible, else its NumPy twin (with one warning)."""
    if compiled:
        return getattr(_extension, name)
    from pragam._kernels import twins

    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            "pragam's compiled kernels are not available, so the NumPy twins run instead: the answers are "
            "the same, but training can be a hundred times slower. Reinstall pragam with a C++17 compiler.",
            RuntimeWarning,
            stacklevel=3,
        )
    return getattr(twins, name)
