"""A range of lams, of which it is proven that none has a lower error than the best one by more than is asked for."""

from pragam.selection.proven.found import Cells, ProvenRange, SolvedLams
from pragam.selection.proven.points import TOLERANCES
from pragam.selection.proven.request import MEASURES, prove_range, range_of
from pragam.selection.proven.search import RangeProgress

__all__ = ["MEASURES", "TOLERANCES", "Cells", "ProvenRange", "RangeProgress", "SolvedLams", "prove_range", "range_of"]
