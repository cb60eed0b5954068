r"""What the figures show: four families of curves for each data set, the same on paper and on the page.

    error     err_t = min over t' <= t of J(w_t') - J*. J* is known as an interval, so err_t is one too: its upper end
              J(best) - D is the curve, and the lower end is drawn where the reference has not reached its tolerance
    gap       the relative duality gap that is certified so far
    accuracy  of the best w so far on the test rows
    support   dual variables that are not zero

against iterations and against seconds. All but the accuracy compare solvers of one problem. A solver of another one
(with a bias, say) enters the figures of accuracy only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from pragam.compare import Experiment, Run
from pragam.compare.experiment import Floats
from pragam.driver.result import Status

Axis = Literal["iterations", "seconds"]
AXES: tuple[Axis, ...] = ("iterations", "seconds")


@dataclass(frozen=True)
class Family:
    """A kind of curve. ``ends`` returns the lower end (or None) and the value at each point of a run."""

    key: str
    title: str
    label: str  # of the vertical axis
    is_log: bool
    drawn: tuple[Axis, ...]  # the axes of the printed figures; the page has both
    any_problem: bool
    lacks: str  # what is said of runs without a value
    ends: Callable[[Experiment, Run], tuple[Floats | None, Floats]]


@dataclass(frozen=True)
class Curve:
    """The points of a run that can be drawn, by increasing iterations. ``lower``: the other end of an interval."""

    solver: str
    is_peer: bool
    iterations: Floats
    seconds: Floats
    fastest: Floats
    slowest: Floats
    value: Floats
    lower: Floats | None
    repeats: int

    def x(self, axis: Axis) -> Floats:
        return self.iterations if axis == "iterations" else self.seconds

    def take(self, chosen: np.ndarray) -> Curve:
        """The chosen points, by a mask or by their numbers."""
        columns = ("iterations", "seconds", "fastest", "slowest", "value")
        taken = {name: getattr(self, name)[chosen] for name in columns}
        return replace(self, **taken, lower=None if self.lower is None else self.lower[chosen])


def _error(experiment: Experiment, run: Run) -> tuple[Floats | None, Floats]:
    lower, upper = experiment.error(run)
    reference = experiment.reference(run)
    return (None if reference is None or reference.is_reached else lower), upper


FAMILIES = (
    Family("error", "Distance to the optimum", "err = min J(w) − J*", True, AXES, False,
           "No optimum to compare with", _error),
    Family("gap", "Certified gap", "relative duality gap", True, ("seconds",), False,
           "Certifies nothing itself", lambda experiment, run: (None, run.gap)),
    Family("accuracy", "Test accuracy", "test accuracy", False, AXES, True,
           "Accuracy not measured", lambda experiment, run: (None, run.accuracy)),
    Family("support", "Support vectors", "support vectors", True, ("iterations",), False,
           "Support vectors not counted", lambda experiment, run: (None, run.support)),
)  # fmt: skip


def main_problem(experiment: Experiment, data: str) -> str:
    """The problem whose solvers are compared: the first without a bias, else the first."""
    problems = [run.problem for run in experiment.runs if run.data == data]
    return min(problems, key=lambda problem: "with a bias" in problem, default="hinge")


def curves(experiment: Experiment, data: str, family: Family) -> list[Curve]:
    """One curve for each run of the data set that has a value to show."""
    problem = main_problem(experiment, data)
    runs = [run for run in experiment.runs if run.data == data and (family.any_problem or run.problem == problem)]
    found = [_curve(experiment, run, family) for run in runs if run.has_points]
    return [curve for curve in found if len(curve.value)]


def _curve(experiment: Experiment, run: Run, family: Family) -> Curve:
    lower, value = family.ends(experiment, run)
    shown = np.isfinite(value) & ((value > 0) | (not family.is_log))
    whole = Curve(run.solver, run.is_peer, run.iteration, run.clock, *run.spread, value, lower, len(run.seconds))
    return whole.take(shown)


def domain(family: Family, shown: list[Curve]) -> tuple[float, float]:
    """The ends of the vertical axis."""
    if not shown:
        return (0.1, 1.0)
    values = np.concatenate([curve.value for curve in shown])
    low, high = float(values.min()), float(values.max())
    if family.is_log:
        return _with_room(low, high)
    last = min(float(curve.value[-1]) for curve in shown)
    low = max(low, min(high - 0.1, last))  # the first steps would press the rest into a line
    room = 0.04 * (high - low) or 0.01
    return (low - room, high + room)


def x_domain(shown: list[Curve], axis: Axis) -> tuple[float, float]:
    """The ends of the horizontal axis, which is logarithmic."""
    values = np.concatenate([curve.x(axis) for curve in shown]) if shown else np.empty(0)
    values = values[np.isfinite(values) & (values > 0)]
    if not len(values):
        return (1.0, 10.0)
    return _with_room(float(values.min()), float(values.max()))


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Powers of ten for a logarithmic axis, evenly spaced; none if there are fewer than two."""
    first, last = int(np.ceil(np.log10(low))), int(np.floor(np.log10(high)))
    step = max(1, -(-(last - first + 1) // most))
    powers = [power for power in range(first, last + 1) if power % step == 0]
    return [10.0**power for power in powers] if len(powers) > 1 else []


def _with_room(low: float, high: float) -> tuple[float, float]:
    """A logarithmic axis that ends a little beyond the values, and spans a factor of 3 at least."""
    ratio = high / low
    room = max(ratio**0.03, (3 / ratio) ** 0.5)
    return low / room, high * room


def notes(experiment: Experiment, data: str, family: Family) -> list[str]:
    """What a reader of a chart of this family must know: who is missing and why, how well J* is known."""
    problem = main_problem(experiment, data)
    drawn = {curve.solver for curve in curves(experiment, data, family)}
    missing = [run for run in experiment.runs if run.data == data and run.has_points and run.solver not in drawn]
    found = _grouped((_why_missing(run, problem, family), run.solver) for run in missing)
    reference = experiment.references.get((data, problem))
    if family.key == "error" and reference is not None and not reference.is_reached:
        found.append(
            f"J* is proved to a relative gap of {reference.relative_gap:.1e} only: err is the shaded interval."
        )
    return found


def _why_missing(run: Run, problem: str, family: Family) -> str:
    if run.problem != problem and not family.any_problem:
        return f"Solves another problem ({run.problem}), so only its accuracy is compared"
    return family.lacks


def endings(experiment: Experiment, data: str) -> list[str]:
    """Which runs on the data set have no points, or ended before their tolerance, and why."""
    runs = [run for run in experiment.runs if run.data == data and run.status != Status.CONVERGED.value]
    return _grouped((_ending(run), run.solver) for run in runs)


def _ending(run: Run) -> str:
    said = run.status.strip().rstrip(".")
    return said if run.has_points else f"No points ({said or 'no reason given'})"


def _grouped(remarks: Iterable[tuple[str, str]]) -> list[str]:
    """One sentence for each remark, with the names of all that it is about."""
    said: dict[str, list[str]] = {}
    for remark, name in remarks:
        said.setdefault(remark, []).append(name)
    return [f"{remark}: {', '.join(names)}." for remark, names in said.items() if remark]
