"""Risks under the names that users know: each builds the Problem of one model."""

from pragam.risks.hinge import hinge
from pragam.risks.max_affine import max_affine
from pragam.risks.multiclass import multiclass_hinge
from pragam.risks.quantile import quantile

__all__ = ["hinge", "max_affine", "multiclass_hinge", "quantile"]
