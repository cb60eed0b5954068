"""The semismooth Newton method.

To read it as a paper would tell it: ``solver`` (the algorithm), ``start`` and ``sample`` (where it begins),
``active_rows`` (the rows that may still move), ``system`` (the linear system of a step). ``dense`` is the same method
on small problems, where the whole loop is one compiled call.
"""

from pragam.solvers.newton.dense import NewtonDense
from pragam.solvers.newton.solver import Newton

__all__ = ["Newton", "NewtonDense"]
