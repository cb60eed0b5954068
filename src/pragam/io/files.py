"""A model from a file of either kind; the kind is known by the first bytes."""

from __future__ import annotations

import os

from pragam.io.liblinear import FIRST_WORD, load_liblinear
from pragam.io.model import Model, load_model


def load(path: str | os.PathLike[str]) -> Model:
    """The model of a pragam file or of a LIBLINEAR text file. Content that is not right is a ValueError."""
    with open(path, "rb") as stream:
        text = stream.read(len(FIRST_WORD)) == FIRST_WORD
    return load_liblinear(path) if text else load_model(path)
