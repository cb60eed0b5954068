"""Theorems that run: one statement = one file = one function ``check``, found by discovery.

>>> import pragam
>>> all(check.holds for check in pragam.theory.run(["weak_duality"]))
True

To add a statement, add a file. It has a docstring with the same sections as the others, and a function ``check``. The
function returns :class:`Check` records, each named ``file.part`` and measured at the worst of its instances. Tests,
documentation and the command line discover the file.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from importlib import import_module

from pragam.paper.theory._check import Check

__all__ = ["Check", "names", "run"]


def names() -> list[str]:
    """The statements, by the names of their files."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))


def run(names: Iterable[str] | None = None) -> list[Check]:
    """The checks of the named statements, or of all. A check that fails does not raise; see ``Check.holds``.

    Parameters
    ----------
    names : iterable of str, optional
        Some of :func:`pragam.theory.names`.
    """
    known = _known()
    chosen = known if names is None else list(names)
    if unknown := [name for name in chosen if name not in known]:
        raise ValueError(f"names must be out of {', '.join(known)}; unknown: {', '.join(map(repr, unknown))}")
    return [check for name in chosen for check in import_module(f"{__name__}.{name}").check()]


_known = names  # inside run the parameter hides the function
