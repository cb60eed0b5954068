"""What is known of a data set before it is read: a record, and nothing that acts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from scipy import sparse

Data = tuple[sparse.csr_array, np.ndarray]

#: Training rows and, if there are any, test rows. The first part is always the training rows.
Parts = list[Data]

#: From the files of a part and the number of features (None: what the highest index needs) to its rows.
Reader = Callable[[Sequence[Path], int | None], Data]

#: A step of the preprocessing. What it learns, it learns from the training rows.
Step = Callable[[Parts], Parts]


@dataclass(frozen=True)
class File:
    """A file below a data folder or the cache.

    An empty ``url`` means that no address is known. An empty ``sha256`` means that nobody has verified the sum, and a
    download is then checked by its length and by the sizes of what it holds.
    """

    path: str
    size: int | None = None
    sha256: str = ""
    url: str = ""


#: The same rows in one of several files, for example as published and repacked. The first one at hand is read.
Piece = tuple[File, ...]


@dataclass(frozen=True)
class Drawn:
    """A split by a seed: ``n_train`` rows, in their order, are for training, and the others are the test set."""

    n_train: int
    seed: int


@dataclass(frozen=True)
class InPaper:
    """A row of the paper's table of data sets, with the number of features and of stored entries put right."""

    lam: float
    n: int
    d: int
    nnz: int


class Recipe(Protocol):
    """Makes a synthetic set: training rows and test rows."""

    def make(self) -> Parts: ...


@dataclass(frozen=True)
class Dataset:
    """A named data set.

    ``n``, ``d`` and ``nnz`` are those of the X that :func:`load_named` returns. ``nnz`` is not ``exact`` if it comes
    from rows that were drawn otherwise than ours, or from a rounded density.
    ``train`` are the pieces of the training rows. ``test`` are those of the test rows, or a split of the training
    rows. ``load_named`` returns the training rows, and the test rows too if ``joined``.
    """

    name: str
    title: str
    n: int
    d: int
    nnz: int
    train: tuple[Piece, ...]
    source: str
    licence: str
    reader: Reader | None = None  # None: svmlight text
    test: tuple[Piece, ...] | Drawn = ()
    steps: tuple[Step, ...] = ()
    n_features: int | None = None
    joined: bool = False
    exact: bool = True
    lam: float | None = None
    paper: InPaper | None = None
    stand_in_for: str = ""
    recipe: Recipe | None = None
    note: str = ""

    @property
    def stand_in(self) -> str:
        """The name of its synthetic stand-in. Each of the paper's sets has one."""
        return f"{self.name}-like" if self.paper is not None else ""

    @property
    def test_pieces(self) -> tuple[Piece, ...]:
        """The files of the test rows. A split by a seed has none."""
        return () if isinstance(self.test, Drawn) else self.test


class Split(NamedTuple):
    """Training and test rows. ``how`` says in words what the test rows are. There may be none: X_test is None then."""

    X: sparse.csr_array
    y: np.ndarray
    X_test: sparse.csr_array | None
    y_test: np.ndarray | None
    how: str
