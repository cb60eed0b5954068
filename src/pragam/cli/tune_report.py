"""The report of ``pragam tune``: tables, or one JSON object."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from pragam.cli.output import show_json
from pragam.cli.training import Trained
from pragam.risks.scaling import c_of
from pragam.selection import Tuning


def as_table(tuning: Tuning, trained: Trained | None, n: int, args: argparse.Namespace, certified: bool) -> None:
    """A row for each lam, by rising lam, then what was chosen. C is that of all n rows of the data."""
    from pragam.cli.table import show

    header = ("lam", "C", "accuracy, %", "gap", "iter.", "seconds", "")
    show(f"pragam tune: {tuning.n_train} rows trained on, {tuning.n_validation} validated on", header, (
        (f"{lam:.4g}", f"{c_of(lam, n):.3g}", f"{100 * tuning.accuracy[k]:.2f} ± {100 * tuning.error[k]:.2f}",
         f"{tuning.gap[k]:.1e}", str(tuning.iterations[k]), f"{tuning.seconds[k]:.2g}", _mark(tuning, lam))
        for k, lam in _rising(tuning)
    ))  # fmt: skip
    missed = sum(not all(part[k].converged for part in tuning.results[0]) for k, _ in _rising(tuning))
    rows = [
        ("best lam", f"{tuning.best:.6g}  (C = {c_of(tuning.best, n):.6g})"),
        ("one error", f"{tuning.simplest:.6g}  (the largest lam within one standard error of the best)"),
        ("tolerance", f"{args.tol:g}, " + (f"not certified at {missed} lams" if missed else "certified at every lam")),
    ]
    if trained is not None:
        gap = max(proof.relative_gap for proof in trained.model.certificates)
        rows += [("model", f"{args.output}: {n} rows at the best lam, relative gap {gap:.2e}")]
    else:
        rows += [("model", "not written (-o MODEL writes it)")]
    show("chosen", (), rows)


def as_json(tuning: Tuning, trained: Trained | None, n: int, args: argparse.Namespace, certified: bool) -> None:
    """All of it as one JSON object, with every number in full."""
    points = [
        {
            "lam": lam,
            "C": c_of(lam, n),
            "accuracy": float(tuning.accuracy[k]),
            "error": float(tuning.error[k]),
            "relative_gap": float(tuning.gap[k]),
            "iterations": int(tuning.iterations[k]),
            "seconds": float(tuning.seconds[k]),
            "support": int(tuning.support[k]),
            "status": [part[k].status.name for part in tuning.results[0]],
        }
        for k, lam in _rising(tuning)
    ]
    show_json({
        "certified": certified,
        "data": args.data,
        "n_train": tuning.n_train,
        "n_validation": tuning.n_validation,
        "tol": args.tol,
        "best_lam": tuning.best,
        "largest_lam_within_one_standard_error": tuning.simplest,
        "points": points,
        "model": args.output,
        "model_relative_gap": None if trained is None else max(
            proof.relative_gap for proof in trained.model.certificates
        ),
    })  # fmt: skip


def _rising(tuning: Tuning) -> list[tuple[int, float]]:
    """(place, lam) by rising lam; a lam that occurs twice once."""
    lams, places = np.unique(tuning.lam, return_index=True)
    return list(zip(places.tolist(), lams.tolist(), strict=True))


def _mark(tuning: Tuning, lam: Any) -> str:
    marks = {tuning.simplest: "one error", tuning.best: "best"}
    return marks.get(lam, "")
