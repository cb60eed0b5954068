"""Newton's method for data in blocks, two rounds over them a step: on the disk, or in other processes."""

from pragam.solvers.block_newton.solver import BlockNewton

__all__ = ["BlockNewton"]
