"""Figures, by matplotlib (the extra ``plot``). Each function draws on ``ax``, or on a new figure; it returns the Axes.

Nothing is computed here but what is drawn: gaps and bounds are those of certificates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pragam.driver.result import History, Result
from pragam.report.extras import need
from pragam.report.heat_map import heat_map, pairs
from pragam.selection import Tuning

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Two colours that people with any colour vision can tell apart, and a grey (Okabe and Ito, 2008).
_BLUE, _ORANGE, _GREY = "#0072B2", "#D55E00", "#666666"
#: With more problems than this, their names are not written.
_MOST_NAMES = 40
#: With more classes than this, their colours would repeat themselves.
_MOST_BARS = 10


def gap(history: Any, ax: Axes | None = None, *, against: str = "seconds") -> Axes:
    r"""The certified gap J_t - D_t, and what each bound contributes to it, J_t - J* and J* - D_t, all over \|J_T\|.

    J_T and D_T are the last bounds, and J* is taken to be in their middle. So the lines of the two bounds end at half
    of the last gap, and say little near it.

    Parameters
    ----------
    history : History, or what has one: a Result, a fitted estimator
    against : "seconds", "passes" or "iteration"
    """
    found: History = getattr(history, "history_", getattr(history, "history", history))
    if against not in ("seconds", "passes", "iteration"):
        raise ValueError(f"against must be 'seconds', 'passes' or 'iteration', not {against!r:.40}")
    if len(found) == 0:
        raise ValueError("history is empty: the solve was interrupted before anything was certified")
    x, ax = np.asarray(getattr(found, against), dtype=np.float64), _axes(ax)
    middle = 0.5 * found.primal[-1] + 0.5 * found.dual[-1]
    size = max(abs(found.primal[-1]), np.finfo(float).tiny)
    lines = (
        ("gap J - D", found.gap, _BLUE, "-"),
        ("upper bound J - J*", found.primal - middle, _ORANGE, "--"),
        ("lower bound J* - D", middle - found.dual, _GREY, ":"),
    )
    for name, values, colour, style in lines:
        relative = np.where(np.isfinite(values) & (values > 0), values / size, np.nan)
        ax.plot(x, relative, style, color=colour, label=name, drawstyle="steps-post")
    ax.set_yscale("log")
    ax.set_xlabel({"seconds": "seconds", "passes": "passes over the data", "iteration": "iterations"}[against])
    ax.set_ylabel("certified, relative to J")
    ax.legend(frameon=False)
    return ax


def path(
    table: Tuning | Mapping[str, Sequence[float]] | Sequence[Result],
    ax: Axes | None = None,
    *,
    lams: Sequence[float] | None = None,
) -> Axes:
    """What changes with lam: the validation accuracy with its standard errors, and the number of support vectors.

    Parameters
    ----------
    table : Tuning, its ``columns()``, or the Results of :func:`pragam.path`
        Results have no accuracy: their dual variables and coefficients that are not zero are drawn alone.
    lams : numbers, needed with Results
    """
    ax = _axes(ax)
    if isinstance(table, (Tuning, Mapping)):
        columns = table.columns() if isinstance(table, Tuning) else table
        _accuracy(ax, *(np.asarray(columns[name], dtype=np.float64) for name in ("lam", "accuracy", "error")))
        if isinstance(table, Tuning) and table.support is not None:
            _counts(ax.twinx(), table.lam, {"support vectors": table.support})
    else:
        results = list(table)
        if lams is None or len(lams) != len(results):
            raise ValueError(f"lams must hold the lam of each of the {len(results)} results")
        duals = np.array([np.count_nonzero(result.alpha) for result in results])
        weights = np.array([np.count_nonzero(result.w) for result in results])
        _counts(
            ax, np.asarray(lams, dtype=np.float64), {"nonzero dual variables": duals, "nonzero coefficients": weights}
        )
    ax.set_xscale("log")
    ax.set_xlabel(r"$\lambda$")
    return ax


def coefficients(model: Any, feature_names: Sequence[str] | None = None, top: int = 20, ax: Axes | None = None) -> Axes:
    """The ``top`` largest coefficients by their absolute value; with several classes, by the largest over the classes.
    More than ten classes make a heat map.

    Names are ``feature_names``, or the columns or features that the model was fitted with, or x0, x1, ...
    """
    if not hasattr(model, "coef_"):
        raise ValueError(f"{type(model).__name__} has no coefficients")
    coef, ax = _dense(model.coef_), _axes(ax)
    names = _names(model, feature_names, coef.shape[1])
    shown = np.argsort(-np.abs(coef).max(axis=0), kind="stable")[:top][::-1]  # the largest on top
    left = f"{len(names) - len(shown)} smaller ones not shown" if len(names) > len(shown) else ""
    if len(coef) > _MOST_BARS:
        heat_map(ax, [names[j] for j in shown[::-1]], _outputs(model), coef[:, shown[::-1]].T)
        ax.set_xlabel(left)
        return ax
    place, K = np.arange(len(shown)), len(coef)
    for k, row in enumerate(coef):
        colour = [_BLUE if value >= 0 else _ORANGE for value in row[shown]] if K == 1 else f"C{k % 10}"
        label = None if K == 1 else _outputs(model)[k]
        ax.barh(place + (K - 1 - 2 * k) * 0.4 / K, row[shown], height=0.8 / K, color=colour, label=label)
    ax.axvline(0.0, color=_GREY, linewidth=0.8)
    ax.set_yticks(place, [names[j] for j in shown])
    ax.set_xlabel(", ".join(filter(None, ["coefficient", left])))
    if K > 1:
        ax.legend(title="class" if hasattr(model, "classes_") else None, frameon=False)
    return ax


def transitions(model: Any, ax: Axes | None = None) -> Axes:
    """The weights of pairs of neighbouring labels as a heat map, the first label of a pair by row.

    Of sequences these are the transitions, with the starts above and the ends beside them, grey where the rules forbid
    them; of graphs what every edge has, from its first node to its second.
    """
    rows, columns, table = pairs(model)
    ax = _axes(ax)
    heat_map(ax, rows, columns, table)
    is_graph = hasattr(model, "pairwise_")
    ax.set_ylabel("label of an edge's first node" if is_graph else "label before")
    ax.set_xlabel("label of its second node" if is_graph else "label after")
    return ax


def certificates(model: Any, ax: Axes | None = None) -> Axes:
    """The certified relative gap of each of the model's problems, and the tolerance that was asked for."""
    gaps = np.array([proof.relative_gap for proof in model.certificates_])
    ax = _axes(ax)
    tol = model.model_.settings.get("tol", model.tol)  # of sklearn.svm the gap that its tol means
    place, is_within = np.arange(len(gaps)), gaps <= tol
    least = 0.1 * min([value for value in (*gaps, tol) if value > 0], default=1e-16)
    for mask, colour, label in ((is_within, _BLUE, "certified"), (~is_within, _ORANGE, "not certified")):
        if mask.any():
            ax.plot(np.maximum(gaps[mask], least), place[mask], "o", color=colour, label=label)
    if tol > 0:
        ax.axvline(tol, color=_GREY, linestyle="--", linewidth=1, label=f"tol = {tol:g}")
    ax.set_xscale("log")
    ax.set_xlabel("certified relative gap")
    ax.set_ylim(len(gaps) - 0.5, -0.5)
    if len(gaps) <= _MOST_NAMES:
        ax.set_yticks(place, _problem_names(model, gaps))
    ax.legend(frameon=False)
    return ax


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    drawn: Axes = need("matplotlib.pyplot").subplots(layout="constrained")[1]
    return drawn


