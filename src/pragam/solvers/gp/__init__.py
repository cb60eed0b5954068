"""Solvers of Gaussian-process sequences: smooth and unconstrained in w, the entropy of chains in the dual."""

from pragam.solvers.gp.block_ascent import GPBlockAscent
from pragam.solvers.gp.rkhs_lbfgs import RkhsLbfgs

__all__ = ["GPBlockAscent", "RkhsLbfgs"]
