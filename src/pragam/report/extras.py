"""Optional packages, imported where they are first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def need(module: str, extra: str) -> Any:
    """The module, or an error that names the extra to install."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(f"this needs the package {package}: pip install 'pragam[{extra}]'") from error
