"""The final report of ``pragam train``: tables, or one JSON object."""

from __future__ import annotations

import argparse
from typing import Any

from pragam.cli.commands.training import Trained
from pragam.cli.evaluation import evaluate
from pragam.cli.output import full_record, problems_of, show_json
from pragam.driver.result import Result
from pragam.models.encoding import Encoding
from pragam.risks.scaling import c_of


def as_table(trained: Trained, data: Any, task: Any, args: argparse.Namespace) -> None:
    """The result. Of several problems, a table of all and then the worst one."""
    from pragam.cli.table import show

    model, results = trained
    worst = max(results, key=lambda result: (not result.converged, result.certificate.relative_gap))
    lam = model.risk.lam
    rows = [
        ("data", f"{args.data or 'built-in example'}: {_size(model, data, task)}"),
        *([("features", table.title)] if (table := model.features.find(Encoding)) is not None else ()),
        ("risk", str(model.risk)),
        ("lam", f"{lam:.6g}  (C = {c_of(lam, data.samples.n):.6g})"),
        ("solver", worst.solver),
        *zip(("iterations", "passes", "seconds"), _effort(results), strict=True),
        *(zip(("primal", "dual"), _bounds(worst), strict=True) if len(results) == 1 else ()),
        ("relative gap", f"{_gap(worst)}  (tolerance {args.tol:g})"),
        ("status", str(worst.status)),
        ("on the training data", _evaluated(model, data).sentence),
        ("model", args.output or "not written (-o MODEL writes it)"),
        *([("LIBLINEAR model", args.liblinear)] if args.liblinear else ()),
    ]
    if len(results) > 1:
        header = ("problem", "passes", "primal", "dual", "relative gap", "status")
        show("all problems", header, (
            (name, _effort([one])[1], *_bounds(one), _gap(one), one.status.name.lower())
            for name, one in zip(model.risk.parts(model.labels), results, strict=True)
        ))  # fmt: skip
    show("pragam train", (), rows)


def as_json(trained: Trained, data: Any, task: Any, args: argparse.Namespace) -> None:
    """All of it as one JSON object."""
    model, results = trained
    entries = [
        {
            **name,
            "status": one.status.name,
            "reason": one.reason,
            "solver": one.solver,
            "iterations": one.n_iter,
            "passes": float(one.history.passes[-1:].sum()),
            "seconds": float(one.history.seconds[-1:].sum()),
            **full_record(one.certificate),
        }
        for name, one in zip(problems_of(model), results, strict=True)
    ]
    measured = _evaluated(model, data).record
    show_json({
        "certified": trained.certified,
        "data": args.data,
        "task": task.name,
        **{key: model.fingerprint[key] for key in ("n", "d", "nnz") if key in model.fingerprint},
        f"n_{task.form.unit}": model.fingerprint["n"],
        f"n_{task.form.noun}": data.samples.n,
        "labels": model.labels.tolist(),
        "risk": model.risk.to_json(),
        "lam": model.risk.lam,
        "C": c_of(model.risk.lam, data.samples.n),
        "tol": args.tol,
        "relative_gap": max(one.certificate.relative_gap for one in results),
        **({"training_accuracy": measured["accuracy"]} if "accuracy" in measured else {}),
        "training": measured,
        "model": args.output,
        "liblinear": args.liblinear,
        "outputs": entries,
    })  # fmt: skip


def _evaluated(model: Any, data: Any) -> Any:
    own = model.features.of(data.samples)
    return evaluate(model, data, model.predicted(own))


def _size(model: Any, data: Any, task: Any) -> str:
    size, counted = model.fingerprint, f"{data.samples.n} {task.form.noun}, "
    nonzero = f", {size['nnz']} nonzero" if "nnz" in size else ""
    many = f", {len(model.labels)} labels" if len(model.labels) > 2 else ""
    return f"{counted if task.form.noun != task.form.unit else ''}{size['n']} x {size['d']}{nonzero}{many}"


def _effort(results: list[Result]) -> tuple[str, str, str]:
    """Iterations, passes and seconds, summed. A solve that was interrupted at its start has no history."""
    passes = sum(float(result.history.passes[-1:].sum()) for result in results)
    seconds = sum(float(result.history.seconds[-1:].sum()) for result in results)
    return str(sum(result.n_iter for result in results)), f"{passes:.0f}", f"{seconds:.3g}"


def _bounds(result: Result) -> tuple[str, str]:
    return f"{result.certificate.primal:.10g}", f"{result.certificate.dual:.10g}"


def _gap(result: Result) -> str:
    return f"{result.certificate.relative_gap:.2e}"
