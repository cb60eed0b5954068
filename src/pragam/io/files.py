"""A model from an input of any kind; the kind is known by the first bytes, or by the format that the file names."""

from __future__ import annotations

from collections.abc import Callable

from pragam.files import container, source
from pragam.io.liblinear import FIRST_WORD, read_liblinear
from pragam.io.model import Model, model_of
from pragam.io.record import format_of
from pragam.io.sequence_model import SEQUENCES, SequenceModel, sequence_model_of


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


def load_any(path: source.Path) -> Model | SequenceModel:
    """The same, or a model of sequences."""
    with source.opened(path) as opened:
        if FIRST_WORD.startswith(opened.head) and opened.head:
            return read_liblinear(opened.content(), opened.name)
        return container.read(opened.content(), opened.name, _any_model)


def _any_model(text: str, tensors: Callable[[], container.Tensors]) -> Model | SequenceModel:
    return sequence_model_of(text, tensors) if format_of(text) == SEQUENCES else model_of(text, tensors)
