"""Optional packages, imported where they are first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

#: What pip calls the packages whose modules have another name.
_PACKAGES = {"vl_convert": "vl-convert-python"}


def need(module: str, *others: str) -> Any:
    """The module, where the others are there too.

    Otherwise an error with the command that installs what is missing. It names packages, not an extra of pragam, which
    pip would look for on PyPI: so it works from a checkout, a wheel and everywhere else.
    """
    missing, cause = [], None
    for name in (module, *others):
        try:
            import_module(name)
        except ImportError as error:
            top = name.partition(".")[0]
            missing.append(_PACKAGES.get(top, top))
            cause = error
    if missing:
        raise ImportError(f"not installed: {', '.join(missing)} (pip install {' '.join(missing)})") from cause
    return import_module(module)
