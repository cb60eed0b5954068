"""The kinds of models, by the name that a record gives."""

from __future__ import annotations

from pragam.models.base import Model
from pragam.models.linear import LinearModel

KINDS: dict[str, type[Model]] = {model.kind: model for model in (LinearModel,)}
