"""Columns of mean 0 and deviation 1 in front of the weights, learnt from the training samples and kept with the model.

    z_ij = (x_ij - mean_j) factor_j,    factor_j = 1 / deviation_j,  0 where column j never changes

The problem is that of these z, as real numbers, for the stored means and factors. With an intercept that is not
penalised, centring would move the intercept alone, and the columns are only scaled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pragam.models.features import Array, Map
from pragam.numerics.arguments import check_flag
from pragam.operators.column_moments import standardising
from pragam.operators.storage import ColumnMap, Standardized


@dataclass(frozen=True, eq=False)
class Standardize(Map):
    """Columns are ``centred``, or only scaled. ``columns`` is None until it is learnt."""

    centred: bool
    columns: ColumnMap | None = None
    kind: ClassVar[str] = "standardize"

    @property
    def title(self) -> str:
        return "columns of mean 0 and deviation 1" if self.centred else "columns of deviation 1"

    def learnt(self, numbers: Any) -> Standardize:
        """From the training samples, each with its weight; what is known already is kept."""
        if self.columns is not None:
            return self
        return replace(self, columns=standardising(numbers.X, self.centred, numbers.weights))

    def apply(self, samples: Any) -> Any:
        return replace(samples, X=Standardized(samples.X, self.known))

    @property
    def known(self) -> ColumnMap:
        """What was learnt."""
        assert self.columns is not None, "it is learnt before it is applied"
        return self.columns

    def to_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        mean = {} if self.known.mean is None else {"mean": self.known.mean}
        return {"centred": self.centred}, {"factor": self.known.factor, **mean}

    @classmethod
    def from_file(cls, record: dict[str, Any], tensors: Any, prefix: str) -> Standardize:
        centred: Any = record.get("centred")
        check_flag("centred", centred)
        mean = tensors.array(f"{prefix}mean") if centred else None
        return cls(centred, ColumnMap(tensors.array(f"{prefix}factor"), mean))
