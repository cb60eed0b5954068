"""What the commands read: data, their classes, and the problems that these make."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.io.model import Label
from pragam.one_vs_rest import one_vs_rest
from pragam.problem import Problem
from pragam.risks.labels import example_weights


def read(path: str | None, n_features: int | None = None) -> tuple[Any, NDArray[np.float64]]:
    """X and y of a file, or of the built-in example if ``path`` is None."""
    from pragam import datasets

    if path is None:
        X, y = datasets.load_example()
        if n_features not in (None, X.shape[1]):
            raise ValueError(f"the built-in example has {X.shape[1]} features, not {n_features}")
        return X, y
    X, labels = datasets.load(path, n_features)
    if labels is None:
        raise ValueError(f"{path}: there are no labels")
    return X, labels


def classes_of(y: NDArray[np.float64]) -> list[Label]:
    """The sorted labels, as integers if all of them are."""
    classes = np.unique(y)
    if len(classes) < 2:
        raise ValueError(f"the data must have at least two classes, not only {classes.tolist()}")
    whole = (classes == np.floor(classes)) & (np.abs(classes) < 2**53)
    return (classes.astype(np.int64) if whole.all() else classes).tolist()


def problems(X: Any, y: NDArray[Any], classes: list[Label], lam: float, bias: bool, class_weight: Any) -> list[Problem]:
    """A problem for each output of the model."""
    return one_vs_rest(X, y, classes, lam, bias, example_weights(y, None, class_weight))
