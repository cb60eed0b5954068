"""The sequential dual method for models with a weight vector a label: ascent over one example after the other.

To read it as a paper would tell it: ``solver`` (the algorithm and its schedule), ``working_set`` (one sweep of exact
steps, and the table of weights), ``multipliers`` (the unpenalised biases), ``momentum`` (the plane of the last two
steps), ``stacked`` (several problems on the same rows as one), ``cost`` (what it should take).
"""

from pragam.solvers.sequential_dual.solver import SequentialDual
from pragam.solvers.sequential_dual.stacked import parts, stacked

__all__ = ["SequentialDual", "parts", "stacked"]
