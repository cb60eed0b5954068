"""``pragam train --task chain DATA -o MODEL``: a labeller of sequences, trained until its gap is certified."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pragam.cli.output import full_record, show_json
from pragam.cli.status import CERTIFIED, NOT_CERTIFIED
from pragam.cli.terminate import Termination
from pragam.cli.training import check_target, progress
from pragam.driver.result import Result

if TYPE_CHECKING:
    from pragam.cli.chain_data import ChainData
    from pragam.io import SequenceModel
    from pragam.problem import AnyProblem

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
    add(
        "--transitions",
        choices=["iob", "iob1", "bioes"],
        help="the scheme of the tags, whose rules all labellings keep",
    )


class Trained(NamedTuple):
    """A model, and how its problem ended."""

    model: SequenceModel
    result: Result

    @property
    def certified(self) -> bool:
        return self.result.converged and self.result.certificate.rigorous


def run(args: argparse.Namespace) -> int:
    """Train, write, report. The status is 0 only if the gap was certified."""
    data = read(args)
    posed = pose(data, risk_of(args, _lam(args, len(data.lengths))), args)
    with Termination() as termination:
        trained = train(posed, args, termination, args.max_seconds)
        (_report_json if args.json else _report)(trained, data, args)
    return CERTIFIED if trained.certified else NOT_CERTIFIED


def read(args: argparse.Namespace) -> ChainData:
    """DATA in the features of the template. Bad options are refused before anything is read."""
    from pragam.cli.chain_data import training_data

    _refuse_options_of_rows(args)
    if args.output:
        check_target(Path(args.output))
    return training_data(args.data, None if args.template is None else Path(args.template).read_text(encoding="utf-8"))


def risk_of(args: argparse.Namespace, lam: float) -> dict[str, Any]:
    """The record of the risk, as models have it."""
    from pragam.sequences.problem import NAME

    return {"name": NAME, "lam": lam, "loss": args.loss or "hamming_mean", "transitions": args.transitions}


class Posed(NamedTuple):
    """All that is known before the solve, so that Ctrl-C need not wait for any of it."""

    data: ChainData
    risk: dict[str, Any]
    classes: list[Any]
    problem: AnyProblem
    fingerprint: dict[str, Any]


def pose(data: ChainData, risk: dict[str, Any], args: argparse.Namespace) -> Posed:
    """The problem on all of DATA."""
    import numpy as np

    from pragam.io import data_fingerprint
    from pragam.sequences.problem import chain_problem

    classes = np.unique(data.y).tolist()
    problem = named(args.data, lambda: chain_problem(risk, data.X, data.y, data.lengths, classes))
    return Posed(data, risk, classes, problem, data_fingerprint(data.X, data.y, data.lengths))


def train(
    posed: Posed, args: argparse.Namespace, termination: Termination, max_seconds: float | None, start: Any = None
) -> Trained:
    """Solve, and write the model if that was asked for."""
    from pragam.driver.solve import solve
    from pragam.io import save_sequence_model

    with progress(args.quiet, "") as line:
        result = termination.run(
            lambda seconds: solve(
                posed.problem, args.solver, tol=args.tol, max_iter=args.max_iter, max_seconds=seconds, start=start,
                callback=line, random_state=args.seed,
            ),
            max_seconds,
        )  # fmt: skip
    model = _model(posed, result, args)
    if args.output:
        save_sequence_model(args.output, model)
    return Trained(model, result)


def _refuse_options_of_rows(args: argparse.Namespace) -> None:
    given = [name for name, default in _OF_ROWS.items() if getattr(args, name) != default]
    if given:
        raise ValueError(f"--{given[0].replace('_', '-')} is not for --task chain")
    if args.data is None:
        raise ValueError("--task chain needs DATA: a column file or an .npz of sequences")


def named(path: str, make: Any) -> Any:
    """What ``make`` makes; an error names the file."""
    try:
        return make()
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _lam(args: argparse.Namespace, n: int) -> float:
    from pragam.risks.scaling import lam_of

    if args.C is None:
        return 0.01 if args.lam is None else args.lam
    try:
        return lam_of(args.C, n)
    except ValueError as error:
        raise ValueError(f"-{error}") from error  # "C must be ..." is about the option -C


def _model(posed: Posed, result: Result, args: argparse.Namespace) -> SequenceModel:
    from pragam import __version__
    from pragam.io import SequenceModel
    from pragam.models.chain_weights import ChainWeights
    from pragam.structured.rules import Rules

    data, risk, classes = posed.data, posed.risk, posed.classes
    return SequenceModel(
        weights=ChainWeights.from_vector(result.w, len(classes), Rules.named(risk["transitions"], classes)),
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
        fingerprint=posed.fingerprint,
        features=data.features,
        template=None if data.template is None else data.template.text,
    )


def _report(trained: Trained, data: ChainData, args: argparse.Namespace) -> None:
    from pragam.cli.table import show
    from pragam.sequences import evaluate

    model, result = trained
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


def _report_json(trained: Trained, data: ChainData, args: argparse.Namespace) -> None:
    import numpy as np

    model, result = trained
    show_json({
        "certified": trained.certified,
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
