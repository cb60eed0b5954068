r"""A sample of the examples of a model with a weight vector for each label.

An example with the total t_i and the row x_i gives the Hessian a trace of t_i |x_i|^2, and is drawn with the
probability

    p_i = min(1, max(1/2, t_i |x_i|^2 / mean) / 4),        its total in the sample is t_i / p_i.

So a long row, which may be the only one with some column, is in every sample with about its own weight: with equal
probabilities the weight of that column is found anew on all examples, in steps that the few long rows cut short.
"""

from __future__ import annotations

import numpy as np

from pragam.solvers.proximal_newton.working_set import LabelProblem
from pragam.views import sampled

#: One example of this many is drawn, of those that are as long as the mean.
_ONE_OF = 4
#: An example counts as no shorter than this share of the mean.
_SHORTEST = 0.5
#: A sample has at least this many examples.
_LEAST = 500
#: A sample has at least this many examples for each weight.
_PER_WEIGHT = 2.5


def is_sampled(problem: LabelProblem) -> bool:
    """Whether a sample has enough examples for each weight, and no dual variables are fixed."""
    needed = max(_LEAST, _PER_WEIGHT * (problem.n_weights + problem.n_biases))
    return problem.Q.n_blocks >= _ONE_OF * needed and problem.rest.weights is None


def drawn_examples(problem: LabelProblem, rng: np.random.Generator) -> tuple[LabelProblem | None, float]:
    """The problem of a sample, whose value estimates that of the whole, and its share of the examples.

    No problem if a sample would not help.
    """
    n, K = problem.Q.n_blocks, problem.Q.K
    if not is_sampled(problem):
        return None, 0.0
    squares = problem.A.row_norms()[::K] ** 2 * problem.Q.totals
    mean = float(squares.mean())
    if not (0 < mean < np.inf):
        return None, 0.0
    chance = np.minimum(np.maximum(squares / mean, _SHORTEST) / _ONE_OF, 1.0)
    examples = np.flatnonzero(rng.random(n) < chance)
    return sampled(problem, examples, 1 / chance[examples]).problem, len(examples) / n
