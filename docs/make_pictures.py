"""Draws the pictures of the pages: the losses, two bounds closing, a path, how to choose, a trellis, an audit.

What has numbers is computed by pragam; nothing depends on the machine. Needs the extra ``plot``.

    python docs/make_pictures.py [losses bounds path choosing trellis audit]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from sklearn.linear_model import SGDClassifier
from sklearn.svm import SVC, LinearSVC

import pragam

FIGURES = Path(__file__).resolve().parent / "figures"
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#666666"
LABELLED = 0.1  # the mass of an edge that gets its number
rcParams["svg.hashsalt"] = "pragam"  # equal pictures are equal files


def bare(axes: Axes) -> None:
    axes.set(xticks=[], yticks=[])
    axes.axis("off")


def box(axes: Axes, x: float, y: float, text: str, colour: str = "white") -> Text:
    frame = {"boxstyle": "round,pad=0.45", "facecolor": colour, "edgecolor": GREY}
    return axes.text(x, y, text, ha="center", va="center", bbox=frame, fontsize=9, zorder=3)


def losses(figure: Figure) -> None:
    """The loss of an example against its margin, its residual, its score between two thresholds."""
    margins, residuals, levels = figure.subplots(1, 3)
    m = np.linspace(-1.5, 2.5, 401)
    short = np.maximum(1 - m, 0)
    margins.plot(m, short, color=BLUE, label="hinge")
    margins.plot(m, short**2, color=ORANGE, linestyle="--", label="squared hinge")
    gamma = 0.5
    margins.plot(m, np.where(short <= gamma, short**2 / (2 * gamma), short - gamma / 2), color=GREEN, linestyle=":",
                 label="smoothed, gamma = 0.5")  # fmt: skip
    margins.set(xlabel="margin m = y f(x)", ylabel="loss", ylim=(-0.1, 3.2), title="classes")
    r = np.linspace(-2, 2, 401)
    residuals.plot(r, np.maximum(np.abs(r) - 0.5, 0), color=BLUE, label="tube, epsilon = 0.5")
    residuals.plot(r, np.maximum(0.8 * r, -0.2 * r), color=ORANGE, linestyle="--", label="quantile 0.8")
    residuals.set(xlabel="residual r = y - f(x)", ylim=(-0.1, 2.1), title="numbers")
    score, thresholds = np.linspace(-3.5, 3.5, 401), (-1.5, 1.5)
    signs = np.array([1, -1])  # the level of this example lies between the two thresholds
    every = sum(np.maximum(1 - t * (score - theta), 0) for t, theta in zip(signs, thresholds, strict=True))
    levels.plot(score, every, color=BLUE)
    for theta in thresholds:
        levels.axvline(theta, color=GREY, linewidth=0.8, linestyle=":")
    levels.set(xlabel="score <w, x>", ylim=(-0.1, 3.2), title="levels: the middle one of three")
    levels.text(0, 2.8, "thresholds dotted", fontsize="small", ha="center")
    margins.legend(frameon=False, fontsize="small", loc="upper right")
    residuals.legend(frameon=False, fontsize="small", loc="upper center")


def bounds(figure: Figure) -> None:
    """Both certified bounds of one solve, in passes over the data."""
    X, y = pragam.datasets.load_example()
    result = pragam.solve(pragam.hinge(X, y, lam=1e-3), "pragam", tol=1e-3)
    history = result.history
    both, gap = figure.subplots(1, 2)
    both.step(history.passes, history.primal, where="post", color=ORANGE, label="primal: J is at most this")
    both.step(history.passes, history.dual, where="post", color=BLUE, label="dual: no model has less")
    both.fill_between(history.passes, history.dual, history.primal, step="post", color=GREY, alpha=0.15, linewidth=0)
    J = result.certificate.primal
    both.set(xlabel="passes over the data", ylabel="objective J", ylim=(0, 4 * J), xscale="log")
    both.legend(frameon=False, fontsize="small", loc="upper right")
    pragam.plot.gap(history, gap, against="passes")
    gap.set(xscale="log")


def path(figure: Figure) -> None:
    """J and the weights along lambda, each point certified."""
    X, y = pragam.datasets.load_example()
    lams = 2.0 ** -np.arange(0, 15)
    results = pragam.path(pragam.hinge(X, y), list(lams), tol=1e-6)
    value, weights = figure.subplots(1, 2)
    value.plot(lams, [r.certificate.primal for r in results], "o-", color=BLUE, markersize=4, label="J at the optimum")
    losses = [r.certificate.primal - 0.5 * lam * float(r.w @ r.w) for r, lam in zip(results, lams, strict=True)]
    value.plot(lams, losses, "s--", color=ORANGE, markersize=3, label="mean loss alone")
    value.legend(frameon=False, fontsize="small")
    value.set(xscale="log", xlabel="lambda", ylabel="objective, certified to 1e-6")
    weights.plot(lams, np.array([r.w for r in results]), color=GREY, linewidth=0.8)
    weights.set(xscale="log", xlabel="lambda", ylabel="the 30 weights")
    for axes in (value, weights):
        axes.invert_xaxis()


def choosing(figure: Figure) -> None:
    """Which solver suits which problem: the leaves are what `auto` starts with."""
    axes = figure.add_subplot()
    bare(axes)
    axes.set(xlim=(0, 10), ylim=(0.4, 6))
    places = {
        "target": (5.0, 5.6, "What is predicted?"), "score": (2.3, 4.3, "one score a row:\nclasses, numbers, levels"),
        "labels": (6.3, 4.3, "several labels a row"), "structures": (8.9, 4.3, "sequences, graphs"),
        "small": (0.9, 2.7, "250,000 entries\nand 300 columns\nat the most?"),
        "wide": (3.0, 2.7, "many columns,\nsparse?"), "text": (6.3, 2.7, "text, or a small C?"),
        "newton-dense": (0.9, 1.0, ""), "dcd": (2.4, 1.0, ""),
        "newton": (3.6, 1.0, ""), "sequential-dual": (5.4, 1.0, ""), "proximal-newton": (7.2, 1.0, ""),
        "flow-ascent\nblock-ascent": (8.9, 1.0, ""),
    }  # fmt: skip
    boxes = {name: box(axes, x, y, text or name, "white" if text else "#DCEBF5")
             for name, (x, y, text) in places.items()}  # fmt: skip
    ways = [
        ("target", "score", ""), ("target", "labels", ""), ("target", "structures", ""), ("score", "small", ""),
        ("small", "newton-dense", "yes"), ("small", "wide", "no"), ("wide", "dcd", "yes"), ("wide", "newton", "no"),
        ("labels", "text", ""), ("text", "sequential-dual", "yes"), ("text", "proximal-newton", "no"),
        ("structures", "flow-ascent\nblock-ascent", ""),
    ]  # fmt: skip
    axes.figure.canvas.draw()  # boxes get their sizes
    for begin, end, answer in ways:
        (x0, y0, _), (x1, y1, _) = places[begin], places[end]
        ends = {"patchA": boxes[begin].get_bbox_patch(), "patchB": boxes[end].get_bbox_patch()}
        axes.annotate("", (x1, y1), (x0, y0), arrowprops={"arrowstyle": "-|>", "color": GREY, **ends})
        if answer:
            axes.text(0.5 * (x0 + x1), 0.5 * (y0 + y1), answer, color=ORANGE, fontsize=9, ha="center", va="center",
                      backgroundcolor="white", zorder=4)  # fmt: skip


def trellis(figure: Figure) -> None:
    """A unit flow on the trellis of one short sequence: the width of an edge is its mass."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((5, 3))
    truth = np.array([0, 0, 1, 2, 1])
    problem = pragam.structured.chain_hinge(X, truth, [5], lam=0.3, loss="hamming_sum")
    result = pragam.solve(problem, "flow-ascent", tol=1e-3)
    axes = figure.add_subplot()
    bare(axes)
    flow = result.alpha
    for t in range(1, 5):
        for before, label, mass in edges_of(flow, t):
            axes.plot([t - 1, t], [-before, -label], color=BLUE, linewidth=9 * mass, alpha=0.75, solid_capstyle="butt")
            if mass >= LABELLED:
                axes.text(t - 0.66, -(0.66 * before + 0.34 * label), f"{mass:.2f}", fontsize=7, ha="center",
                          va="center", bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})  # fmt: skip
    for t in range(5):
        for label in range(3):
            is_true = truth[t] == label
            axes.plot(t, -label, "o", markersize=17, markerfacecolor="#FBE3D5" if is_true else "white",
                      markeredgecolor=ORANGE if is_true else GREY)  # fmt: skip
            axes.text(t, -label, "ABC"[label], ha="center", va="center", fontsize=9)
        axes.text(t, 0.55, f"token {t + 1}", ha="center", fontsize=9, color=GREY)
    axes.set(xlim=(-0.4, 4.4), ylim=(-2.4, 0.75))


