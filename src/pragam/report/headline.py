"""The one picture that makes the point: error and certified gap against time, ours and the peers'."""

from __future__ import annotations

import textwrap
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from pragam.compare import Experiment, Run
from pragam.compare.experiment import Floats
from pragam.report.families import FAMILIES, Curve, curves, domain, x_domain
from pragam.report.figures import blank, legend, legend_width, place, put
from pragam.report.panels import draw
from pragam.report.styles import styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL = (3.3, 2.8)
_LEFT, _BETWEEN, _TOP, _BOTTOM = 0.75, 0.8, 0.85, 0.55


def _relative_error(experiment: Experiment, run: Run) -> tuple[Floats | None, Floats]:
    """err over J*; its lower end too where the reference has not reached its tolerance."""
    reference, upper = experiment.reference(run), experiment.relative_error(run)
    if reference is None or reference.is_reached:
        return None, upper
    return experiment.error(run)[0] / reference.primal, upper


_BY_KEY = {family.key: family for family in FAMILIES}
_PANELS = (
    (replace(_BY_KEY["error"], label="(J(w) − J*) / J*", ends=_relative_error), "how far w is from the optimum"),
    (replace(_BY_KEY["gap"], label="relative duality gap"), "what the solver can prove about that"),
)


def headline(experiment: Experiment, data: str, solvers: Collection[str] | None = None) -> Figure:
    """Two panels against seconds: how far w is from the optimum, and what the solver can prove about that.

    Parameters
    ----------
    experiment : Experiment
        What was measured.
    data : str
        The data set.
    solvers : collection of str, optional
        Those to draw; all by default.
    """
    if data not in experiment.data:
        raise ValueError(f"data must be one of {', '.join(experiment.data)}; got {data!r}")
    look, facts = styles(experiment), experiment.data[data]
    shown = [_chosen(curves(experiment, data, family), solvers) for family, _ in _PANELS]
    sheet = blank(_LEFT + _PANEL[0] + _BETWEEN + _PANEL[0] + 0.2 + legend_width(look), _TOP + _PANEL[1] + _BOTTOM)
    put(sheet, 0.12, 0.2, f"Linear SVM on {facts.title}", size=12, weight="bold")
    put(sheet, 0.12, 0.42, facts.caption, size=8.5, color="#444444")
    for number, (family, title) in enumerate(_PANELS):
        left = _LEFT + number * (_PANEL[0] + _BETWEEN)
        axes = place(sheet, left, _TOP, *_PANEL)
        draw(axes, shown[number], family, "seconds", look)
        axes.set_xlim(*x_domain(shown[0] + shown[1], "seconds"))  # the same in both, to read a proof against the truth
        axes.set_ylim(*domain(family, shown[0] + shown[1]))
        put(sheet, left, _TOP - 0.16, title, size=9.5)
    names = list(dict.fromkeys(curve.solver for curve in shown[0] + shown[1]))
    proving = {curve.solver for curve in shown[1]}
    if silent := [name for name in names if name not in proving]:
        _say(axes, "prove nothing: " + ", ".join(silent))
    legend(sheet, names, look, _LEFT + 2 * _PANEL[0] + _BETWEEN + 0.2, _TOP)
    return sheet


def _chosen(shown: list[Curve], solvers: Collection[str] | None) -> list[Curve]:
    return [curve for curve in shown if solvers is None or curve.solver in solvers]


def _say(axes: Axes, text: str) -> None:
    """A remark at the upper edge of the panel, above a gap of 1."""
    text = textwrap.fill(text, 46)
    axes.text(
        0.98, 0.98, text, transform=axes.transAxes, va="top", ha="right", size=7.5, color="#444444", parse_math=False
    )
