"""From samples and a range of lams to what is proven of it: the folds are posed, searched together, and told of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any

import numpy as np

from pragam.certificate.moving import Moving
from pragam.driver.checkpoint.place import AnyPath, Checkpoints, checkpoints_of
from pragam.driver.jobs import Settings
from pragam.models.features import Features
from pragam.numerics.arguments import real_array
from pragam.numerics.vector import Vector
from pragam.operators.storage import Storage
from pragam.risks import Each, Risk
from pragam.runtime.interrupts import listen
from pragam.selection.folds import Fold
from pragam.selection.parts import pairs_of, parts_of
from pragam.selection.proven import measures
from pragam.selection.proven.bounds import is_settled
from pragam.selection.proven.folds import FoldAtWork
from pragam.selection.proven.found import Cells, ProvenRange, SolvedLams
from pragam.selection.proven.goal import Goal
from pragam.selection.proven.measures import Measure
from pragam.selection.proven.search import RangeProgress, Search
from pragam.selection.proven.solving import Solving

#: What may be asked for by ``scoring``; None is the first that fits the labels.
MEASURES = ("errors", "absolute", "pinball", "hinge")

Listener = Callable[[RangeProgress], Any]


def prove_range(
    risk: Risk,
    samples: Any,
    lams: tuple[float, float],
    prove: float | str,
    settings: Settings | None = None,
    *,
    validation: Any = None,
    share: float = 0.2,
    n_folds: int | Iterable[Any] = 1,
    seed: int = 0,
    features: Features | None = None,
    scoring: str | None = None,
    callback: Listener | None = None,
    checkpoint: AnyPath | Checkpoints | None = None,
    exact: bool = False,
    by_sum: bool = False,
) -> ProvenRange:
    """Prove that no lam between the two has an error lower than the best one by more than ``prove``.

    Parameters
    ----------
    risk, samples, validation, share, n_folds, seed, features, checkpoint : as of :func:`pragam.selection.choose`
    lams : (least, greatest)
    prove : a share of errors or a mean loss; "se": the standard error of the best
    settings : the solver, the seed, and the seconds of the whole search; its tol does not matter
    scoring : "errors", "hinge", "absolute" or "pinball"; None: errors of labels, else the loss that the risk has
    callback : called with a :class:`RangeProgress` after each solve; a true return value ends the search
    exact : whether a lam is worth what its exact models have at most, and not what the computed one has
    by_sum : whether folds share C, the weight of the *sum* of their losses: a fold of m of n rows has lam n/m
    """
    settings, features = settings or Settings(), features or Features()
    low, high = range_of(lams)
    if risk.form != "rows":
        raise ValueError(f"prove is for models of rows with one score each, not for {risk.name}")
    if samples.in_blocks or (validation is not None and validation.in_blocks):
        raise ValueError("prove needs X in memory: cells hold the rows left out, and several pairs of points")
    risk = risk.risks[0] if isinstance(risk, Each) and len(risk.risks) == 1 else risk  # a model of one output
    labels = risk.learn(features.numbers(samples))
    _check_scores(risk, labels)
    parts = parts_of(risk, samples, validation, share, n_folds, seed)
    places, folds = checkpoints_of(checkpoint), []
    name = measure_of(risk, labels, scoring)
    for k, (train, held) in enumerate(pairs_of(samples, parts, validation, share, seed)):
        numbers = features.numbers(train)
        learnt = features.learnt(numbers)  # from the rows to train on alone
        problem = _only(risk.pose(learnt.mapped(numbers), labels))
        X, code = learnt.of(held).X, _encoded(risk, held.y, labels, "" if validation is None else "validation: ")
        place = None if places is None else places.within(f"fold-{k}", begins_anywhere=True)
        factor = samples.n / train.n if by_sum else 1.0
        folds.append(FoldAtWork(problem, _measure(name, risk, X, code), factor, place))
    return searched(folds, parts, name, (low, high), prove, settings, callback, exact)


def searched(
    folds: Sequence[FoldAtWork],
    parts: list[Fold],
    name: str,
    lams: tuple[float, float],
    prove: float | str,
    settings: Settings,
    callback: Listener | None,
    exact: bool,
) -> ProvenRange:
    """The search over these folds, and what came of it."""
    size = sum(fold.measure.size for fold in folds)
    goal = Goal(prove, size, all(fold.measure.is_counted for fold in folds))
    with listen() as signals, np.errstate(all="ignore"):
        solving = Solving(folds, goal, settings, signals, exact)
        search = Search(solving, callback)
        search.run(*lams)
        best = search.points.best
        again = [fold.pair(best.lam, result) for fold, result in zip(folds, best.results, strict=True)]
        own = solving.alone(again, is_settled)
        for point in search.points:
            if point.lam == best.lam:
                point.own = point.own.within(own)
    return _found(search, parts, name)


def range_of(lams: Any) -> tuple[float, float]:
    """(low, high), checked."""
    try:
        values = real_array("lams", list(lams))
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (2,) or not 0 < values[0] < values[1] < inf:
        raise ValueError(f"lams must be (low, high) with 0 < low < high < inf where prove is given, not {lams!r:.60}")
    return float(values[0]), float(values[1])


def measure_of(risk: Risk, labels: Any, scoring: Any) -> str:
    """The name of the measure."""
    if scoring is not None and scoring not in MEASURES:
        raise ValueError(f"scoring must be one of {', '.join(MEASURES)} where prove is given, not {scoring!r:.60}")
    if risk.has_labels:
        if scoring in ("absolute", "pinball"):
            raise ValueError(f"scoring = {scoring!r} is for numbers, and y has labels: errors or hinge")
        return scoring or "errors"
    if scoring in ("errors", "hinge") or (scoring == "pinball" and not hasattr(risk, "q")):
        raise ValueError(f"scoring = {scoring!r} does not fit the risk {risk.name}")
    return scoring or ("pinball" if hasattr(risk, "q") else "absolute")


def _encoded(risk: Risk, y: Any, labels: Any, prefix: str) -> Any:
    try:
        return risk.target.encode(y, labels)
    except ValueError as error:
        raise ValueError(f"{prefix}{error}") from None


def _check_scores(risk: Risk, labels: Any) -> None:
    """Refuse a record whose models have several scores."""
    shapes = risk.shape(labels)
    if len(shapes) != 1 or shapes[0].rows != 1 or shapes[0].outputs != 1:
        what = f"{len(labels)} labels have" if risk.has_labels and len(labels) != 2 else "this risk has"
        raise ValueError(f"prove is for models with one score, as of two classes: {what} several, which move together")


def _only(problems: list[Any]) -> Any:
    """The problem of a record with one score, of which there are cells."""
    (problem,) = problems
    refusal = Moving.refusal(problem)
    if refusal is not None:
        raise ValueError(f"prove is not for this risk: {refusal}")
    return problem


def _measure(name: str, risk: Any, X: Storage, code: Any) -> Measure:
    if name == "errors":
        return measures.Wrong(X, code)
    if name == "hinge":
        return measures.hinge(X, code)
    if name == "pinball":
        return measures.pinball(X, code, risk.q)
    return measures.absolute(X, code)


def _found(search: Search, parts: list[Fold], name: str) -> ProvenRange:
    solving, goal, best = search.solving, search.solving.goal, search.points.best
    lo, hi, lower, upper = np.array([(each.low, each.high, *each.known) for each in reversed(search.cells)]).T
    points = np.array([(each.lam, each.total, *each.own, each.gap) for each in reversed(list(search.points))]).T
    lam, total, least, most, gap = points
    return ProvenRange(
        lam=best.lam,
        error=goal.least_mean(best.total),
        proven=goal.proven(min(cell.known.lower for cell in search.cells)),
        asked=goal.eps,
        standard_error=goal.error,
        cells=Cells(lo, hi, *_means(goal, lower, upper)),
        points=SolvedLams(lam, _means(goal, total, total)[0], *_means(goal, least, most), gap),
        n_rows=goal.size,
        n_solves=solving.n_solves,
        seconds=solving.seconds,
        status=solving.status,
        results=best.results,
        folds=parts,
        measure=name,
    )


def _means(goal: Goal, lower: Vector, upper: Vector) -> tuple[Vector, Vector]:
    """Bounds of sums as bounds of means."""
    return np.array([*map(goal.least_mean, lower)]), np.array([*map(goal.greatest_mean, upper)])
