"""Dual coordinate descent.

To read it as a paper would tell it: ``solver`` (the algorithm and its schedule), ``sweep`` (one pass of exact steps
along the coordinates), ``multipliers`` (the unpenalised biases), ``state`` (what is remembered, and how w follows
alpha). What makes it fast has a file each: ``row_copy``, ``momentum``, ``single_precision``, ``single_rows`` and
``face_step``.
"""

from pragam.solvers.dcd.solver import Dcd

__all__ = ["Dcd"]
