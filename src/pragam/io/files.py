"""A model from an input of any kind; the kind is known by the first bytes, or by the format that the file names."""

from __future__ import annotations

from pragam.files import container, source
from pragam.io.liblinear import FIRST_WORD, read_liblinear
from pragam.io.model import Model, model_of


def load(path: source.Path) -> Model:
    """The model of a pragam file or of a LIBLINEAR text file, opened and read once, so that a pipe will do.

    Content that is not right is a ValueError of one line.
    """
    with source.opened(path) as opened:
        return load_opened(opened)


def load_opened(opened: source.Source) -> Model:
    """The same of an input that is open."""
    if FIRST_WORD.startswith(opened.head) and opened.head:
        return read_liblinear(opened.content(), opened.name)
    return container.read(opened.content(), opened.name, model_of)