def edges_of(flow: pragam.structured.TrellisFlow, t: int) -> list[tuple[int, int, float]]:
    """(label before, label, mass) of a token."""
    some = range(int(flow.first[t]), int(flow.first[t + 1]))
    return [(int(flow.previous[k]), int(flow.label[k]), float(flow.mass[k]) / 2**30) for k in some]


def audit(figure: Figure) -> None:
    """How far some fitted models are above the optimum of what they claim to minimise: proven intervals."""
    X, y = pragam.datasets.load_example()
    models = {
        "pragam.LinearSVC()": pragam.LinearSVC(),
        'SVC(kernel="linear")': SVC(kernel="linear"),
        "LinearSVC(max_iter=10,000)": LinearSVC(loss="hinge", random_state=0, max_iter=10_000),
        "LinearSVC(), hinge": LinearSVC(loss="hinge", random_state=0),
        "LinearSVC(max_iter=100)": LinearSVC(loss="hinge", random_state=0, max_iter=100),
        "SGDClassifier(alpha=1e-3)": SGDClassifier(alpha=1e-3, random_state=0),
    }
    axes = figure.add_subplot()
    for k, model in enumerate(models.values()):
        lower, upper = pragam.audit(model.fit(X, y), X, y, tol=1e-9).relative
        axes.plot([max(lower, 1e-13), max(upper, 1e-13)], [-k, -k], color=BLUE, linewidth=5, solid_capstyle="butt")
        axes.plot(max(upper, 1e-13), -k, "|", color=BLUE, markersize=12, markeredgewidth=2)
    axes.set_yticks(-np.arange(len(models)), list(models))
    axes.axvline(1e-6, color=ORANGE, linestyle="--", linewidth=1)
    axes.text(1e-6, 0.6, " 1e-6", color=ORANGE, fontsize="small")
    axes.set(xscale="log", xlabel="proven interval of (J(model) - min J) / min J", ylim=(-len(models) + 0.4, 1.0))


PICTURES: dict[str, tuple[Callable[[Figure], None], tuple[float, float]]] = {
    "losses": (losses, (10, 3.1)),
    "bounds": (bounds, (9, 3.2)),
    "path": (path, (9, 3.1)),
    "choosing": (choosing, (9.5, 4.6)),
    "trellis": (trellis, (6.4, 3.0)),
    "audit": (audit, (7, 2.7)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(PICTURES), metavar="NAME", help=", ".join(PICTURES))
    for name in parser.parse_args().names:
        draw, size = PICTURES[name]
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        figure.savefig(FIGURES / f"{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
