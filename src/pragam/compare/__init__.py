"""Comparisons of solvers as data: an :class:`Experiment` is what was measured, frozen; :func:`run` measures it."""

from pragam.compare.comparison import Observer
from pragam.compare.experiment import DataFacts, Experiment, Reference, Run
from pragam.compare.fold import load
from pragam.compare.running import run

__all__ = ["DataFacts", "Experiment", "Observer", "Reference", "Run", "load", "run"]
