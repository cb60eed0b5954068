r"""lam by validation, as in the paper: the best of 2^-20 .. 2^0 on rows that were not trained on.

For each lam the model is trained on the training rows, to a certified gap, and its accuracy p on m validation rows is

    p = (number of rows predicted rightly) / m,     standard error sqrt(p (1 - p) / m)   (binomial).

The best lam has the highest p; of several such, the largest. The *largest lam within one standard error* of the best p
is the simplest model that the validation rows cannot tell from the best one (Breiman, Friedman, Olshen and Stone,
"Classification and regression trees", 1984, section 3.4.3).

lam weighs the regulariser against the *mean* loss, so a lam found on a part of the rows is meant for all of them. C =
1/(n lam) depends on their number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.driver.path import paths
from pragam.driver.result import Result, Status
from pragam.driver.solve import Callback
from pragam.numerics.arguments import float_of, is_whole
from pragam.operators import check_data
from pragam.risks.arguments import check_labels, example_weights
from pragam.risks.one_vs_rest import one_vs_rest

#: The paper's grid, from the smallest.
PAPER_LAMS = tuple(2.0**k for k in range(-20, 1))


@dataclass(frozen=True)
class Tuning:
    """What was measured, a column for each quantity and an entry for each lam, in the order that was asked for."""

    lam: NDArray[np.float64]
    accuracy: NDArray[np.float64]  # on the validation rows
    error: NDArray[np.float64]  # its binomial standard error
    gap: NDArray[np.float64]  # the certified relative gap; with several classes, the largest
    iterations: NDArray[np.int64]  # summed over the classes, as are the seconds
    seconds: NDArray[np.float64]
    support: NDArray[np.int64]  # training rows with a dual variable that is not zero
    results: list[list[Result]]  # for each class that has weights of its own (of two, one), at each lam
    rows: NDArray[np.int64]  # the numbers of the training rows
    n_validation: int

    @property
    def n_train(self) -> int:
        return len(self.rows)

    @property
    def best(self) -> float:
        """The lam of the highest accuracy; the largest of these."""
        return float(self.lam[self.accuracy == self.accuracy.max()].max())

    @property
    def simplest(self) -> float:
        """The largest lam whose accuracy is within one standard error of the best one."""
        at_best = int(np.flatnonzero(self.lam == self.best)[0])
        least = self.accuracy[at_best] - self.error[at_best]
        return float(self.lam[self.accuracy >= least].max())

    def starts(self, n: int) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """(w, alpha) at the best lam for each class, to go on from with all n rows.

        The dual variables of the training rows shrink with their boxes, 1/n_train to 1/n. The other rows have 0.
        """
        k = int(np.flatnonzero(self.lam == self.best)[0])
        alphas = np.zeros((len(self.results), n))
        alphas[:, self.rows] = [part[k].alpha * self.n_train / n for part in self.results]
        return [(part[k].w, alpha) for part, alpha in zip(self.results, alphas, strict=True)]

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended the path early."""
        return any(result.status is Status.INTERRUPTED for part in self.results for result in part)

    @property
    def converged(self) -> bool:
        """Whether the tolerance was certified at every lam, for every class."""
        return all(result.converged for part in self.results for result in part)

    def columns(self) -> dict[str, list[float]]:
        """lam, accuracy, error and gap as lists: what :class:`pragam.compare.Experiment` keeps."""
        return {name: getattr(self, name).tolist() for name in ("lam", "accuracy", "error", "gap")}


def tune(
    X: Any,
    y: Any,
    lams: Iterable[float] = PAPER_LAMS,
    *,
    validation: tuple[Any, Any] | None = None,
    share: float = 0.2,
    seed: int = 0,
    bias: bool = True,
    class_weight: Any = None,
    tol: float = 1e-6,
    solver: str = "auto",
    max_seconds: float | None = None,
    callback: Callback | None = None,
) -> Tuning:
    """Train on a path of lams and measure the accuracy on rows that were left out.

    Parameters
    ----------
    X, y : the data and their labels; more than two classes are trained one against the rest
    lams : numbers > 0, by default the paper's 2^-20 .. 2^0
    validation : (X, y), optional
        The rows to validate on. Without them, ``share`` of the rows of each class are drawn with ``seed``.
    bias, class_weight, tol, solver, max_seconds, callback
        As in :func:`pragam.hinge` and :func:`pragam.path`. The time is for all lams and classes together.
    """
    storage = check_data(X)
    labels = check_labels(y, storage.shape[0])
    classes = np.unique(labels)
    if len(classes) < 2:
        raise ValueError(f"y must have at least two classes, not only {classes.tolist()}")
    train = np.arange(len(labels))
    if validation is None:
        train, held = split(labels, share, seed)
        other, truth = storage.take(held), labels[held]
        storage, labels = storage.take(train), labels[train]
    else:
        other = check_data(validation[0], "validation")
        truth = check_labels(validation[1], other.shape[0])
    if other.shape[1] != storage.shape[1]:
        raise ValueError(f"validation has {other.shape[1]} columns, and X has {storage.shape[1]}")
    weights = example_weights(labels, None, class_weight)
    problems = one_vs_rest(storage, labels, classes, 1.0, bias, weights)
    values = np.array(list(lams) if not isinstance(lams, np.ndarray) else lams)
    results = paths(problems, values, tol, solver, max_seconds, callback, seed)
    return _measured(values.astype(np.float64), results, train, classes, other, truth)


def split(y: NDArray[Any], share: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(rows to train on, rows to validate on), sorted: ``share`` of each class, rounded, but never all of it."""
    if not 0 < float_of(share) < 1:
        raise ValueError(f"share must be a number between 0 and 1, not {share!r:.60}")
    if not is_whole(seed):
        raise ValueError(f"seed must be a whole number >= 0, not {seed!r:.60}")
    rng = np.random.default_rng(seed)
    members = [rng.permutation(np.flatnonzero(y == label)) for label in np.unique(y)]
    held = [rows[: min(round(share * len(rows)), len(rows) - 1)] for rows in members]
    out = np.sort(np.concatenate(held))
    if len(out) == 0:
        raise ValueError(f"share = {share:g} of {len(y)} rows leaves no row of any class to validate on")
    return np.setdiff1d(np.arange(len(y)), out), out


def _measured(
    lams: NDArray[np.float64],
    results: list[list[Result]],
    rows: NDArray[np.int64],
    classes: NDArray[Any],
    other: Any,
    truth: NDArray[Any],
) -> Tuning:
    points = list(zip(*results, strict=True))  # for each lam, a Result for each class
    accuracy = np.array([float((_predicted(point, classes, other) == truth).mean()) for point in points])
    m = len(truth)
    return Tuning(
        lam=lams,
        accuracy=accuracy,
        error=np.sqrt(accuracy * (1 - accuracy) / m),
        gap=np.array([max(result.certificate.relative_gap for result in point) for point in points]),
        iterations=np.array([sum(result.n_iter for result in point) for point in points]),
        seconds=np.array([sum(float(result.history.seconds[-1:].sum()) for result in point) for point in points]),
        support=np.array([np.count_nonzero(np.any([r.alpha != 0 for r in point], axis=0)) for point in points]),
        results=results,
        rows=rows,
        n_validation=m,
    )


def _predicted(point: tuple[Result, ...], classes: Any, rows: Any) -> NDArray[Any]:
    """The labels of the rows: by the sign of one score, or the class of the largest of several."""
    scores = rows.matmat(np.array([result.w for result in point])) + np.array([result.bias for result in point])
    return classes[(scores[:, 0] > 0).astype(np.intp) if len(point) == 1 else scores.argmax(axis=1)]
