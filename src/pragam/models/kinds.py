"""What a model file may name: kinds of models, maps in front of them, and risks. A new one is an entry here."""

from __future__ import annotations

from pragam.models.base import Model
from pragam.models.chain import ChainModel
from pragam.models.encoding import Encoding
from pragam.models.features import Columns, Constant, Map
from pragam.models.gp import GPModel
from pragam.models.graph import GraphModel
from pragam.models.kernel import Kernel
from pragam.models.linear import LinearModel
from pragam.models.names import Names
from pragam.models.standardize import Standardize
from pragam.risks import RISKS as OF_ROWS
from pragam.risks import Risk
from pragam.structured.chains.record import ChainHinge
from pragam.structured.gp.record import GPSequences
from pragam.structured.graphs.record import GraphHinge

_MODELS: tuple[type[Model], ...] = (LinearModel, ChainModel, GraphModel, GPModel)
_MAPS: tuple[type[Map], ...] = (Columns, Standardize, Constant, Names, Kernel, Encoding)
_STRUCTURED: tuple[type[Risk], ...] = (ChainHinge, GraphHinge, GPSequences)

KINDS = {model.kind: model for model in _MODELS}
MAPS = {each.kind: each for each in _MAPS}
RISKS = OF_ROWS | {risk.name: risk for risk in _STRUCTURED}
