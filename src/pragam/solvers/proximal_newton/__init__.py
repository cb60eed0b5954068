"""Proximal point steps in the dual by Newton in the primal: ``solver`` (the method), ``cost`` (what it should take)."""

from pragam.solvers.proximal_newton.solver import ProximalNewton

__all__ = ["ProximalNewton"]
