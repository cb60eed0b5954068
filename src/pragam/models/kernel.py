r"""A kernel on tokens as a map in front of a model: Nystrom's features, or the kernel functions of training tokens.

    with a map M of landmarks z     phi(x) = (k(x, z_1), .., k(x, z_r)) M,   inner products phi(x)' phi(x')
    without one                     phi(x) = (k(x, x_1), .., k(x, x_N)),     inner products by the Gram matrix

Without a map a problem is posed on the Gram matrix of its own tokens. Scores of new tokens are computed block by block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pragam.files import matrices
from pragam.files.fields import fields_of
from pragam.models.features import Map
from pragam.numerics.vector import Vector
from pragam.runtime.threads import one_blas_thread
from pragam.structured.kernels import (
    KernelFunction,
    TokenKernel,
    Tokens,
    gram_matrix,
    kernel_function,
    kernel_of,
    kernel_record,
    kernel_scores,
)
from pragam.structured.kernels.gram import BLOCK

_NODES, _PRECISIONS = ("once", "per_edge", "by_position"), ("float32", "float64")
_FIELDS = {"kernel": dict, "nodes": str, "precision": str}


@dataclass(frozen=True, eq=False)
class Kernel(Map):
    """k between tokens.

    Attributes
    ----------
    kernel : a name, a callable or one of scikit-learn's kernel objects
    rows : (m, d) dense or CSR: landmarks, or the training tokens
    map : (m, rank) of the landmarks; None for training tokens
    lengths : of the sequences of the training tokens; None for landmarks
    parameters : of a kernel that is a name or a callable
    nodes : how tokens enter (:class:`pragam.structured.kernels.Tokens`)
    precision : "float32" or "float64", in which features and Gram matrices are stored
    """

    kernel: Any
    rows: Any
    map: Vector | None = None
    lengths: NDArray[np.int64] | None = None
    parameters: dict[str, Any] | None = None
    nodes: str = "once"
    precision: str = "float64"
    kind: ClassVar[str] = "kernel"

    def __post_init__(self) -> None:
        m = self.rows.shape[0]
        if (self.lengths is None) == (self.map is None):
            raise ValueError("a kernel must have either the lengths of sequences or a map of landmarks")
        if self.lengths is not None and (self.lengths.ndim != 1 or (self.lengths < 1).any() or self.lengths.sum() != m):
            raise ValueError(f"lengths must be numbers >= 1 that sum to {m}, the number of tokens")
        if self.map is not None and (self.map.ndim != 2 or len(self.map) != m or not np.isfinite(self.map).all()):
            raise ValueError(f"map must have a row of finite numbers for each of {m} landmarks, not {self.map.shape}")
        if self.map is not None and self.nodes == "by_position":
            raise ValueError("nodes='by_position' needs n_landmarks=None: its kernel is not one of features alone")

    @classmethod
    def of_landmarks(
        cls, X: Any, kernel: Any, parameters: Any, n_landmarks: int | None, random_state: Any, **stored: Any
    ) -> Kernel:
        """Nystrom's features, of landmarks out of the rows of X; ``stored`` are nodes and precision."""
        with one_blas_thread():
            found = TokenKernel.fit(X, kernel, parameters, n_landmarks, random_state)
        return cls(kernel, found.landmarks, found.map, parameters=parameters, **stored)

    @property
    def n_columns(self) -> int:
        return int(self.rows.shape[1])

    @property
    def n_functions(self) -> int:
        """How many features a token has."""
        return int(self.rows.shape[0] if self.map is None else self.map.shape[1])

    @property
    def function(self) -> KernelFunction:
        """k of two matrices."""
        return kernel_function(self.kernel, self.parameters)

    def apply(self, samples: Any) -> Any:
        """The features of the tokens; without a map the Gram matrix of as many tokens as there were in training."""
        tokens = self._tokens(samples)
        with one_blas_thread():
            if self.map is None:
                if len(tokens) != self.rows.shape[0]:
                    raise ValueError(
                        f"X has {len(tokens)} tokens, and the model was trained on {self.rows.shape[0]}: its kernel "
                        "functions are those of the training data"
                    )
                return replace(samples, X=gram_matrix(tokens, self.function, self.precision))
            phi = np.empty((len(tokens), self.n_functions), dtype=self.precision)
            for rows, block in self._phi(tokens):
                phi[rows] = block
        return replace(samples, X=phi)

    def scores(self, samples: Any, coef: Vector) -> Vector:
        """phi(x)' coef of all tokens, (tokens, K), without a table of all their features."""
        tokens = self._tokens(samples)
        with one_blas_thread():
            if self.map is None:
                assert self.lengths is not None
                return kernel_scores(tokens, Tokens(self.rows, self.lengths, self.nodes), self.function, coef)
            out = np.empty((len(tokens), coef.shape[1]))
            for rows, block in self._phi(tokens):
                out[rows] = block.astype(np.float64) @ coef
        return out

    def _phi(self, tokens: Tokens) -> Iterator[tuple[slice, Vector]]:
        """Nystrom's features as they are stored, some tokens at a time."""
        assert self.map is not None
        features = TokenKernel(self.kernel, self.parameters or {}, self.rows, self.map)
        for i in range(0, len(tokens), BLOCK):
            rows = slice(i, min(i + BLOCK, len(tokens)))
            block = features.transform(tokens.X[rows]) * tokens.count[rows, None]
            yield rows, block.astype(self.precision)

    def _tokens(self, samples: Any) -> Tokens:
        if samples.n_features != self.n_columns:
            raise ValueError(f"X has {samples.n_features} columns, and the model was trained on {self.n_columns}")
        return Tokens(samples.X, samples.lengths, self.nodes)

    def to_file(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        kernel = kernel_record(self.kernel, self.parameters or {})
        record = {"kernel": kernel, "nodes": self.nodes, "precision": self.precision, "columns": self.n_columns}
        extra = {name: getattr(self, name) for name in ("map", "lengths") if getattr(self, name) is not None}
        return record, matrices.to_tensors(self.rows, "rows") | extra

    @classmethod
    def from_file(cls, record: dict[str, Any], tensors: Any, prefix: str) -> Kernel:
        fields_of(record, _FIELDS)
        for name, words in (("nodes", _NODES), ("precision", _PRECISIONS)):
            if record[name] not in words:
                raise ValueError(f"{name} must be one of {', '.join(words)}, not {record[name]!r:.40}")
        kernel, parameters = kernel_of(record["kernel"])
        rows = matrices.from_tensors(tensors, f"{prefix}rows", record.get("columns"))
        table = tensors.array(f"{prefix}map") if f"{prefix}map" in tensors else None
        lengths = tensors.array(f"{prefix}lengths", "I64") if f"{prefix}lengths" in tensors else None
        made = cls(kernel, rows, table, lengths, parameters or None, record["nodes"], record["precision"])
        return made._tried()

    def _tried(self) -> Kernel:
        """The map, if its kernel can be computed of one of its rows."""
        try:
            self.function(self.rows[:1], self.rows[:1])
        except Exception as error:
            raise ValueError(f"its kernel cannot be computed: {str(error)!r:.80}") from error
        return self
