"""What a model file may name: kinds of models, maps in front of them, and risks. A new one is an entry here."""

from __future__ import annotations

from pragam.models.base import Model
from pragam.models.features import Columns, Constant, Map
from pragam.models.linear import LinearModel
from pragam.risks import RISKS as OF_ROWS
from pragam.risks import Risk

KINDS: dict[str, type[Model]] = {model.kind: model for model in (LinearModel,)}
MAPS: dict[str, type[Map]] = {each.kind: each for each in (Columns, Constant)}
RISKS: dict[str, type[Risk]] = {**OF_ROWS}
