"""How many sweeps a round of ascent on flows has, and what they tell of the gap."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

#: Steps are this many times the best ones, from the second round on.
RELAX = 1.3
#: Weights are moved by this share from the end of a round to its mean.
SHARE = 0.8
#: The mean is kept once the estimate is within this many times the tolerance.
_NEAR = 4.0
#: The gap at the end of a round is this share of the sum of the sequences' gaps as they were met, before a certificate
#: has told better. Measured on OCR letters and CoNLL chunks.
_HINDSIGHT = 0.5
#: Visits of one step should take no more than this many sums of 8 floats: about a tenth of a second.
_WORK = 2.0e8
#: Threads share the directions of a block if these take at least this many sums of 8 floats: with fewer they wait for
#: each other as long as they work. OCR letters have 1.6 times 10^4.
_SHARED = 1.0e5
#: Fewer are enough where the table has more bytes than a processor's own cache: then each waits for memory, and the
#: waiting is shared too. CoNLL chunks have 2.4 times 10^4 and 12 MB; two threads take 0.8 times as long as one.
_SHARED_OUTSIDE, _CACHE = 2.0e4, 2**20
#: The table is computed anew after this many passes.
RENEWAL = 100.0


@dataclass(frozen=True)
class Schedule:
    """What a round does, by the tolerance and the size of the data."""

    tol: float
    work_a_token: float  # of a visit to a sequence, in sums of 8 floats
    mean_length: float
    block: int
    table_bytes: int

    @property
    def zone_sweeps(self) -> int:
        """Over the zones of the support, after each one over all sequences."""
        if self.tol >= 5e-3:
            return 2
        return 4 if self.tol >= 5e-4 else 6

    @property
    def pays_threads(self) -> bool:
        """Whether the directions of a block are so much work that threads gain by sharing it."""
        return self.block * self.mean_length * self.work_a_token >= (
            _SHARED if self.table_bytes <= _CACHE else _SHARED_OUTSIDE
        )

    @property
    def visits(self) -> int:
        """To sequences, in one step."""
        return max(1, int(_WORK / (self.work_a_token * self.mean_length)))

    @property
    def zone_visits(self) -> int:
        return max(1, int(_WORK / self.work_a_token / 2))


@dataclass
class Gap:
    """The estimate of the relative gap, by the gaps of the sequences as they were met in the last round."""

    raw: float = inf  # their sum
    relative: float = inf  # to be expected at the end of the round
    share: float = _HINDSIGHT  # of raw that is left at the end of the round

    def note(self, raw: float, dual: float) -> None:
        self.raw = raw
        gap = self.share * raw
        self.relative = gap / max(abs(dual), abs(dual + gap), 1e-300)

    def learn(self, gap: float) -> None:
        """A certificate has told the gap at the end of the last round."""
        if 0 < self.raw < inf and gap > 0:
            self.share = min(max(gap / self.raw, 0.1), 2.0)

    def is_near(self, tol: float) -> bool:
        return self.relative <= _NEAR * tol
