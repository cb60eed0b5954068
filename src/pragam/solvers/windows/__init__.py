"""Coordinate ascent over windows of blocks that are dealt anew, for data in blocks with many columns."""

from pragam.solvers.windows.solver import Windows

__all__ = ["Windows"]
