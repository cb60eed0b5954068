"""Segments as labellings: a semi-Markov model through an oracle, with a feature that no chain of tokens has.

A noisy signal stays near a level for a while, then jumps to another one. A labelling is a tuple of segments (first,
last, level). Their features are the sum and the length for each level, the scatter around the segment's own mean, and
the number of segments. The scatter belongs to a segment as a whole. The best labelling comes from dynamic programming
over the ends of segments.
"""

import numpy as np

import pragam
from pragam.structured import Oracle, structured_hinge

LEVELS, LENGTH, LONGEST = 3, 30, 15
N_WEIGHTS = 2 * LEVELS + 2
Segments = tuple[tuple[int, int, int], ...]


class Segmentation(Oracle):
    """Segmentations; the loss is the number of positions with a wrong level."""

    def __init__(self, signals: np.ndarray, levels: np.ndarray) -> None:
        self.signals, self.levels = signals, levels
        self.sums = np.pad(np.cumsum(signals, axis=1), ((0, 0), (1, 0)))
        self.squares = np.pad(np.cumsum(signals**2, axis=1), ((0, 0), (1, 0)))
        wrong = levels[:, :, None] != np.arange(LEVELS)
        self.losses = np.pad(np.cumsum(wrong, axis=1), ((0, 0), (1, 0), (0, 0)))

    def best(self, i: int, w: np.ndarray, loss: float) -> Segments:
        """The segmentation of the highest score, with ``loss`` times the loss added."""
        value, back = np.zeros(LENGTH + 1), [(0, 0)] * (LENGTH + 1)
        for last in range(1, LENGTH + 1):
            first = np.arange(max(0, last - LONGEST), last)
            total, length = self.sums[i, last] - self.sums[i, first], last - first
            scatter = self.squares[i, last] - self.squares[i, first] - total**2 / length
            scores = total[:, None] * w[:LEVELS] + length[:, None] * w[LEVELS : 2 * LEVELS]
            scores += loss * (self.losses[i, last] - self.losses[i, first])
            scores += (value[first] + scatter * w[-2] + w[-1])[:, None]
            at, level = np.unravel_index(scores.argmax(), scores.shape)
            value[last], back[last] = scores[at, level], (int(first[at]), int(level))
        segments, last = [], LENGTH
        while last:
            first, level = back[last]
            segments.append((first, last, level))
            last = first
        return tuple(segments[::-1])

    def argmax(self, i: int, w: np.ndarray) -> Segments:
        return self.best(i, w, 1.0)

    def features(self, i: int, y: Segments) -> np.ndarray:
        out = np.zeros(N_WEIGHTS)
        for first, last, level in y:
            part = self.signals[i, first:last]
            out[level] += part.sum()
            out[LEVELS + level] += last - first
            out[-2] += np.sum((part - part.mean()) ** 2)
            out[-1] += 1
        return out

    def loss(self, i: int, y: Segments) -> float:
        return float(np.sum(spread(y) != self.levels[i]))

    def truth(self, i: int) -> Segments:
        starts = np.flatnonzero(np.diff(self.levels[i], prepend=-1))
        ends = [*starts[1:].tolist(), LENGTH]
        return tuple((a, b, int(self.levels[i, a])) for a, b in zip(starts.tolist(), ends, strict=True))


def spread(y: Segments) -> np.ndarray:
    """The level of each position."""
    return np.concatenate([np.full(last - first, level) for first, last, level in y])


def draw(n: int, rng: np.random.Generator) -> Segmentation:
    levels = np.empty((n, LENGTH), dtype=np.int64)
    for row in levels:
        at, level = 0, int(rng.integers(LEVELS))
        while at < LENGTH:
            step = int(rng.integers(5, 15))
            row[at : at + step] = level
            at, level = at + step, (level + int(rng.integers(1, LEVELS))) % LEVELS
    return Segmentation(levels + 0.8 * rng.standard_normal((n, LENGTH)), levels)


rng = np.random.default_rng(0)
training, test = draw(30, rng), draw(100, rng)
result = pragam.solve(structured_hinge(training, n=30, n_weights=N_WEIGHTS, lam=0.1), tol=1e-2)

print(f"solver: {result.solver}; {result.status}")
print(
    f"J = {result.certificate.primal:.6f}, D = {result.certificate.dual:.6f}, "
    f"relative gap {result.certificate.relative_gap:.1e}"
)
found = [test.best(i, result.w, loss=0.0) for i in range(100)]
right = float(np.mean(np.array([spread(y) for y in found]) == test.levels))
nearest = float(np.mean(np.clip(np.round(test.signals), 0, LEVELS - 1) == test.levels))
print(f"positions with the right level: {nearest:.1%} each by itself, {right:.1%} in segments")
many, true = (np.mean([len(y) for y in each]) for each in (found, [test.truth(i) for i in range(100)]))
print(f"segments in a signal: {many:.2f}, and {true:.2f} in truth")
assert result.converged and right > nearest + 0.1
