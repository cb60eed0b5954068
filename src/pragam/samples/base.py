"""What all forms of samples share: arrays of weights by name, which a model keeps because its proof needs them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True, eq=False)
class Samples:
    """The names in ``WEIGHTS`` are fields: None, or an array."""

    WEIGHTS: ClassVar[tuple[str, ...]] = ("weights",)

    def given(self) -> dict[str, NDArray[np.float64]]:
        """The arrays of weights that are there."""
        found = {name: getattr(self, name) for name in self.WEIGHTS}
        return {name: np.asarray(array, dtype=np.float64) for name, array in found.items() if array is not None}

    def weighted(self, given: dict[str, NDArray[np.float64]]) -> Self:
        """These samples with the weights of a model, unless they bring their own."""
        if unknown := sorted(given.keys() - set(self.WEIGHTS)):
            raise ValueError(f"given.{unknown[0]} are no weights of these samples: known are {', '.join(self.WEIGHTS)}")
        return self if self.given() or not given else replace(self, **given)

    @property
    def n_features(self) -> int:
        """The columns of X."""
        return int(self.X.shape[1])  # type: ignore[attr-defined]

    @property
    def in_blocks(self) -> bool:
        """Whether they are rows on the disk, read block by block."""
        return bool(getattr(getattr(self, "X", None), "in_blocks", False))

    def size(self) -> dict[str, int]:
        """The part of a fingerprint that costs nothing."""
        return {"n": int(self.X.shape[0]), "d": self.n_features}  # type: ignore[attr-defined]

    def take(self, index: Any) -> Self:
        """Some of them."""
        raise NotImplementedError

    def fingerprint(self) -> dict[str, Any]:
        """What a certificate belongs to (:func:`pragam.samples.fingerprint.data_fingerprint`)."""
        raise NotImplementedError

    def answer(self, values: Any) -> Any:
        """One value for each row, token or node in the user's form."""
        return values
