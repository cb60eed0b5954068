"""lam by validation, for every record: on each fold the problems are posed once and solved along a path of lams, each
from its neighbour's solution, each certified; what the models are worth on the samples left out decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.driver.checkpoint.place import AnyPath, Checkpoints, checkpoints_of
from pragam.driver.jobs import Settings
from pragam.driver.path import paths
from pragam.driver.result import Result, Status
from pragam.driver.solve import Callback
from pragam.models.base import Solves
from pragam.models.features import Features
from pragam.models.training import Fitted, fit, model_of
from pragam.numerics.vector import Vector
from pragam.problem import AnyProblem
from pragam.risks import Risk
from pragam.selection.counts import Counts, counts_of, total_counts
from pragam.selection.exact import Judged, is_at_the_limit, settled
from pragam.selection.folds import Fold
from pragam.selection.parts import pairs_of, parts_of
from pragam.selection.scorers import Score, Scorer, mean_worth
from pragam.selection.tuning import PAPER_LAMS, Tuning


def choose(
    risk: Risk,
    samples: Any,
    lams: Iterable[float] = PAPER_LAMS,
    settings: Settings | None = None,
    *,
    validation: Any = None,
    share: float = 0.2,
    n_folds: int | Iterable[Any] = 1,
    seed: int = 0,
    features: Features | None = None,
    scorer: Scorer = mean_worth,
    callback: Callback | None = None,
    checkpoint: AnyPath | Checkpoints | None = None,
    exact: bool = False,
) -> Tuning:
    """Train on a path of lams and score the models on samples that were left out.

    Of labels of rows in memory the wrong predictions are counted, those of the computed models and, as far as the
    certificates prove them, those of the exact ones (:mod:`pragam.selection.counts`).

    Parameters
    ----------
    risk : a record; its own lam does not matter
    samples : what to train on
    validation : samples to validate on. Without them, ``share`` of the samples are left out, or each once in
        ``n_folds`` folds if there are two or more
    settings : how to solve; its seconds are for all lams, problems and folds
    features : how samples become those that weights belong to; what they learn, they learn on each fold
    scorer : what a model is worth on samples
    callback : as that of :func:`pragam.path`
    checkpoint : a directory in which the points of all folds are kept, as by :func:`pragam.path`
    exact : whether points go on to smaller gaps until the count of the exact model is settled, or rounding is the limit
    """
    settings, features = settings or Settings(), features or Features()
    values = np.array(list(lams), dtype=np.float64)
    labels = risk.learn(features.numbers(samples))
    parts = parts_of(risk, samples, validation, share, n_folds, seed)
    seconds = None if settings.max_seconds is None else settings.max_seconds / len(parts)
    places, is_exact = checkpoints_of(checkpoint), exact
    scores: list[list[Score]] = []
    results: list[list[list[Result]]] = []
    support, counts = np.zeros(len(values), dtype=np.int64), []
    for train, held in pairs_of(samples, parts, validation, share, seed):
        numbers = features.numbers(train)
        learnt = features.learnt(numbers)  # from the rows to train on alone
        own = learnt.mapped(numbers)
        problems = risk.pose(own, labels)
        place = None if places is None else places.within(f"fold-{len(results)}")
        found = paths(
            problems, values, settings.tol, settings.solver, seconds, callback, settings.seed(0), checkpoint=place,
            memory=settings.memory,
        )  # fmt: skip

        def judged(lam: float, solves: Solves, own: Any = own, learnt: Features = learnt, held: Any = held) -> Judged:
            model = model_of(risk.at(lam), labels, solves, own, learnt, settings, {})
            return Judged(model, solves, counts_of(model, solves, held))

        points = [judged(lam, _at(lam, i, problems, found)) for i, lam in enumerate(values.tolist())]
        if exact:
            points = settled(values.tolist(), points, judged, settings, seconds, callback)
            found = [[point.solves[p][1] for point in points] for p in range(len(problems))]
            is_exact &= is_at_the_limit(points)
        scores.append([scorer(point.model, held) for point in points])
        support += [point.model.n_support([problem for problem, _ in point.solves]) for point in points]
        results.append(found)
        counts.append([point.counts for point in points])
        if any(one.status is Status.INTERRUPTED for part in found for one in part):
            break  # Ctrl-C ends the other folds too
    of_rows = support if risk.form == "rows" else None
    return _tuning(values, scores, results, parts[: len(results)], of_rows, total_counts(counts), is_exact)


def refit(
    risk: Risk, samples: Any, lam: float, settings: Settings, features: Features | None = None, **more: Any
) -> Fitted:
    """The model of all samples at one lam; ``more`` goes to :func:`pragam.models.fit`."""
    return fit(risk.at(lam), samples, settings, features, **more)


def _at(lam: float, i: int, problems: list[AnyProblem], found: list[list[Result]]) -> Solves:
    """The problems at one lam, the i-th, with their results."""
    return [(problem.at(lam), part[i]) for problem, part in zip(problems, found, strict=True)]


def _tuning(
    lams: Vector,
    scores: Sequence[Sequence[Score]],
    results: list[list[list[Result]]],
    parts: list[Fold],
    support: NDArray[np.int64] | None,
    counts: list[Counts] | None,
    is_exact: bool,
) -> Tuning:
    points = [[part[i] for fold in results for part in fold] for i in range(len(lams))]  # all solves at a lam
    value, error = np.transpose([_joined([fold[i] for fold in scores]) for i in range(len(lams))])
    return Tuning(
        lam=lams,
        score=value,
        error=error,
        measured=_measured(scores),
        gap=np.array([max(result.certificate.relative_gap for result in point) for point in points]),
        iterations=np.array([sum(result.n_iter for result in point) for point in points]),
        seconds=np.array([sum(float(result.history.seconds[-1:].sum()) for result in point) for point in points]),
        support=support,
        results=results,
        folds=parts,
        counts=counts,
        is_exact=is_exact,
    )


def _measured(scores: Sequence[Sequence[Score]]) -> dict[str, Vector]:
    """The mean over the folds of what else the scorer measured, an entry for each lam."""
    names = set.intersection(*(set(one.measured) for fold in scores for one in fold))
    return {
        name: np.array([_mean([fold[i].measured[name] for fold in scores], [fold[i].size for fold in scores])
                        for i in range(len(scores[0]))])
        for name in sorted(names)
    }  # fmt: skip


def _mean(values: Sequence[float], counts: Sequence[int]) -> float:
    """Of one value, the value itself to the last bit."""
    return values[0] if len(values) == 1 else float(np.average(values, weights=counts))


def _joined(scores: list[Score]) -> tuple[float, float]:
    """The mean over everything left out, and its standard error: that of the folds' scores if there are several."""
    if len(scores) == 1:
        return scores[0].value, scores[0].error
    values, counts = np.array([one.value for one in scores]), np.array([one.size for one in scores])
    return _mean(values.tolist(), counts.tolist()), float(values.std(ddof=1) / len(values) ** 0.5)
