"""Bundle methods: ``cuts`` (the cutting planes of a risk), ``qp_bmrm`` and ``ls_bmrm`` (the two methods of the paper),
``simplex_qp`` (the small quadratic program of the first)."""

from pragam.solvers.bundle.ls_bmrm import LsBmrm
from pragam.solvers.bundle.qp_bmrm import QpBmrm

__all__ = ["LsBmrm", "QpBmrm"]
