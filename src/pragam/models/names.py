"""Tokens whose features have names: dictionaries or lists of strings become the columns that a model knows."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pragam.models.features import Map
from pragam.sequences.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class Names(Map):
    """Unknown features are passed over. ``template`` is the text of the one that made them from columns, if one did."""

    names: list[str]
    template: str | None = None
    kind: ClassVar[str] = "names"
    is_numbering: ClassVar[bool] = True

    @classmethod
    def of(cls, samples: Any) -> Names:
        """Of all features that occur."""
        return cls(Vocabulary.of_tokens(samples.X).names)

    @property
    def n_columns(self) -> int:
        return len(self.names)

    @property
    def column_names(self) -> list[str]:
        return self.names

    def apply(self, samples: Any) -> Any:
        return self.applied(samples)[0]

    def applied(self, samples: Any) -> tuple[Any, int]:
        """The samples as numbers, and how many occurrences of features were passed over."""
        if not samples.has_names:  # a command has made numbers of a file's columns already
            if samples.n_features != len(self.names):
                raise ValueError("X has matrices, and the model was trained on features by name")
            return samples, 0
        X, unseen = Vocabulary(self.names).vectorise(samples.X)
        return replace(samples, X=X), unseen

    def to_file(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        text = json.dumps(self.names).encode()
        return {"template": self.template}, {"names": np.frombuffer(text, dtype=np.uint8)}

    @classmethod
    def from_file(cls, record: dict[str, Any], tensors: Any, prefix: str) -> Names:
        names, template = json.loads(tensors.array(f"{prefix}names", "U8").tobytes()), record.get("template")
        if type(names) is not list or not all(type(name) is str for name in names):
            raise ValueError("its features must be a list of names")
        if not (template is None or type(template) is str):
            raise ValueError(f"its template must be a text or null, not {template!r:.40}")
        return cls(names, template)
