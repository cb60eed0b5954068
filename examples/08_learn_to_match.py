"""Your own structure through an oracle: learn to match two sets of items, certified like everything else.

Each example has two sets of six points: the second is the first one in another order, with noise, and most of its
coordinates are useless. A labelling is a permutation. Its features are the squared differences of the pairs, coordinate
by coordinate, so the weights say which coordinates to trust. The best permutation is an assignment problem, which SciPy
solves. That is all the library needs to know.
"""

import numpy as np
from scipy.optimize import linear_sum_assignment

import pragam
from pragam.structured import Oracle, structured_hinge

ITEMS, USEFUL, USELESS = 6, 3, 5


class Matching(Oracle):
    """Permutations; the loss is the number of wrong pairs."""

    def __init__(self, differences: list[np.ndarray], truths: list[np.ndarray]) -> None:
        self.differences, self.truths = differences, truths  # (items, items, coordinates) of each example

    def argmax(self, i: int, w: np.ndarray) -> np.ndarray:
        wrong = np.ones((ITEMS, ITEMS))
        wrong[np.arange(ITEMS), self.truths[i]] = 0
        return linear_sum_assignment(self.differences[i] @ w + wrong, maximize=True)[1]

    def features(self, i: int, y: np.ndarray) -> np.ndarray:
        return self.differences[i][np.arange(ITEMS), y].sum(axis=0)

    def loss(self, i: int, y: np.ndarray) -> float:
        return float(np.sum(y != self.truths[i]))

    def truth(self, i: int) -> np.ndarray:
        return self.truths[i]


def draw(n: int, rng: np.random.Generator) -> Matching:
    noise = np.r_[np.full(USEFUL, 0.3), np.full(USELESS, 3.0)]
    differences, truths = [], []
    for _ in range(n):
        left, order = rng.standard_normal((ITEMS, USEFUL + USELESS)), rng.permutation(ITEMS)
        right = (left + noise * rng.standard_normal(left.shape))[order]
        differences.append((left[:, None] - right) ** 2)
        truths.append(np.argsort(order))
    return Matching(differences, truths)


def accuracy(data: Matching, w: np.ndarray) -> float:
    """The share of pairs that are matched right, without the loss in the scores."""
    found = [linear_sum_assignment(each @ w, maximize=True)[1] for each in data.differences]
    return float(np.mean(np.array(found) == np.array(data.truths)))


rng = np.random.default_rng(0)
training, test = draw(50, rng), draw(200, rng)
result = pragam.solve(structured_hinge(training, n=50, n_weights=USEFUL + USELESS, lam=0.1), tol=1e-2)

print(f"solver: {result.solver}; {result.status}")
print(
    f"J = {result.certificate.primal:.6f}, D = {result.certificate.dual:.6f}, "
    f"relative gap {result.certificate.relative_gap:.1e}"
)
print(f"rigorous: {result.certificate.rigorous} (that the oracle finds the maximum is taken on trust)")
print("weights:", np.round(result.w, 2))
plain, learnt = accuracy(test, -np.ones(USEFUL + USELESS)), accuracy(test, result.w)
print(f"pairs matched right: {plain:.1%} with equal weights, {learnt:.1%} with those learnt")
assert result.converged and learnt > plain + 0.2
