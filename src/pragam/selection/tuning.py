r"""What validation found on a path of lams, and which lam it chooses.

The best lam has the highest score; of several such, the largest. The *largest lam within one standard error* of the
best score is the simplest model that the samples left out cannot tell from the best one (Breiman, Friedman, Olshen and
Stone, "Classification and regression trees", 1984, section 3.4.3).

lam weighs the regulariser against the *mean* loss, so a lam found on a part of the samples is meant for all of them.
C = 1/(n lam) depends on their number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.driver.result import Result, Status
from pragam.numerics.vector import Vector
from pragam.selection.counts import Counts
from pragam.selection.folds import Fold

#: The paper's grid, from the smallest.
PAPER_LAMS = tuple(2.0**k for k in range(-20, 1))


@dataclass(frozen=True)
class Tuning:
    """A column for each quantity and an entry for each lam, in the order that was asked for."""

    lam: Vector
    score: Vector  # on the samples left out, the more the better
    error: Vector  # its standard error, NaN if unknown
    gap: Vector  # the certified relative gap, the largest of all problems and folds
    iterations: NDArray[np.int64]  # summed over problems and folds, as are the seconds
    seconds: Vector
    support: NDArray[np.int64] | None  # rows that support the models, summed over folds; None where models have no rows
    results: list[list[list[Result]]]  # of each fold, for each problem, at each lam
    folds: list[Fold]  # without a train and held part of the data if the samples to validate on were given
    measured: dict[str, Vector] = field(default_factory=dict)  # "accuracy" of models with labels, "chunk_f1" of tags
    counts: list[Counts] | None = None  # wrong predictions at each lam, summed over folds; None where none are counted
    is_exact: bool = False  # whether no smaller gap, as far as float64 proves any, settles more counts

    @property
    def accuracy(self) -> Vector:
        """The score of a classifier."""
        return self.score

    @property
    def n_train(self) -> int:
        """How many samples the models of the first fold were trained on."""
        return len(self.folds[0].train)

    @property
    def n_validation(self) -> int:
        """How many samples they were validated on."""
        return len(self.folds[0].held)

    @property
    def best(self) -> float:
        """The lam of the highest score; the largest of these."""
        return float(self.lam[self.score == self.score.max()].max())

    @property
    def simplest(self) -> float:
        """The largest lam whose score is within one standard error of the best one; the best if that is unknown."""
        at_best = int(np.flatnonzero(self.lam == self.best)[0])
        least = self.score[at_best] - np.nan_to_num(self.error[at_best])
        return float(self.lam[self.score >= least].max())

    @property
    def is_at_an_end(self) -> bool:
        """Whether a lam beyond those tried may be better."""
        return len(self.lam) > 1 and self.best in (self.lam.min(), self.lam.max())

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended the path early."""
        return any(result.status is Status.INTERRUPTED for result in self._all())

    @property
    def converged(self) -> bool:
        """Whether the tolerance was certified at every lam, for every problem of every fold."""
        return all(result.converged for result in self._all())

    @property
    def wrong(self) -> NDArray[np.int64]:
        """The wrong predictions of the computed models at each lam, on all samples left out."""
        return np.array([each.wrong for each in self._counts()])

    @property
    def bounds(self) -> NDArray[np.int64]:
        """(lams, 2): between which numbers the wrong predictions of every exact model lie, whatever the tolerance."""
        return np.array([[each.fewest, each.most] for each in self._counts()]).reshape(-1, 2)

    @property
    def unsettled(self) -> Vector:
        """The lams at which exact models may have several counts: a smaller tol may settle them, scores of 0 never."""
        return self.lam[np.array([not each.is_settled for each in self._counts()], dtype=bool)]

    @property
    def remark(self) -> str:
        """What is to be said of the counts of exact models, in a sentence."""
        if not len(self.unsettled):
            return "the count of the exact model is proven at every lam"
        limit = "float64 proves no smaller gap, so some scores are 0 or next to it"
        why = limit if self.is_exact else "smaller gaps may settle them (exact=True, or more time)"
        return f"at {len(self.unsettled)} of {len(self.lam)} lams the count of the exact model stays an interval: {why}"

    def _counts(self) -> list[Counts]:
        if self.counts is None:
            raise ValueError("wrong predictions are counted where labels of rows in memory are predicted")
        return self.counts

    def starts(self, n: int) -> list[tuple[Vector, Vector]] | None:
        """(w, alpha) at the best lam for each problem, to go on from with all n rows; None if there is no such pair.

        The dual variables of the training rows shrink with their boxes, 1/n_train to 1/n. The other rows have 0.
        """
        rows, found = self.folds[0].train, self._at_best()
        if not all(isinstance(one.alpha, np.ndarray) and one.alpha.shape == rows.shape for one in found):
            return None
        alphas = np.zeros((len(found), n))
        alphas[:, rows] = [one.alpha * len(rows) / n for one in found]
        return [(one.w, alpha) for one, alpha in zip(found, alphas, strict=True)]

    def weights(self) -> list[tuple[Vector, None]]:
        """(w, None) at the best lam for each problem: what the path reached, where dual points fit no other samples."""
        return [(one.w, None) for one in self._at_best()]

    def columns(self) -> dict[str, list[float]]:
        """lam, accuracy, error and gap as lists: what :class:`pragam.compare.Experiment` keeps."""
        return {name: getattr(self, name).tolist() for name in ("lam", "accuracy", "error", "gap")}

    def _at_best(self) -> list[Result]:
        """The results of the first fold at the best lam."""
        k = int(np.flatnonzero(self.lam == self.best)[0])
        return [part[k] for part in self.results[0]]

    def _all(self) -> Any:
        return (result for fold in self.results for part in fold for result in part)
