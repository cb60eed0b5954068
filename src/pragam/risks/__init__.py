"""Risks under the names that users know: each function builds the Problem of one model, and has a record beside it.

``RISKS`` are the records of all risks of rows, by name; a new risk is one file and one entry here.
"""

from pragam.risks.each import Each
from pragam.risks.epsilon_insensitive import EpsilonInsensitive, epsilon_insensitive
from pragam.risks.hinge import Hinge, hinge
from pragam.risks.max_affine import max_affine
from pragam.risks.multiclass import MulticlassHinge, multiclass_hinge
from pragam.risks.multilabel_hinge import MultilabelHinge, multilabel_hinge
from pragam.risks.one_vs_rest import OneVsRest
from pragam.risks.ordinal_hinge import OrdinalHinge, ordinal_hinge
from pragam.risks.quantile import Quantile, quantile
from pragam.risks.record import Risk, Shape
from pragam.risks.smoothed_hinge import SmoothedHinge, smoothed_hinge
from pragam.risks.squared_hinge import SquaredHinge, squared_hinge
from pragam.risks.unstated import Unstated, UnstatedNumbers

_ALL: tuple[type[Risk], ...] = (
    Hinge, SquaredHinge, SmoothedHinge, EpsilonInsensitive, Quantile, MulticlassHinge, MultilabelHinge, OrdinalHinge,
    OneVsRest, Each, Unstated, UnstatedNumbers,
)  # fmt: skip
RISKS = {risk.name: risk for risk in _ALL}

__all__ = [
    "RISKS", "Each", "EpsilonInsensitive", "Hinge", "MulticlassHinge", "MultilabelHinge", "OneVsRest", "OrdinalHinge",
    "Quantile", "Risk", "Shape", "SmoothedHinge", "SquaredHinge", "Unstated", "UnstatedNumbers", "epsilon_insensitive",
    "hinge", "max_affine", "multiclass_hinge", "multilabel_hinge", "ordinal_hinge", "quantile", "smoothed_hinge",
    "squared_hinge",
]  # fmt: skip