def _accuracy(ax: Axes, lam: NDArray[Any], accuracy: NDArray[Any], error: NDArray[Any]) -> None:
    order = np.argsort(lam)
    lam, accuracy, error = lam[order], 100 * accuracy[order], 100 * error[order]
    ax.errorbar(lam, accuracy, yerr=error, fmt="o-", color=_BLUE, capsize=2, markersize=4, linewidth=1)
    best = len(lam) - 1 - int(np.argmax(accuracy[::-1]))
    least = accuracy[best] - error[best]
    ax.axhline(least, color=_GREY, linestyle=":", linewidth=1, label="best, less one standard error")
    ax.plot(lam[best], accuracy[best], "o", color=_BLUE, markersize=9, fillstyle="none")
    ax.set_ylabel("validation accuracy, %", color=_BLUE)
    ax.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0))  # above the axes: the curves fill them


def _counts(ax: Axes, lam: NDArray[Any], counts: Mapping[str, NDArray[Any]]) -> None:
    order = np.argsort(lam)
    for (name, values), colour in zip(counts.items(), (_ORANGE, _GREY), strict=False):
        ax.plot(lam[order], values[order], "s--", color=colour, markersize=3, linewidth=1, label=name)
    ax.set_ylim(bottom=0)
    if len(counts) == 1:
        ax.set_ylabel(next(iter(counts)), color=_ORANGE)
    else:
        ax.set_ylabel("count")
        ax.legend(frameon=False)


def _dense(coef: Any) -> NDArray[np.float64]:
    """The coefficients as rows; they are sparse after ``sparsify``."""
    return np.atleast_2d(coef if isinstance(coef, np.ndarray) else coef.toarray())


def _names(model: Any, feature_names: Sequence[str] | None, d: int) -> list[str]:
    names = getattr(model, "feature_names_in_", None) if feature_names is None else feature_names
    own = getattr(model, "feature_names_", None)
    if names is None and own is not None and len(own) == d:  # with a kernel, coefficients are not those of features
        names = own
    if names is None:
        return [f"x{j}" for j in range(d)]
    if len(names) != d:
        raise ValueError(f"feature_names must hold {d} names, not {len(names)}")
    return [str(name) for name in names]


def _outputs(model: Any) -> list[str]:
    """The names of the scores of a row, as the record of the risk gives them."""
    own = getattr(model, "model_", None)
    return [str(label) for label in model.classes_] if own is None else own.risk.outputs(own.labels)


def _problem_names(model: Any, gaps: NDArray[np.float64]) -> list[str]:
    """An infinite gap has no place on the axis, so its name says so."""
    own, n = getattr(model, "model_", None), len(gaps)
    names = [f"problem {k}" for k in range(n)] if own is None else own.risk.parts(own.labels)
    names = ["model"] if n == 1 else names
    return [name if np.isfinite(gap) else f"{name}: no bound" for name, gap in zip(names, gaps, strict=True)]
