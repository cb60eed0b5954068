"""What the records of all risks of sequences share: labels of tokens, and rules of which may follow which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pragam.risks.parameters import choice, truth_table
from pragam.risks.record import Risk
from pragam.risks.targets import Classes
from pragam.structured.rules import Rules
from pragam.structured.tags import SCHEMES


@dataclass(frozen=True, kw_only=True)
class SequenceRisk(Risk):
    """``transitions`` is None, a scheme of tags, or which label (column) may follow which (row)."""

    transitions: Any = choice(None, None, *SCHEMES, otherwise=truth_table)

    form: ClassVar[str] = "chains"
    target: ClassVar[Any] = Classes()
    may_lack: ClassVar[bool] = True

    def rules(self, labels: NDArray[Any]) -> Rules | None:
        """What may follow what; None if nothing is forbidden."""
        table = self.transitions
        return Rules.named(np.array(table) if type(table) is tuple else table, labels.tolist())
