"""What a search by folds found: scores, times and gaps of each fold, and the table that scikit-learn has of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import indexable

from pragam.driver.result import Result, Status
from pragam.estimators.compat import accepts_weights, some_rows
from pragam.numerics.vector import Vector
from pragam.selection.curve import Curve


def numbers_of(part: Any, n: int) -> NDArray[np.int64]:
    """The numbers of some of n rows, which a splitter may also give as truth values."""
    try:
        return np.arange(n)[np.asarray(part)]
    except IndexError as error:
        raise ValueError(f"cv names rows that X does not have: {error}") from None


class Data(NamedTuple):
    """X, y and the weights of the rows as they came; of a fold, those of the rows left out, and their numbers."""

    X: Any
    y: Any
    weights: Any
    numbers: Any

    @classmethod
    def of(cls, X: Any, y: Any, weights: Any) -> Data:
        """All rows, in forms of which some can be taken."""
        X, y = indexable(X, y)
        return cls(X, y, None if weights is None else np.asarray(weights), None)

    def take(self, rows: NDArray[np.int64]) -> Data:
        """Some of them."""
        weights = None if self.weights is None else some_rows(self.weights, rows)
        return Data(some_rows(self.X, rows), some_rows(self.y, rows), weights, rows)

    def score(self, scorer: Any, model: Any) -> float:
        """What a model is worth here; rows have their weights where the scorer takes such."""
        more = {} if self.weights is None or not accepts_weights(scorer) else {"sample_weight": self.weights}
        return float(scorer(model, self.X, self.y, **more))


@dataclass
class FoldFound:
    """A fold along the grid, an entry for each C. Data and problems are not kept."""

    labels: NDArray[Any]
    held: NDArray[np.int64]  # the numbers of the rows left out
    scores: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    scoring: list[float] = field(default_factory=list)  # seconds
    gaps: list[float] = field(default_factory=list)  # the largest certified relative gap
    weights: list[list[Vector]] = field(default_factory=list)  # w of each problem
    margins: list[Any] = field(default_factory=list)  # decision values of the rows left out, if they are kept
    n_solves: int = 0
    n_missed: int = 0  # solves that did not certify tol
    is_interrupted: bool = False

    def note(self, results: Sequence[Result], score: float, scoring: float, margins: Any) -> None:
        """One more C."""
        self.scores.append(score)
        self.seconds.append(sum(float(result.history.seconds[-1:].sum()) for result in results))
        self.scoring.append(scoring)
        self.gaps.append(max(result.certificate.relative_gap for result in results))
        self.weights.append([result.w for result in results])
        self.margins.append(margins)
        self.n_solves += len(results)
        self.n_missed += sum(not result.converged for result in results)
        self.is_interrupted |= any(result.status is Status.INTERRUPTED for result in results)


def results_of(found: Sequence[FoldFound], curve: Curve) -> dict[str, Any]:
    """``cv_results_``: the columns of GridSearchCV, the standard errors of the means, and the largest gaps."""
    grid = curve.grid
    return {
        **_times("fit", [fold.seconds for fold in found]),
        **_times("score", [fold.scoring for fold in found]),
        "param_C": np.ma.masked_array(grid, mask=np.zeros(len(grid), dtype=bool), fill_value=1e20),
        "params": [{"C": C} for C in grid.tolist()],
        **{f"split{k}_test_score": scores for k, scores in enumerate(curve.scores)},
        "mean_test_score": curve.mean,
        "std_test_score": curve.scores.std(axis=0),
        "se_test_score": curve.error,
        "rank_test_score": curve.rank,
        "max_gap": np.max([fold.gaps for fold in found], axis=0),
    }


def told_of(found: Sequence[FoldFound], n_folds: int, estimator: Any) -> str:
    """What a search that ended early has to say; empty if it did not."""
    said = []
    if len(found) < n_folds or any(fold.is_interrupted for fold in found):
        said.append(f"Ctrl-C ended the search: C_ is the best of {len(found)} of {n_folds} folds.")
    missed, n = sum(fold.n_missed for fold in found), sum(fold.n_solves for fold in found)
    if missed:
        worst = max(max(fold.gaps) for fold in found)
        said.append(
            f"{missed} of {n} solves of the search did not certify tol={estimator.tol:g}; the largest relative gap is "
            f"{worst:.2e}. Raise max_iter or max_seconds, raise tol, or leave out the largest C."
        )
    return " ".join(said)


def _times(what: str, seconds: list[list[float]]) -> dict[str, Vector]:
    return {f"mean_{what}_time": np.mean(seconds, axis=0), f"std_{what}_time": np.std(seconds, axis=0)}
