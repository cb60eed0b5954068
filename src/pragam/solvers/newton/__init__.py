"""The semismooth Newton method.

To read it as a paper would tell it: ``solver`` (the algorithm), ``box_form`` (the problem, every dual variable in units
of its own), ``start`` and ``sample`` (where it begins), ``stages`` (of the proximal term), ``active_rows`` (the rows
that may still move), ``system`` (the linear system of a step). ``dense`` is the same method on small problems, where
the whole loop is one compiled call, on a ``dense_copy``.
"""

from pragam.solvers.newton.dense import NewtonDense
from pragam.solvers.newton.solver import Newton

__all__ = ["Newton", "NewtonDense"]
