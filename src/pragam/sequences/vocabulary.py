"""From features by name to the columns of a sparse matrix, by the rules of scikit-learn's DictVectorizer.

A token is a dictionary or a list of strings. In a dictionary, ``{"word": "dog", "length": 3}`` is a one in the column
``word=dog`` and a 3 in the column ``length``. A list of strings has a one for each. A feature that occurs twice at a
token counts twice. Columns are sorted by name, so they do not depend on the order of the sequences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from pragam.numerics.arguments import float_of
from pragam.sequences.template import Occurrences


class Vectorised(NamedTuple):
    """Tokens as rows of a CSR matrix, and how many occurrences of unknown features were left out."""

    X: sparse.csr_array
    n_unseen: int


class Vocabulary:
    """The names of the columns, ``names``."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self._column = {name: column for column, name in enumerate(self.names)}
        if len(self._column) < len(self.names):
            raise ValueError("the names of features must be distinct")

    @classmethod
    def of_tokens(cls, sequences: Sequence[Any]) -> Vocabulary:
        """Of all features that occur."""
        return cls(sorted({name for _, name, _ in _features(sequences)}))

    @classmethod
    def of_occurrences(cls, lines: Sequence[Occurrences]) -> Vocabulary:
        """Of all features that a template has made."""
        return cls(sorted(name for line in lines for name in line.names))

    def vectorise(self, sequences: Sequence[Any]) -> Vectorised:
        """The matrix of sequences of dictionaries or of lists of strings."""
        columns: list[int] = []
        values: list[float] = []
        counts = [0]
        unseen = 0
        for token, name, value in _features(sequences):
            while len(counts) <= token:
                counts.append(len(columns))
            column = self._column.get(name)
            if column is None:
                unseen += 1
            else:
                columns.append(column)
                values.append(value)
        counts += [len(columns)] * (sum(map(len, sequences)) + 1 - len(counts))
        shape = (len(counts) - 1, len(self.names))
        X = sparse.csr_array((np.array(values), np.array(columns, dtype=np.int32), np.array(counts)), shape=shape)
        X.sum_duplicates()
        return Vectorised(X, unseen)

    def vectorise_occurrences(self, lines: Sequence[Occurrences]) -> Vectorised:
        """The matrix of what a template has made."""
        unknown = len(self.names)
        columns = np.full((len(lines[0].codes), len(lines)), -1, dtype=np.int32)
        for k, line in enumerate(lines):
            own = np.array([*(self._column.get(name, unknown) for name in line.names), -1], dtype=np.int32)
            columns[:, k] = own[line.codes]  # the code -1, no feature, is the last entry
        is_known = (columns >= 0) & (columns < unknown)
        counts = np.concatenate([[0], np.cumsum(is_known.sum(axis=1))])
        indices = columns[is_known]
        X = sparse.csr_array((np.ones(len(indices)), indices, counts), shape=(len(columns), unknown))
        X.sort_indices()
        return Vectorised(X, int((columns == unknown).sum()))


def _features(sequences: Sequence[Any]) -> Iterator[tuple[int, str, float]]:
    """(number of the token, name, value) of every feature."""
    token = 0
    for i, sequence in enumerate(sequences):
        for features in sequence:
            try:
                for name, value in _of_token(features):
                    yield token, name, value
            except ValueError as error:
                raise ValueError(f"sequence {i}: {error}") from None
            token += 1


def _of_token(features: Any) -> Iterator[tuple[str, float]]:
    if not isinstance(features, Mapping):
        is_list = isinstance(features, (list, tuple, set, frozenset, np.ndarray))
        if not is_list or not all(isinstance(name, str) for name in features):
            raise ValueError(f"a token must be a dictionary or a list of strings, not {features!r:.60}")
        yield from ((name, 1.0) for name in features)
        return
    for name, value in features.items():
        if isinstance(value, str):
            yield f"{name}={value}", 1.0
        elif isinstance(value, (Real, np.bool_)):
            number = float_of(float(value) if isinstance(value, (bool, np.bool_)) else value)
            if not np.isfinite(number):
                raise ValueError(f"the feature {name!r:.40} is {value!r:.40}, which is not a finite number")
            yield str(name), number
        elif isinstance(value, (list, tuple, set, frozenset)) and all(isinstance(one, str) for one in value):
            yield from ((f"{name}={one}", 1.0) for one in value)
        else:
            raise ValueError(f"the feature {name!r:.40} must be a string or a number, not {value!r:.40}")
