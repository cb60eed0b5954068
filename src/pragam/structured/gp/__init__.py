"""Gaussian-process sequence labelling: the smooth problem of forward-backward, its Fenchel dual, and its operators."""

from pragam.structured.gp.entropy import ChainEntropy
from pragam.structured.gp.factor import FactorScores
from pragam.structured.gp.gram import GramScores
from pragam.structured.gp.moments import ChainMoments
from pragam.structured.gp.points import GibbsPoint, TablePoint
from pragam.structured.gp.problem import gp_sequences
from pragam.structured.rules import Rules

__all__ = [
    "ChainEntropy",
    "ChainMoments",
    "FactorScores",
    "GibbsPoint",
    "GramScores",
    "Rules",
    "TablePoint",
    "gp_sequences",
]
