r"""When a run gets somewhere, as an interval that the measurements leave open.

A :class:`Span` holds the first iteration, or the first second, at which something is reached:

- reached at a recorded point: from the least to the largest over the repeats (one number for iterations; a single
  repeat is taken to be off by up to 20 %),
- not reached before the run ended: from its end to infinity, so a run over its budget is a lower bound and no more,
- no run, or nothing to compare with: from 0 to infinity, so that every comparison is undecided.

err_t itself is an interval, since J* is known as one. The point at which its lower end passes bounds the span from
below, the point at which its upper end passes bounds it from above. A reference that has not reached its tolerance
widens the span, and decides nothing that it cannot.

Between recorded points nothing is known: where points are thinned, or a peer was run with rising limits, "first" means
the first recorded one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.compare.experiment import Experiment, Floats, Reference, Run
from pragam.paper.claims.solvers import run_and_reference, run_of
from pragam.paper.claims.thresholds import THRESHOLDS
from pragam.paper.claims.verdict import Answer, most

Unit = Literal["iterations", "seconds"]


class Span(NamedTuple):
    low: float
    high: float

    @property
    def is_known(self) -> bool:
        return self.low > 0 or self.high < np.inf

    def text(self, unit: Unit) -> str:
        """12, > 200, 0.12-0.15 s, or "no run"."""
        if not self.is_known:
            return "unknown"
        form, suffix = ("{:,.0f}", "") if unit == "iterations" else ("{:.3g}", " s")
        if np.isinf(self.high):
            return f"> {form.format(self.low)}{suffix}"
        ends = dict.fromkeys(form.format(end) for end in self)
        return "-".join(ends) + suffix


#: By accuracy and solver.
Table = Mapping[float, Mapping[str, Span]]
UNKNOWN = Span(0.0, np.inf)


def reach(experiment: Experiment, data: str, solver: str, eps: float, unit: Unit) -> Span:
    """When err_t <= eps J* for the first time."""
    found = run_and_reference(experiment, data, solver)
    if found is None or not found[1].primal > 0:
        return UNKNOWN
    run, reference = found
    lower, upper = experiment.error(run)
    level = eps * reference.primal
    return _span(run, _first(lower <= level), _first(upper <= level), unit)


def arrival(experiment: Experiment, data: str, solver: str, target: float, unit: Unit) -> Span:
    """From when on the test accuracy of the best weights so far stays at ``target`` or above."""
    run = run_of(experiment, data, solver)
    if run is None or not np.isfinite(target) or not np.isfinite(run.accuracy).any():
        return UNKNOWN
    index = arrival_index(run, target)
    return _span(run, index, index, unit)


def arrival_index(run: Run, target: float) -> int | None:
    """The first point from which on the accuracy is at least ``target``; None if it is not at the end."""
    below = np.flatnonzero(~(run.accuracy >= target))
    index = int(below[-1]) + 1 if len(below) else 0
    return index if index < len(run.accuracy) else None


def sooner(first: Span, second: Span, factor: float = 1.0) -> Answer:
    """Whether the first is reached before the second, by more than the factor. A tie is not sooner."""
    if first.high * factor < second.low:
        return "confirmed"
    return "refuted" if first.low * factor >= second.high else "undecided"


def reached(table: Table) -> Table:
    """The accuracies that one of the solvers has surely reached."""
    return {eps: spans for eps, spans in table.items() if any(span.high < np.inf for span in spans.values())}


def faster(table: Table, first: str, second: str, factor: float = 1.0) -> Answer:
    """Whether the first is sooner, by more than the factor, at most of the accuracies that one of them has reached."""
    pairs = reached({eps: {name: spans[name] for name in (first, second)} for eps, spans in table.items()})
    return most(sooner(spans[first], spans[second], factor) for spans in pairs.values())


def earliest(spans: Iterable[Span]) -> Span:
    """When the first of several gets there; those without a run leave its lower end open."""
    spans = list(spans)
    return Span(min((span.low for span in spans), default=0.0), min((span.high for span in spans), default=np.inf))


def fair_target(experiment: Experiment, data: str) -> tuple[float, float]:
    """(p - s, s): the accuracy p of the optimum without a bias, and its tolerance s; NaN if it is not known."""
    reference = optimum(experiment, data)
    rows = experiment.data[data].n_test
    if reference is None or rows <= 0 or not np.isfinite(reference.accuracy):
        return np.nan, np.nan
    p = reference.accuracy
    s = THRESHOLDS.standard_errors * float(np.sqrt(max(p * (1 - p), 0.0) / rows))
    return p - s, s


def optimum(experiment: Experiment, data: str) -> Reference | None:
    """The reference of the problem without a bias, if it has reached its tolerance."""
    reference = experiment.references.get((data, "hinge"))
    return reference if reference is not None and reference.is_reached else None


def has_converged(experiment: Experiment, run: Run) -> bool:
    return bool(experiment.relative_error(run)[-1] <= THRESHOLDS.converged)


def _first(reached: NDArray[np.bool_]) -> int | None:
    found = np.flatnonzero(reached)
    return int(found[0]) if len(found) else None


def _span(run: Run, possibly: int | None, surely: int | None, unit: Unit) -> Span:
    """From the point at which it may be reached, or the end, to that at which it surely is, or infinity."""
    if unit == "seconds" and run.seconds.size == 0:
        return UNKNOWN
    least, largest = (run.iteration, run.iteration) if unit == "iterations" else _times(run)
    # Each point of a peer is a fit of its own, so the last one need not be the longest.
    low = least.max() if possibly is None else least[possibly]
    return Span(float(low), np.inf if surely is None else float(largest[surely]))


def _times(run: Run) -> tuple[Floats, Floats]:
    """Between which seconds each point lies."""
    least, largest = run.spread
    off = THRESHOLDS.one_repeat if len(run.seconds) == 1 else 1.0
    return least / off, largest * off
