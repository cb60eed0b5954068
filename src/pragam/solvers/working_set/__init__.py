"""A working set of the rows near the margin, for data in blocks with many more rows than columns."""

from pragam.solvers.working_set.solver import WorkingSet

__all__ = ["WorkingSet"]
