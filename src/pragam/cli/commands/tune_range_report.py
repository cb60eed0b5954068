"""The report of ``pragam tune --prove``: tables, or one JSON object."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from pragam.cli.commands import leave_out
from pragam.cli.commands.training import Trained
from pragam.cli.output import show_json
from pragam.cli.table import show
from pragam.risks.scaling import c_of
from pragam.selection import ProvenRange
from pragam.selection.proven.shown import at_least, at_most, percent

#: The rows of the table at most.
_ROWS = 12


def as_table(found: ProvenRange, trained: Trained | None, data: Any, args: argparse.Namespace, is_good: bool) -> None:
    """The bounds in some parts of the range, what is proven, and the model."""
    n, (low, high) = data.samples.n, found.lams
    is_count = found.measure == "errors"
    header = ("lam", "exact models at least", "best solved", "at most", "solved")
    parts = f"{len(found.folds)} folds of {n} rows" if len(found.folds) > 1 else (
        f"{len(found.folds[0].train)} rows trained on, {found.n_rows} validated on")  # fmt: skip
    what = f"wrong predictions of {found.n_rows}" if is_count else f"mean losses ({found.measure})"
    show(f"pragam tune: {what}; {parts}", header, (
        (f"{first:.3g} .. {last:.3g}", *_entries(values, found), str(count))
        for first, last, values, count in _summary(found)
    ))  # fmt: skip
    size = percent(found.proven, 4) if is_count else at_most(found.proven, 5)
    asked = f"{100 * found.asked:.4g} %" if is_count else f"{found.asked:.5g}"
    rows = [
        ("best lam", f"{found.lam:.6g}  (C = {c_of(found.lam, n):.6g}), error {_number(found.error, found)}"),
        ("proven", f"no lam from {low:.4g} to {high:.4g} is better by more than {size} (asked: {asked})"),
        ("that is", found.remark),
        ("work", f"{found.n_solves} solves, {len(found.cells.lo)} cells, {found.seconds:.1f} s"),
    ]
    if trained is not None:
        rows += [("model", f"{args.output}: {n} rows at the best lam, relative gap {_gap(trained):.2e}")]
    else:
        rows += [("model", "not written (-o MODEL writes it)")]
    show("proven" if is_good else "not proven", (), rows + leave_out.rows(args))


def as_json(found: ProvenRange, trained: Trained | None, data: Any, args: argparse.Namespace, is_good: bool) -> None:
    """All of it as one JSON object, with every number in full."""
    show_json({
        "certified": is_good,
        "data": args.data,
        **found.to_json(),
        "C": c_of(found.lam, data.samples.n),
        "n_folds": len(found.folds),
        "model": args.output,
        "model_relative_gap": None if trained is None else _gap(trained),
        "leave_one_out": leave_out.record(args),
    })  # fmt: skip


def _summary(found: ProvenRange) -> Iterator[tuple[float, float, tuple[float, float, float], int]]:
    """(from, to, (least, best solved, most), solved) of some parts of the range, equal on the scale of powers."""
    cells, points = found.cells, found.points
    ends = np.geomspace(*found.lams, min(_ROWS, len(cells.lo)) + 1)
    ends[0], ends[-1] = found.lams
    for first, last in pairwise(ends.tolist()):
        here = (cells.lo < last) & (cells.hi > first)
        at = (points.lam >= first) & (points.lam <= last)
        best = points.error[at].min() if at.any() else np.nan
        yield first, last, (cells.lower[here].min(), best, cells.upper[here].max()), int(at.sum())


def _entries(values: tuple[float, float, float], found: ProvenRange) -> tuple[str, str, str]:
    """(least, best solved, most) as the table has them, bounds rounded outward."""
    least, best, most = values
    if found.measure != "errors":
        return at_least(least, 5), "" if np.isnan(best) else f"{best:.5g}", at_most(most, 5)
    m = found.n_rows
    return str(round(least * m)), "" if np.isnan(best) else str(round(best * m)), str(round(most * m))


def _number(value: float, found: ProvenRange) -> str:
    if found.measure != "errors":
        return f"{value:.5g}"
    return f"{round(value * found.n_rows)} ({100 * value:.2f} %)"


def _gap(trained: Trained) -> float:
    return max(result.certificate.relative_gap for result in trained.results)
