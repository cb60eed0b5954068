"""``pragam train --task chain DATA -o MODEL``: a labeller of sequences, trained until its gap is certified."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pragam.cli.output import full_record, show_json
from pragam.cli.status import CERTIFIED, NOT_CERTIFIED
from pragam.cli.terminate import Termination
from pragam.cli.training import check_target, progress
from pragam.result import Result

if TYPE_CHECKING:
    from pragam.cli.chain_data import ChainData
    from pragam.io import SequenceModel

#: Options of rows, with the values that mean "not given".
_OF_ROWS = {
    "liblinear": None, "n_features": None, "zero_based": None, "compact_columns": False, "classes": False,
    "no_bias": False, "class_weight": None,
}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of sequences."""
    add = parser.add_argument_group("sequences, with --task chain").add_argument
    add("--template", metavar="FILE", help="features of a column file, one a line; default: words and tags around")
    add("--loss", choices=["hamming_mean", "hamming_sum"], help="wrong labels over the length, or their number; "
        "default: hamming_mean")  # fmt: skip
    add("--transitions", choices=["iob"], help="iob: I-x only after B-x or I-x")


def run(args: argparse.Namespace) -> int:
    """Train, write, report. The status is 0 only if the gap was certified."""
    from pragam.cli.chain_data import training_data
    from pragam.io import data_fingerprint, save_sequence_model
    from pragam.sequences.problem import chain_problem
    from pragam.solve import solve

    _refuse_options_of_rows(args)
    if args.output:
        check_target(Path(args.output))
    template = None if args.template is None else Path(args.template).read_text(encoding="utf-8")
    data = training_data(args.data, template)
    risk = _risk(args, len(data.lengths))
    classes = _classes(data)
    problem = _named(args.data, lambda: chain_problem(risk, data.X, data.y, data.lengths, classes))
    fingerprint = data_fingerprint(
        data.X, data.y, data.lengths
    )  # before the solve, so that Ctrl-C need not wait for it
    with Termination() as termination:
        with progress(args.quiet, "") as line:
            result = termination.run(
                lambda seconds: solve(
                    problem, args.solver, tol=args.tol, max_iter=args.max_iter, max_seconds=seconds, callback=line,
                    random_state=args.seed,
                ),
                args.max_seconds,
            )  # fmt: skip
        model = _model(data, fingerprint, risk, classes, result, args)
        if args.output:
            save_sequence_model(args.output, model)
        is_certified = result.converged and result.certificate.rigorous
        (_report_json if args.json else _report)(model, data, result, args, is_certified)
    return CERTIFIED if is_certified else NOT_CERTIFIED


def _refuse_options_of_rows(args: argparse.Namespace) -> None:
    given = [name for name, default in _OF_ROWS.items() if getattr(args, name) != default]
    if given:
        raise ValueError(f"--{given[0].replace('_', '-')} is not for --task chain")
    if args.data is None:
        raise ValueError("--task chain needs DATA: a column file or an .npz of sequences")


def _named(path: str, make: Any) -> Any:
    try:
        return make()
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _risk(args: argparse.Namespace, n: int) -> dict[str, Any]:
    from pragam.risks.scaling import lam_of
    from pragam.sequences.problem import NAME

    lam = 0.01 if args.lam is None else args.lam
    if args.C is not None:
        try:
            lam = lam_of(args.C, n)
        except ValueError as error:
            raise ValueError(f"-{error}") from error  # "C must be ..." is about the option -C
    return {"name": NAME, "lam": lam, "loss": args.loss or "hamming_mean", "transitions": args.transitions}


def _classes(data: ChainData) -> list[Any]:
    import numpy as np

    return np.unique(data.y).tolist()


def _model(
    data: ChainData,
    fingerprint: dict[str, Any],
    risk: dict[str, Any],
    classes: list[Any],
    result: Result,
    args: argparse.Namespace,
) -> SequenceModel:
    from pragam import __version__
    from pragam.io import SequenceModel
    from pragam.sequences import ChainWeights
    from pragam.sequences.iob import allowed_by

    return SequenceModel(
        weights=ChainWeights.from_vector(result.w, len(classes), allowed_by(risk["transitions"], classes)),
        classes=classes,
        dual=result.alpha,
        certificate=result.certificate,
        risk=risk,
        parameters={
            "tol": args.tol,
            "solver": args.solver,
            "ran": result.solver,
            "seed": args.seed,
            "status": result.status.name,
            "n_iter": result.n_iter,
            "pragam": __version__,
            "n_columns": None if data.columns is None else len(data.columns.columns),
        },
        fingerprint=fingerprint,
        features=data.features,
        template=None if data.template is None else data.template.text,
    )


def _report(
    model: SequenceModel, data: ChainData, result: Result, args: argparse.Namespace, is_certified: bool
) -> None:
    from pragam.cli.table import show
    from pragam.sequences import evaluate

    right = evaluate(data.y, model.labels(data.X, data.lengths), data.lengths)
    size, proof = model.fingerprint, result.certificate
    features = f"{size['d']} features, {len(model.classes)} labels"
    chunks = f", chunk F1 {100 * right.chunks[''].f1:.2f}" if right.chunks else ""
    show("pragam train --task chain", (), [
        ("data", f"{args.data}: {len(data.lengths)} sequences, {size['n']} tokens, {features}"),
        ("lam", f"{model.risk['lam']:.6g}  ({model.risk['loss']})"),
        ("solver", result.solver),
        ("iterations", str(result.n_iter)),
        ("seconds", f"{result.history.seconds[-1:].sum():.3g}"),
        ("primal", f"{proof.primal:.10g}"),
        ("dual", f"{proof.dual:.10g}"),
        ("relative gap", f"{proof.relative_gap:.2e}  (tolerance {args.tol:g})"),
        ("status", str(result.status)),
        ("training accuracy", f"{100 * right.accuracy:.2f} % of tokens{chunks}"),
        ("model", args.output or "not written (-o MODEL writes it)"),
    ])  # fmt: skip


def _report_json(
    model: SequenceModel, data: ChainData, result: Result, args: argparse.Namespace, is_certified: bool
) -> None:
    import numpy as np

    show_json({
        "certified": is_certified,
        "data": args.data,
        "n_sequences": len(data.lengths),
        "n_tokens": model.fingerprint["n"],
        "n_features": model.fingerprint["d"],
        "labels": model.classes,
        "lam": model.risk["lam"],
        "loss": model.risk["loss"],
        "transitions": model.risk["transitions"],
        "tol": args.tol,
        "solver": result.solver,
        "status": result.status.name,
        "reason": result.reason,
        "iterations": result.n_iter,
        "seconds": float(result.history.seconds[-1:].sum()),
        **full_record(result.certificate),
        "training_accuracy": float(np.mean(model.labels(data.X, data.lengths) == data.y)),
        "model": args.output,
    })  # fmt: skip
