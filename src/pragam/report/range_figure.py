r"""The figure of a proven range: what is known at every lam, what was solved, and the region of the best one enlarged.

The band has the proof's own cells, and between its edges the error of every exact model lies. It goes below the red
line of the best error by ``proven`` at most. The strip at the bottom has the cells in which a model as good as the best
one is not excluded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pragam.report.extras import need
from pragam.selection import ProvenRange
from pragam.selection.proven.shown import at_most, counted, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Those of :mod:`pragam.report.plot`, a paler blue, the red of the best and the green of the strip.
_BLUE, _BAND, _EDGE, _RED, _GREEN, _GREY = "#0072B2", "#bcd6ea", "#7fb0d6", "#c5221f", "#009E73", "#666666"
#: The share of the range, in octaves, that is enlarged, and the height of the strip in that of the axes.
_ZOOM, _STRIP = 0.3, 0.03
#: What is said of the best stands below its line, unless that is lower than this share of the axes.
_LOWEST = 0.12
#: Numbers that ticks of a logarithmic axis may have.
_TICKS = np.array([m * 10.0**k for k in range(-6, 1) for m in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8)])
#: On an axis of fewer octaves than these no two powers of 2 may be.
_OCTAVES = 3.0
#: With fewer of them than that, an axis is linear.
_FEWEST = 4

Array = NDArray[np.float64]


def proven_range(found: ProvenRange, axes: Any = None) -> Any:
    """Both panels, on ``axes`` (two) or on a new figure; the right one enlarges the region of the best lam."""
    if axes is None:
        kinds = {"width_ratios": [1.25, 1], "wspace": 0.16, "left": 0.075, "right": 0.935, "top": 0.8, "bottom": 0.2}
        figure, axes = need("matplotlib.pyplot").subplots(1, 2, figsize=(11, 4.5), gridspec_kw=kinds)
        _title(figure, found)
    whole, near = axes
    _panel(whole, found, found.lams)
    window = _window(found)
    _panel(near, found, window)
    _whole(whole, found, window)
    _near(near, found, window)
    return axes


def _panel(ax: Axes, found: ProvenRange, ends: tuple[float, float]) -> None:
    """Band, line, strip and points of one part of the range."""
    is_here = (found.cells.hi >= ends[0]) & (found.cells.lo <= ends[1])
    lo, hi, lower, upper = (column[is_here] for column in found.cells)
    lam = np.column_stack([lo, hi]).ravel()
    lower, upper = np.repeat(lower, 2), np.repeat(np.where(np.isfinite(upper), upper, _top(found)), 2)
    ax.fill_between(lam, lower, upper, color=_BAND, linewidth=0, zorder=2, label="the exact model's error is in here")
    for edge in (lower, upper):
        ax.plot(lam, edge, color=_EDGE, linewidth=0.6, zorder=3)
    n_points = counted(len(found.points.lam), "value")
    label = r"as good a $\lambda$ is not excluded here"
    for first, last in _strips(found, ends):
        ax.axvspan(first, last, ymax=_STRIP, color=_GREEN, linewidth=0, zorder=6, label=label)
        label = ""
    here = (found.points.lam >= ends[0]) & (found.points.lam <= ends[1])
    ax.plot(
        found.points.lam[here], found.points.error[here], "o", markersize=4, color=_BLUE, markeredgecolor="white",
        markeredgewidth=0.5, zorder=5, label=f"solved and certified ({n_points} of $\\lambda$)",
    )  # fmt: skip
    ax.axhline(found.error, color=_RED, linewidth=1, zorder=4)
    ax.set_xscale("log", base=2)
    ax.set_xlim(*_widened(*ends))
    _ticks_of_lam(ax, ends)
    ax.set_xlabel(r"$\lambda$")
    ax.grid(axis="y", color="#e8eaed", linewidth=0.7)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def _ticks_of_lam(ax: Axes, ends: tuple[float, float]) -> None:
    """Powers of 2; of a range that has next to none of these, plain numbers."""
    if np.log2(ends[1]) - np.log2(ends[0]) >= _OCTAVES:
        return
    ticker = need("matplotlib.ticker")
    ax.xaxis.set_major_locator(ticker.MaxNLocator(4))
    ax.xaxis.set_major_formatter(ticker.FuncFormatter(lambda lam, _: f"{lam:.6g}"))
    ax.xaxis.set_minor_locator(ticker.NullLocator())


def _whole(ax: Axes, found: ProvenRange, window: tuple[float, float]) -> None:
    """The left panel: the whole range, with a frame around what is enlarged."""
    ticker = need("matplotlib.ticker")
    least, most = 0.9 * max(found.cells.lower.min(), 1e-6), 1.08 * _top(found)
    ax.set_ylim(least, most)
    ticks = _TICKS[(least <= _TICKS) & (most >= _TICKS)]
    if found.cells.lower.min() > 0 and most / least > 1.5 and len(ticks) >= _FEWEST:
        ax.set_yscale("log")
        ax.set_yticks(ticks)
        ax.yaxis.set_minor_locator(ticker.NullLocator())
    ax.yaxis.set_major_formatter(_formatter(found, 0))
    ax.set_ylabel("validation error" if found.measure == "errors" else f"validation loss ({found.measure})")
    ax.axvspan(*window, facecolor="none", edgecolor="#9aa0a6", linewidth=0.9, linestyle=(0, (3, 3)), zorder=7)
    ax.legend(
        loc="upper left", bbox_to_anchor=(0.0, -0.17), ncols=3, fontsize=8.8, frameon=False, handlelength=1.4,
        borderaxespad=0.0, columnspacing=1.6,
    )  # fmt: skip


def _near(ax: Axes, found: ProvenRange, window: tuple[float, float]) -> None:
    """The right panel: the region of the best, with counts on its right side."""
    is_here = (found.cells.hi >= window[0]) & (found.cells.lo <= window[1])
    row = 1 / found.n_rows if found.measure == "errors" else found.standard_error / 8
    least = min(found.cells.lower[is_here].min(), found.error)
    upper = np.minimum(found.cells.upper[is_here], _top(found))
    most = max(float(np.quantile(upper, 0.9)), found.error + 4 * row)
    pad = max(0.12 * (most - least), 2 * row)
    ax.set_ylim(max(least - pad, 0.0 if least > 0 else -pad), most + pad)
    ax.yaxis.set_major_formatter(_formatter(found, 2))
    ax.set_title("the dashed part, enlarged", fontsize=9.5, color=_GREY, loc="left")
    said = f"best: {round(found.error * found.n_rows)} of {found.n_rows} wrong"
    said = said if found.measure == "errors" else f"best: {found.error:.5g}"
    low, high = ax.get_ylim()
    below = found.error - low > _LOWEST * (high - low)  # else it would lie on the strip
    ax.annotate(said, (0.012, found.error), xycoords=("axes fraction", "data"), xytext=(0, -11 if below else 11),
                textcoords="offset points", color=_RED, fontsize=8.8, va="center", zorder=8)  # fmt: skip
    if found.measure == "errors":
        counts = ax.secondary_yaxis("right", functions=_counted(found.n_rows))
        counts.set_ylabel(f"errors of {found.n_rows}", fontsize=8.8)
        counts.yaxis.set_major_locator(need("matplotlib.ticker").MaxNLocator(integer=True, nbins=8))
        counts.spines["right"].set_visible(False)
        counts.tick_params(length=0)


def _window(found: ProvenRange) -> tuple[float, float]:
    """What is enlarged: the best lam in its middle, as far as the range allows."""
    low, high = np.log2(found.lams)
    half = 0.5 * _ZOOM * (high - low)
    centre = min(max(np.log2(found.lam), low + half), high - half)
    return float(2.0 ** (centre - half)), float(2.0 ** (centre + half))


def _strips(found: ProvenRange, ends: tuple[float, float]) -> list[tuple[float, float]]:
    """Where an equally good lam is not excluded, neighbouring cells in one."""
    joined: list[tuple[float, float]] = []
    for first, last in zip(found.cells.lo[found.not_excluded], found.cells.hi[found.not_excluded], strict=True):
        if joined and joined[-1][1] == first:
            joined[-1] = joined[-1][0], float(last)
        else:
            joined.append((float(first), float(last)))
    return [(max(first, ends[0]), min(last, ends[1])) for first, last in joined if last > ends[0] and first < ends[1]]


def _top(found: ProvenRange) -> float:
    """The greatest number that is drawn."""
    finite = found.cells.upper[np.isfinite(found.cells.upper)]
    return float(max([*finite, found.points.error.max(), 1e-6]))


def _formatter(found: ProvenRange, decimals: int) -> Any:
    ticker = need("matplotlib.ticker")
    if found.measure != "errors":
        return ticker.ScalarFormatter()
    return ticker.FuncFormatter(lambda share, _: f"{100 * share:.{decimals}f} %" if decimals else f"{100 * share:g} %")


def _counted(n: int) -> tuple[Any, Any]:
    """From shares to counts, and back."""
    return lambda share: np.asarray(share) * n, lambda count: np.asarray(count) / n


def _title(figure: Any, found: ProvenRange) -> None:
    """What is proven, and by how much work."""
    low, high = (_power(lam) for lam in found.lams)
    of = f"No $\\lambda$ in $[{low},\\,{high}]$ "
    if found.proven == 0:
        text = of + "has a lower validation error"
    elif found.cells.lower.min() > 0:
        size = percent(found.proven, 3) if found.measure == "errors" else at_most(found.proven, 3)
        text = of + f"is better by more than {size}"
    else:
        text = f"Nothing is proven yet of the whole range $[{low},\\,{high}]$"
    trained = len(found.folds[0].train)
    rows = f"{trained} rows to train on, {found.n_rows} to validate on"
    if len(found.folds) > 1:
        rows = f"{len(found.folds)} folds of {found.n_rows} rows"
    figure.text(0.075, 0.94, text, fontsize=14, fontweight="bold")
    work = counted(found.n_solves, "solve")
    more = f"{rows}. Bounds of the exact models by {work}: the whole range, not a grid."
    figure.text(0.075, 0.885, more, fontsize=9.6, color=_GREY)


def _power(lam: float) -> str:
    exponent = np.log2(lam)
    if lam == 1:
        return "1"
    return f"2^{{{round(exponent)}}}" if lam == 2.0 ** round(exponent) else f"{lam:.3g}"


def _widened(low: float, high: float) -> tuple[float, float]:
    """Ends of an axis for these, which may be next to each other."""
    return (low, high) if high > low * (1 + 1e-9) else (0.5 * low, 2.0 * high)
