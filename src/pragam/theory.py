"""The paper's theorems as programs, :func:`run`. The files, one a statement, are in :mod:`pragam.paper.theory`."""

from pragam.paper.theory import Check, names, run

__all__ = ["Check", "names", "run"]
