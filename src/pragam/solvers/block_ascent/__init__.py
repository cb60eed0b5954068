"""Dual ascent example by example, for any structure with an oracle: ``examples`` (what is asked of a structure),
``block_ascent`` (pairwise steps over cached labellings), ``cache`` (those of one example), ``bcfw`` (block-coordinate
Frank-Wolfe, which stores labellings alone)."""

from pragam.solvers.block_ascent.bcfw import Bcfw
from pragam.solvers.block_ascent.block_ascent import BlockAscent

__all__ = ["Bcfw", "BlockAscent"]
