"""Risks under the names that users know: each builds the Problem of one model."""

from pragam.risks.epsilon_insensitive import epsilon_insensitive
from pragam.risks.hinge import hinge
from pragam.risks.max_affine import max_affine
from pragam.risks.multiclass import multiclass_hinge
from pragam.risks.multilabel_hinge import multilabel_hinge
from pragam.risks.ordinal_hinge import ordinal_hinge
from pragam.risks.quantile import quantile
from pragam.risks.smoothed_hinge import smoothed_hinge
from pragam.risks.squared_hinge import squared_hinge

__all__ = [
    "epsilon_insensitive",
    "hinge",
    "max_affine",
    "multiclass_hinge",
    "multilabel_hinge",
    "ordinal_hinge",
    "quantile",
    "smoothed_hinge",
    "squared_hinge",
]
