"""Comparisons of solvers as data: an :class:`Experiment` is what was measured, frozen."""

from pragam.compare.experiment import DataFacts, Experiment, Reference, Run

__all__ = ["DataFacts", "Experiment", "Reference", "Run"]
