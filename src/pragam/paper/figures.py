"""The paper's theory as pictures: what :mod:`pragam.paper.theory` measures, drawn. Needs the extra ``plot``.

    python -m pragam.paper.figures FOLDER        # lower_bound.svg, pragam_rate.svg, median_search.svg

Each function returns a Matplotlib ``Figure``. No pyplot, so nothing is opened or kept.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pragam.files.atomic import replacing
from pragam.paper.theory._curves import (
    BoxQP,
    Round,
    example_qp,
    lower_bound_curves,
    median_rounds,
    pragam_curve,
    vertex_start,
)
from pragam.paper.theory._instances import hadamard_problem
from pragam.report import Picture
from pragam.report.extras import need
from pragam.report.styles import OURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Colour, line width and marker; wide lines lie under thin ones where two solvers take the same steps.
_SOLVERS = {
    "qp-bmrm": (OURS["qp-bmrm"].light, 6.0, ""),
    "ls-bmrm": (OURS["ls-bmrm"].light, 3.0, ""),
    "pegasos-n": (OURS["pegasos-n"].light, 1.8, ""),
    "pegasos-n, raw": (OURS["pegasos-n"].light, 0.0, "o"),
    "pragam": (OURS["pragam"].light, 2.2, ""),
}
_BOUND = {"color": "#111111", "linestyle": (0, (4, 2)), "linewidth": 1.3}


def lower_bound(d: int = 64, lam: float = 0.1) -> Figure:
    """The corrected instance of the lower bound: the errors of three solvers, and the gaps they can prove."""
    curves = lower_bound_curves(d, lam, 2 * d)
    figure, (left, right) = _figure(10.4, 4.3, columns=2)
    for axes, values in ((left, curves.error), (right, curves.proved)):
        for name, value in values.items():
            colour, width, marker = _SOLVERS[name]
            shown = value > 1e-9 * curves.bound[0]  # the rest is rounding: exact
            if marker:
                shown &= np.isin(curves.t, 2.0 ** np.arange(20))
            axes.plot(curves.t[shown], value[shown], marker, color=colour, linewidth=width, markersize=6, label=name)
        axes.plot(curves.t, curves.bound, **_BOUND, label="1/(2λt)")
        axes.axvline(d, color="#999999", linewidth=0.8)
        axes.set(xscale="log", yscale="log", xlabel="iteration t", ylim=(0.4 * curves.bound[-1], 3 * curves.bound[0]))
        exact = [name for name, value in values.items() if value[-1] <= 1e-9 * curves.bound[0]]
        note = f"exact from t = d = {d} on:\n{'; '.join(exact)}"
        axes.text(d * 0.93, 0.48 * curves.bound[-1], note, ha="right", va="bottom", color="#555555")
        axes.legend(loc="upper right", framealpha=1, edgecolor="none")
    left.axhline(1 / (2 * lam * d), color="#999999", linewidth=0.8)
    left.text(1, 1.06 / (2 * lam * d), "J(0) − J(w*) = 1/(2λd)", va="bottom", color="#555555")
    left.set_title("error of the own iterates $w_1 … w_t$", loc="left")
    left.set_ylabel("min $J(w_{t'})$ − $J(w^*)$")
    right.set_title("gap proved by the columns seen, $w_0$ counted", loc="left")
    right.set_ylabel("$ε_t$ = min $J(w_{t'})$ − max $D(α_{t'})$")
    return figure


def pragam_rate(d: int = 64, lam: float = 0.1, steps: int = 300) -> Figure:
    """PRAGAM on the same instance, from the centre of Q and from a vertex, against 4 L D_2/((k+1)(k+2))."""
    problem = hadamard_problem(d, lam)
    figure, both = _figure(10.4, 4.0, columns=2)
    starts = (("from its own centre, which is optimal here", None), ("from a vertex", vertex_start(problem)))
    for axes, (title, start) in zip(both, starts, strict=True):
        curve = pragam_curve(problem, steps, start)
        colour, width, _ = _SOLVERS["pragam"]
        axes.plot(curve.k + 1, curve.gap, color=colour, linewidth=width, label="pragam, L given")
        axes.plot(curve.k + 1, curve.bound, **_BOUND, label="4 L D₂/((k+1)(k+2))")
        axes.set(xscale="log", yscale="log", xlabel="k + 1", ylabel="$J(w_k)$ − $D(α_k)$")
        axes.set_title(title, loc="left")
        axes.legend(loc="upper right", frameon=False)
        if (largest := float(curve.gap.max())) < 1e-9 * curve.bound[0]:
            axes.text(1, 3 * largest, f"{largest:.0e}: rounding", va="bottom", color="#555555")
    return figure


def median_search(qp: BoxQP | None = None) -> Figure:
    """Algorithm 2: the pieces h_i, their sum f with its kinks, and the brackets that the medians leave."""
    qp = qp or example_qp()
    rounds = median_rounds(qp)
    margin = 0.12 * float(np.ptp(qp.kinks))
    ends = float(qp.kinks[0]) - margin, float(qp.kinks[-1]) + margin
    figure, (pieces, total, brackets) = _figure(8.6, 8.0, rows=3)
    _draw_pieces(pieces, qp, np.linspace(*ends, 500))
    _draw_sum(total, qp, np.linspace(*ends, 500))
    _draw_rounds(brackets, rounds, ends)
    for axes in (pieces, total, brackets):
        axes.axvline(qp.root, color="#ff5020", linewidth=1.2, zorder=0)
        axes.set_xlim(*ends)
    brackets.set_xlabel("multiplier λ of the plane")
    return figure


def _draw_pieces(axes: Axes, qp: BoxQP, t: np.ndarray) -> None:
    for lower, upper, dbar2, h in zip(qp.lower, qp.upper, qp.dbar2, qp.pieces(t), strict=True):
        (line,) = axes.plot(t, h, linewidth=1.5)
        axes.plot([dbar2 * lower, dbar2 * upper], [lower, upper], "o", color=line.get_color(), markersize=4)
    axes.set_title(
        "the pieces $h_i(λ)$: from $l'_i$ to $u'_i$, kinks at $\\bar d_i^2 l'_i$ and $\\bar d_i^2 u'_i$", loc="left"
    )


def _draw_sum(axes: Axes, qp: BoxQP, t: np.ndarray) -> None:
    axes.plot(t, qp.f(t), color="#111111", linewidth=1.6)
    axes.plot(qp.kinks, qp.f(qp.kinks), "o", color="#111111", markersize=4)
    axes.axhline(0, color="#999999", linewidth=0.8)
    axes.annotate(
        f"root {qp.root:.3f}", (qp.root, 0), xytext=(10, -22), textcoords="offset points", color="#c03000"
    )  # fmt: skip
    axes.set_title("$f(λ) = h_1(λ) + … + h_n(λ) − z'$: never falls, linear between kinks", loc="left")


def _draw_rounds(axes: Axes, rounds: list[Round], ends: tuple[float, float]) -> None:
    for number, found in enumerate(rounds, start=1):
        low, high = max(found.low, ends[0]), min(found.high, ends[1])
        axes.plot([low, high], [number, number], color="#9fc3d1", linewidth=9, solid_capstyle="butt", zorder=1)
        axes.plot(found.kinks, np.full(len(found.kinks), number), "|", color="#32687a", markersize=9, zorder=2)
        axes.plot([found.median], [number], "D", color="#5604b7", markersize=6, zorder=3)
    axes.plot([], [], "D", color="#5604b7", label="median")
    axes.plot([], [], "|", color="#32687a", markersize=9, label="kinks left")
    axes.legend(loc="lower left", frameon=False)
    axes.set(ylim=(len(rounds) + 0.7, 0.4), yticks=range(1, len(rounds) + 1), ylabel="round")
    axes.set_title(
        "the bracket, halved in kinks by each median; the last one holds no kink, and f is linear in it", loc="left"
    )


def _figure(width: float, height: float, rows: int = 1, columns: int = 1) -> tuple[Figure, Any]:
    """An empty figure with light axes, and its axes."""
    figure = need("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")
    all_axes = figure.subplots(rows, columns, sharex=rows > 1)
    for axes in np.ravel(all_axes):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="#e4e4e4", linewidth=0.6)
        axes.set_axisbelow(True)
    return figure, all_axes


#: By the names of their files, with captions.
FIGURES: dict[str, tuple[str, Callable[[], Figure]]] = {
    "lower_bound": ("Errors and proved gaps on the corrected lower-bound instance, against 1/(2λt).", lower_bound),
    "pragam_rate": ("PRAGAM on the same instance, from the centre and from a vertex, against its bound.", pragam_rate),
    "median_search": ("Algorithm 2: the pieces, their sum, and the brackets of the median search.", median_search),
}


def pictures() -> list[Picture]:
    """Captions and figures, as the page of an experiment takes them."""
    return [Picture(caption, draw()) for caption, draw in FIGURES.values()]


def write(folder: Path, formats: Iterable[str] = ("svg",)) -> list[Path]:
    """All figures as files in the folder. The same figure gives the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = {name: draw() for name, (_, draw) in FIGURES.items()}  # the first says it if Matplotlib is missing
    import matplotlib

    written = []
    for name, figure in figures.items():
        for kind in formats:
            path = folder / f"{name}.{kind}"
            metadata = {"Date": None} if kind == "svg" else {}
            with matplotlib.rc_context({"svg.hashsalt": name}), replacing(path) as stream:
                figure.savefig(stream, format=kind, dpi=150, metadata=metadata)
            written.append(path)
    return written


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: python -m pragam.paper.figures FOLDER", file=sys.stderr)
        return 2
    try:
        for path in write(Path(arguments[0])):
            print(path)
    except (ImportError, OSError) as error:
        print(f"pragam.paper.figures: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
