"""How what a user brings becomes the samples that weights belong to: maps in front of a model, applied in turn.

===========  ======================================================================  =========================
kind         what it does                                                            tensors
===========  ======================================================================  =========================
columns      takes some columns of wide data (``--compact-columns``)                 columns
standardize  scales every column to deviation 1, and perhaps centres it              factor, mean
constant     appends a column of one value, whose weight is a penalised intercept
names        features of tokens by name become columns                               names
kernel       k(x, landmarks), times a map: Nystrom's features, or the Gram matrix    rows, map or lengths
table        columns of a table: numbers, and a column for each level of a category  columns (JSON)
===========  ======================================================================  =========================

A map before the fingerprint (columns, names, table) makes numbers of what the user brings; the others make features
of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.files.columns import restricted
from pragam.numerics.arguments import check_number
from pragam.operators import check_data
from pragam.operators.storage import Blocked, Mapped, Standardized, Storage

Array = NDArray[Any]


class Map:
    """The base of all maps."""

    kind: ClassVar[str]
    is_numbering: ClassVar[bool] = False

    @property
    def title(self) -> str:
        """What it is, in a report."""
        return self.kind

    @property
    def n_columns(self) -> int | None:
        """The columns that samples need before this map; None if what follows says that."""
        return None

    @property
    def column_names(self) -> list[str] | None:
        """Of the columns that it makes; None if they have none of their own."""
        return None

    def learnt(self, numbers: Any) -> Map:
        """The same with what it takes from training samples; most maps take nothing."""
        return self

    def apply(self, samples: Any) -> Any:
        """The samples with other features."""
        raise NotImplementedError

    def to_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """(what JSON holds beside the kind, tensors by name)."""
        return {}, {}

    @classmethod
    def from_file(cls, record: dict[str, Any], tensors: Any, prefix: str) -> Map:
        """What ``to_file`` wrote; its tensors are called ``prefix`` and their name."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Columns(Map):
    """Some columns, in increasing order; data may have any width."""

    columns: Array
    kind: ClassVar[str] = "columns"
    is_numbering: ClassVar[bool] = True

    @property
    def n_columns(self) -> int:
        return int(self.columns[-1]) + 1 if len(self.columns) else 0

    def apply(self, samples: Any) -> Any:
        kind, arrays = samples.X.rows()
        if kind == "dense":
            return replace(samples, X=check_data(arrays[0][:, self.columns]))
        X = sparse.csr_array(tuple(arrays), shape=samples.X.shape)
        return replace(samples, X=check_data(restricted(X, self.columns)[0]))

    def to_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        return {}, {"columns": np.asarray(self.columns, dtype=np.int64)}

    @classmethod
    def from_file(cls, record: dict[str, Any], tensors: Any, prefix: str) -> Columns:
        columns = tensors.array(f"{prefix}columns", "I64")
        if columns.ndim != 1 or (columns[:1] < 0).any() or (columns[1:] <= columns[:-1]).any():
            raise ValueError("columns must be increasing and not negative")
        return cls(columns)


@dataclass(frozen=True)
class Constant(Map):
    """A last column that is ``value`` in every row, exactly: X is copied, as float64 where float32 would round it."""

    value: float = 1.0
    kind: ClassVar[str] = "constant"

    @property
    def title(self) -> str:
        return f"a constant column of {self.value:g}"

    def apply(self, samples: Any) -> Any:
        return replace(samples, X=self._beside(samples.X))

    def _beside(self, X: Storage) -> Storage:
        """X and the column, which standardising leaves as it is."""
        if isinstance(X, Standardized):
            return Standardized(self._beside(X.storage), X.columns.with_constant())
        if isinstance(X, Blocked):
            return Mapped(X, self._beside, X.shape[1] + 1)
        kind, arrays = X.rows()
        dtype = self._dtype(arrays[0].dtype)
        column = np.full((X.shape[0], 1), self.value, dtype=dtype)
        if kind == "dense":
            return check_data(np.hstack([arrays[0], column], dtype=dtype))
        rows = sparse.csr_array(tuple(arrays), shape=X.shape).astype(dtype, copy=False)
        return check_data(sparse.hstack([rows, sparse.csr_array(column)], format="csr"))

    def _dtype(self, of_data: Any) -> Any:
        """That of the data if it holds the value, else float64."""
        with np.errstate(over="ignore"):
            return of_data if float(of_data.type(self.value)) == self.value else np.dtype(np.float64)

    def to_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        return {"value": self.value}, {}

    @classmethod
    def from_file(cls, record: dict[str, Any], tensors: Any, prefix: str) -> Constant:
        return cls(check_number("value", record.get("value"), above=0))


@dataclass(frozen=True, eq=False)
class Features:
    """Maps in turn; none of them is the plain case."""

    maps: tuple[Map, ...] = ()

    def learnt(self, numbers: Any) -> Features:
        """With what the maps after the fingerprint take from training samples."""
        return Features(tuple(each if each.is_numbering else each.learnt(numbers) for each in self.maps))

    def numbers(self, samples: Any) -> Any:
        """The samples as the numbers of which a fingerprint is taken."""
        return _applied((each for each in self.maps if each.is_numbering), samples)

    def mapped(self, numbers: Any) -> Any:
        """The samples that the weights belong to."""
        return _applied((each for each in self.maps if not each.is_numbering), numbers)

    def of(self, samples: Any) -> Any:
        """Both steps."""
        return self.mapped(self.numbers(samples))

    @property
    def n_columns(self) -> int | None:
        """What samples must have, None if the weights say that."""
        return next((each.n_columns for each in self.maps if each.n_columns is not None), None)

    @property
    def column_names(self) -> list[str] | None:
        """Those of a map that gives names, None without one."""
        return next((each.column_names for each in self.maps if each.column_names is not None), None)

    def find(self, kind: type[Map]) -> Any:
        """The first map of a kind, None if there is none."""
        return next((each for each in self.maps if isinstance(each, kind)), None)


def _applied(maps: Any, samples: Any) -> Any:
    for each in maps:
        samples = each.apply(samples)
    return samples
