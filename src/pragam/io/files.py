"""A model from an input of either kind; the kind is known by the first bytes."""

from __future__ import annotations

from pragam.datasets import source
from pragam.io.liblinear import FIRST_WORD, read_liblinear
from pragam.io.model import Model, read_model


def load(path: source.Path) -> Model:
    """The model of a pragam file or of a LIBLINEAR text file, opened and read once, so that a pipe will do.

    Content that is not right is a ValueError of one line.
    """
    with source.opened(path) as opened:
        return load_opened(opened)


def load_opened(opened: source.Source) -> Model:
    """The same of an input that is open."""
    is_text = FIRST_WORD.startswith(opened.head) and opened.head
    return (read_liblinear if is_text else read_model)(opened.content(), opened.name)
