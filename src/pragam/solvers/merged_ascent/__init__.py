"""Coordinate ascent on groups of blocks at once, whose steps are merged exactly: text on several machines."""

from pragam.solvers.merged_ascent.solver import MergedAscent

__all__ = ["MergedAscent"]
