"""The final report of ``pragam train``: tables, or one JSON object."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from pragam.cli.output import full_record, show_json
from pragam.driver.result import Result
from pragam.risks.one_vs_rest import positives

if TYPE_CHECKING:
    from pragam.io import Model


def as_table(model: Model, X: Any, y: Any, results: list[Result], args: argparse.Namespace) -> None:
    """The result. With several classes, a table of all and then the worst one."""
    from pragam.cli.table import show

    worst = max(results, key=lambda result: (not result.converged, result.certificate.relative_gap))
    size = model.fingerprint
    accuracy = float((model.predict(X) == y).mean())
    rows = [
        ("data", f"{args.data or 'built-in example'}: {size['n']} x {size['d']}, {size['nnz']} nonzero"),
        ("lam", f"{model.risk['lam']:.6g}  (C = {model.parameters['C']:.6g})"),
        ("solver", worst.solver),
        *zip(("iterations", "passes", "seconds"), _effort(results), strict=True),
        *(zip(("primal", "dual"), _bounds(worst), strict=True) if len(results) == 1 else ()),
        ("relative gap", f"{_gap(worst)}  (tolerance {args.tol:g})"),
        ("status", str(worst.status)),
        ("training accuracy", f"{100 * accuracy:.2f} %"),
        ("model", args.output or "not written (-o MODEL writes it)"),
        *([("LIBLINEAR model", args.liblinear)] if args.liblinear else ()),
    ]
    if len(results) > 1:
        header = ("class", "passes", "primal", "dual", "relative gap", "status")
        show("one against the rest", header, (
            (str(label), _effort([one])[1], *_bounds(one), _gap(one), one.status.name.lower())
            for label, one in zip(model.classes, results, strict=True)
        ))  # fmt: skip
    show("pragam train", (), rows)


def as_json(model: Model, X: Any, y: Any, results: list[Result], args: argparse.Namespace, certified: bool) -> None:
    """All of it as one JSON object."""
    entries = [
        {
            "class": label,
            "status": one.status.name,
            "reason": one.reason,
            "solver": one.solver,
            "iterations": one.n_iter,
            "passes": float(one.history.passes[-1:].sum()),
            "seconds": float(one.history.seconds[-1:].sum()),
            **full_record(one.certificate),
        }
        for label, one in zip(positives(model.classes), results, strict=True)
    ]
    show_json({
        "certified": certified,
        "data": args.data,
        **{key: model.fingerprint[key] for key in ("n", "d", "nnz")},
        "lam": model.risk["lam"],
        "C": model.parameters["C"],
        "tol": args.tol,
        "relative_gap": max(one.certificate.relative_gap for one in results),
        "training_accuracy": float((model.predict(X) == y).mean()),
        "model": args.output,
        "liblinear": args.liblinear,
        "outputs": entries,
    })  # fmt: skip


def _effort(results: list[Result]) -> tuple[str, str, str]:
    """Iterations, passes and seconds, summed. A solve that was interrupted at its start has no history."""
    passes = sum(float(result.history.passes[-1:].sum()) for result in results)
    seconds = sum(float(result.history.seconds[-1:].sum()) for result in results)
    return str(sum(result.n_iter for result in results)), f"{passes:.0f}", f"{seconds:.3g}"


def _bounds(result: Result) -> tuple[str, str]:
    return f"{result.certificate.primal:.10g}", f"{result.certificate.dual:.10g}"


def _gap(result: Result) -> str:
    return f"{result.certificate.relative_gap:.2e}"
