"""What the commands read: data, and their classes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.operators import check_data

if TYPE_CHECKING:
    from pragam.files.rows import Samples
    from pragam.io.model import Label, Model

#: With more distinct labels than this, they are probably not classes.
MANY = 100


def named(path: str) -> Any:
    """The input that a name on the command line stands for. ``-`` is standard input."""
    return sys.stdin.buffer if path == "-" else path


def check_inputs(*paths: str | None) -> None:
    """Standard input can be read only once."""
    if paths.count("-") > 1:
        raise ValueError("only one of MODEL and DATA can be the standard input")


def read(path: str | None, n_features: int | None = None, zero_based: Any = "auto") -> Samples:
    """The samples of an input, or of the built-in example if ``path`` is None."""
    from pragam import datasets
    from pragam.files.rows import Samples
    from pragam.files.rows import read as read_file

    if path is not None:
        return read_file(named(path), n_features, "auto" if zero_based is None else zero_based)
    X, y = datasets.load_example()
    if n_features not in (None, X.shape[1]):
        raise ValueError(f"the built-in example has {X.shape[1]} features, not {n_features}")
    return Samples(X, y, "the built-in example")


def labels_of(samples: Samples, path: str | None) -> NDArray[np.float64]:
    """The labels. They are required for training."""
    if samples.y is None:
        hint = "; put them into NAME.y.npy beside NAME.npy" if isinstance(samples.X, np.ndarray) else ""
        raise ValueError(f"{path}: there are no labels{hint}")
    return samples.y


def compacted(samples: Samples, wanted: bool) -> tuple[Any, NDArray[np.int64] | None]:
    """X, and the numbers of the columns that occur if only these are ``wanted``. Otherwise X must not be too wide."""
    from pragam.files.columns import check_width, compact_columns

    if not sparse.issparse(samples.X):
        return samples.X, None
    if wanted:
        return compact_columns(samples.X)
    check_width(samples.X, samples.cause)
    return samples.X, None


def read_for(model: Model, path: str | None) -> tuple[Samples, int]:
    """The samples in the model's own columns, and how many entries are in columns that it does not have."""
    samples = read(path, zero_based=model.parameters.get("zero_based"))
    X, ignored = model.select(samples.X)
    name = path or "the built-in example"
    if X.shape[1] != model.n_features:
        raise ValueError(f"{name}: {X.shape[1]} columns, and the model needs {model.n_features}")
    return samples._replace(X=check_data(X, name)), ignored


def classes_of(y: NDArray[np.float64], path: str | None, any_labels: bool) -> list[Label]:
    """The sorted labels, as integers if all of them are whole. Labels that do not look like classes are refused unless
    ``any_labels``."""
    classes = np.unique(y)
    name = path or "the built-in example"
    if len(classes) < 2:
        raise ValueError(f"{name}: the data must have at least two classes, not only {classes.tolist()}")
    whole = bool(((classes == np.floor(classes)) & (np.abs(classes) < 2**53)).all())
    if not any_labels and (not whole or len(classes) > MANY):
        some = ", ".join(f"{label:g}" for label in classes[:3])
        what = f"{len(classes)} values" if whole else f"{len(classes)} values, not all whole numbers"
        raise ValueError(
            f"{name}: the labels have {what} ({some}, ...): this looks like regression, and train has "
            "classes; --classes makes every value a class"
        )
    return (classes.astype(np.int64) if whole else classes).tolist()
