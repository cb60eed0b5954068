"""One panel of a printed figure: the curves of a family on a data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pragam.report.extras import need
from pragam.report.families import Axis, Curve, Family, domain, x_domain
from pragam.report.styles import Style
from pragam.report.thinning import marked, thinned

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_COLUMNS = 200  # of four points each: more than a printed line shows
_LINE = 1.4
_MARKER = 4.6
_GRID = "#e2e2e2"
_INK = "#222222"


def draw(axes: Axes, shown: list[Curve], family: Family, axis: Axis, look: dict[str, Style]) -> None:
    """All curves, with the spread over repeats and the interval of err where there is one."""
    for curve in (thinned(curve, _COLUMNS) for curve in reversed(shown)):  # the first on top
        style = look[curve.solver]
        _bands(axes, curve, axis, style)
        _line(axes, curve, axis, style)
    _dress(axes, family, axis)
    axes.set_xlim(*x_domain(shown, axis))
    axes.set_ylim(*domain(family, shown))
    if not shown:
        axes.text(0.5, 0.5, "nothing to draw", transform=axes.transAxes, ha="center", va="center", color=_INK)


def handle(style: Style) -> Line2D:
    """The sample of a solver's line for a legend."""
    lines = need("matplotlib.lines")
    return lines.Line2D([], [], **_appearance(style))


def _appearance(style: Style) -> dict[str, Any]:
    face = "white" if style.is_hollow else style.light
    size = 1.7 * _MARKER if style.marker == "*" else _MARKER  # a star has little area
    return {
        "color": style.light, "linewidth": _LINE, "linestyle": (0, style.dash) if style.dash else "-",
        "marker": style.marker, "markersize": size, "markerfacecolor": face, "markeredgecolor": style.light,
        "markeredgewidth": 1.1,
    }  # fmt: skip


def _line(axes: Axes, curve: Curve, axis: Axis, style: Style) -> None:
    x = curve.x(axis)
    on = x > 0
    markers = np.flatnonzero(np.isin(np.flatnonzero(on), marked(x)))
    axes.plot(x[on], curve.value[on], markevery=list(markers), zorder=2.5, **_appearance(style))


def _bands(axes: Axes, curve: Curve, axis: Axis, style: Style) -> None:
    on = curve.x(axis) > 0
    if axis == "seconds" and curve.repeats > 1:
        axes.fill_betweenx(
            curve.value[on], curve.fastest[on], curve.slowest[on], color=style.light, alpha=0.2, linewidth=0
        )
    if curve.lower is not None:
        low = np.maximum(curve.lower[on], np.finfo(float).tiny)  # err may be 0 as far as we know: down to the axis
        axes.fill_between(curve.x(axis)[on], low, curve.value[on], color=style.light, alpha=0.12, linewidth=0)


def _dress(axes: Axes, family: Family, axis: Axis) -> None:
    ticker = need("matplotlib.ticker")
    axes.set_xscale("log")
    axes.set_xlabel(axis, color=_INK, fontsize=9)
    axes.set_ylabel(family.label, color=_INK, fontsize=9)
    if family.is_log:
        axes.set_yscale("log")
    else:
        axes.yaxis.set_major_formatter(ticker.PercentFormatter(1.0))
    axes.grid(True, which="major", color=_GRID, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", labelsize=8, color="#999999", labelcolor=_INK)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
