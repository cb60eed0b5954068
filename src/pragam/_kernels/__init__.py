"""The compiled loops, or their NumPy twins if the extension was not built.

A kernel is a plain function on flat arrays. Kernels lie in families: ``family/kernel.cpp`` beside its twin
``family/kernel.py``, the specification, and ``family/records.py``, the records that they take in place of long lists of
arguments. ``_kernels.get(name)`` returns the compiled kernel if there is one. Else it returns the twin of the same name
from :mod:`pragam._kernels.twins`, after one warning per process.

The environment variable ``PRAGAM_KERNELS`` overrides this. ``numpy`` forces the twins. The path of a compiled module
loads that module, which is how CI tests a build without vector instructions.
"""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

_NAME = "pragam._kernels._compiled"


def _load() -> Any:
    choice = os.environ.get("PRAGAM_KERNELS")
    if choice == "numpy":
        return None
    if choice:
        return load_file(choice)
    try:
        return import_module(_NAME)
    except ImportError:
        return None


def load_file(path: str) -> Any:
    """The compiled module at ``path``, under the usual name."""
    spec = spec_from_file_location(_NAME, path)
    if spec is None or spec.loader is None or not os.path.isfile(path):
        raise ImportError(f"PRAGAM_KERNELS is {path!r}: expected 'numpy' or the path of a compiled module")
    module = sys.modules[_NAME] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
            stacklevel=_level_of_caller(),
        )
    return getattr(twins, name)


def _level_of_caller() -> int:
    """The stack level, for a warning of the function that asks, of the user's own line: outside of pragam, and of
    scikit-learn, which may be around a fit."""
    names = [record.frame.f_globals.get("__name__", "") for record in inspect.stack(context=0)[1:]]
    ours = [k for k, name in enumerate(names) if name.partition(".")[0] in ("pragam", "sklearn")]
    return min(ours[-1] + 1, len(names) - 1) + 1
