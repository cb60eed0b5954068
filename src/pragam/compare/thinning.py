"""Which iterations of a long run are kept: all of the first ones, then ever fewer, and the last."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thinning:
    """Every step up to ``every``, then steps that grow by ``factor``."""

    every: int = 1000
    factor: float = 1.01

    def steps(self, last: int) -> list[int]:
        """Those kept of the steps 1 .. last, the last one among them; the start, 0, if there is no other."""
        kept = list(range(1, min(self.every, last) + 1))
        while kept and kept[-1] < last:
            kept.append(min(max(kept[-1] + 1, int(self.factor * kept[-1])), last))
        return kept or [0]


#: Of a whole comparison, and of a quick one.
FULL, QUICK = Thinning(), Thinning(100, 1.05)
