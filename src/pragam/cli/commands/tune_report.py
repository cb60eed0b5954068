"""The report of ``pragam tune``: tables, or one JSON object."""

from __future__ import annotations

import argparse
from math import isnan
from typing import Any

import numpy as np

from pragam.cli.commands import leave_out
from pragam.cli.commands.training import Trained
from pragam.cli.output import show_json
from pragam.risks.scaling import c_of
from pragam.selection import Tuning
from pragam.selection.counts import Counts


def as_table(
    tuning: Tuning, trained: Trained | None, task: Any, data: Any, args: argparse.Namespace, certified: bool
) -> None:
    """A row for each lam, by rising lam, then what was chosen. C is that of all n samples of the data."""
    from pragam.cli.table import show

    n, noun = data.samples.n, task.form.noun
    tokens = tuning.measured["accuracy"] if "chunk_f1" in tuning.measured else None
    more = [] if tokens is None else ["tokens, %"]
    differs = tuning.counts is not None and any(not _is_proven(each) for each in tuning.counts)
    more += ["wrong"] if differs else []
    header = ("lam", "C", _what(task, tuning), *more, "gap", "iter.", "seconds", "")
    parts = f"{len(tuning.folds)} folds of {n} {noun}" if len(tuning.folds) > 1 else (
        f"{tuning.n_train} {noun} trained on, {tuning.n_validation} validated on")  # fmt: skip
    show(f"pragam tune: {parts}", header, (
        (f"{lam:.4g}", f"{c_of(lam, n):.3g}", _score(task, tuning.score[k], tuning.error[k]),
         *(() if tokens is None else (f"{100 * tokens[k]:.2f}",)), *([_wrong(tuning, k)] if differs else []),
         f"{tuning.gap[k]:.1e}", str(tuning.iterations[k]), f"{tuning.seconds[k]:.2g}", _mark(tuning, lam))
        for k, lam in _rising(tuning)
    ))  # fmt: skip
    missed = sum(not all(part[k].converged for fold in tuning.results for part in fold) for k, _ in _rising(tuning))
    end = "; at an end of --lams: one beyond it may be better" if tuning.is_at_an_end else ""
    rows = [
        ("best lam", f"{tuning.best:.6g}  (C = {c_of(tuning.best, n):.6g}){end}"),
        ("one error", f"{tuning.simplest:.6g}  (the largest lam within one standard error of the best)"),
        ("tolerance", f"{args.tol:g}, " + (f"not certified at {missed} lams" if missed else "certified at every lam")),
    ]
    if tuning.counts is not None:
        rows += [("wrong", tuning.remark + ("; in brackets those of the exact model" if differs else ""))]
    if trained is not None:
        rows += [("model", f"{args.output}: {n} {noun} at the best lam, relative gap {_gap(trained):.2e}")]
    else:
        rows += [("model", "not written (-o MODEL writes it)")]
    show("chosen", (), rows + leave_out.rows(args))


def as_json(
    tuning: Tuning, trained: Trained | None, task: Any, data: Any, args: argparse.Namespace, certified: bool
) -> None:
    """All of it as one JSON object, with every number in full."""
    n = data.samples.n
    points = [
        {
            "lam": lam,
            "C": c_of(lam, n),
            "score": float(tuning.score[k]),
            **{name: float(values[k]) for name, values in tuning.measured.items()},
            "error": float(tuning.error[k]),
            "wrong": None if tuning.counts is None else tuning.counts[k]._asdict(),
            "relative_gap": float(tuning.gap[k]),
            "iterations": int(tuning.iterations[k]),
            "seconds": float(tuning.seconds[k]),
            "support": None if tuning.support is None else int(tuning.support[k]),
            "status": [part[k].status.name for fold in tuning.results for part in fold],
        }
        for k, lam in _rising(tuning)
    ]
    show_json({
        "certified": certified,
        "data": args.data,
        "task": task.name,
        "n_train": tuning.n_train,
        "n_validation": tuning.n_validation,
        "n_folds": len(tuning.folds),
        "tol": args.tol,
        "best_lam": tuning.best,
        "is_at_an_end": tuning.is_at_an_end,
        "largest_lam_within_one_standard_error": tuning.simplest,
        "points": points,
        "model": args.output,
        "model_relative_gap": None if trained is None else _gap(trained),
        "leave_one_out": leave_out.record(args),
    })  # fmt: skip


def _what(task: Any, tuning: Tuning) -> str:
    """What the scores are."""
    names = {"regress": "mean error, negative", "quantile": "mean pinball loss, negative"}
    return "chunk F1, %" if "chunk_f1" in tuning.measured else names.get(task.name, "accuracy, %")


def _score(task: Any, value: float, error: float) -> str:
    if task.name in ("regress", "quantile"):
        return f"{value:.5g} ± {error:.2g}"
    return f"{100 * value:.2f}" + ("" if isnan(error) else f" ± {100 * error:.2f}")


def _is_proven(counts: Counts) -> bool:
    """Whether the exact model has as many wrong predictions as the computed one."""
    return counts.fewest == counts.wrong == counts.most


def _wrong(tuning: Tuning, k: int) -> str:
    """The wrong predictions of the model; in brackets those of the exact one, if they are not proven to be as many."""
    assert tuning.counts is not None
    wrong, fewest, most = tuning.counts[k]
    others = str(fewest) if fewest == most else f"{fewest}..{most}"
    return str(wrong) if _is_proven(tuning.counts[k]) else f"{wrong} ({others})"


def _gap(trained: Trained) -> float:
    return max(result.certificate.relative_gap for result in trained.results)


def _rising(tuning: Tuning) -> list[tuple[int, float]]:
    """(place, lam) by rising lam; a lam that occurs twice once."""
    lams, places = np.unique(tuning.lam, return_index=True)
    return list(zip(places.tolist(), lams.tolist(), strict=True))


def _mark(tuning: Tuning, lam: Any) -> str:
    marks = {tuning.simplest: "one error", tuning.best: "best"}
    return marks.get(lam, "")
