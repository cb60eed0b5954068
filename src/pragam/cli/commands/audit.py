"""``pragam audit MODEL DATA``: how far anybody's linear SVM is above the optimum of the problem it claims to solve."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from pragam.cli.arguments import number
from pragam.cli.output import show_json
from pragam.cli.status import CERTIFIED, NOT_CERTIFIED

if TYPE_CHECKING:
    from pragam.auditing import Audit


def add_parser(commands: Any) -> None:
    """The command's arguments."""
    parser = commands.add_parser(
        "audit",
        help="bound how far anybody's model is above the optimum",
        description="State which problem MODEL claims to solve on DATA, its training data, and prove how far it is "
        "above the optimum, and how many of its predictions the optimum shares. The model is not changed. A pickle is "
        "never loaded: in Python, pragam.audit(model, X, y) takes fitted scikit-learn models.",
    )
    add = parser.add_argument
    kinds = "a pragam model, a LIBLINEAR model, an .npy of weights or an .npz of coef, intercept and classes"
    add("model", metavar="MODEL", help=f"{kinds}; - is the standard input")
    add("data", metavar="DATA", help="the training data, as for train")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("-C", "--C", type=number, help="what a LIBLINEAR model or plain weights were trained with")
    size.add_argument("--lam", type=number, help="the same as lam = 1/(n C)")
    add("--loss", choices=["hinge", "squared_hinge"], default="hinge", help="of plain weights; default: hinge")
    add(
        "--penalised",
        type=number,
        metavar="S",
        help="the intercept of plain weights is the weight of a column of S; default: it is not penalised",
    )
    add("--tol", type=number, default=1e-6, help="relative distance from the optimum in question; default: %(default)g")
    add("--max-seconds", type=number, metavar="S", help="time for the optimum; the bounds are wider if it ends first")
    add("--json", action="store_true", help="print one JSON object instead of a table")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Audit and report. The status is 0 only if the model is proven to be within the tolerance."""
    from pragam.auditing.files import read_any
    from pragam.cli.inputs import check_files, named

    check_files([args.model, args.data], [])
    model = read_any(named(args.model))
    try:
        answer = _of_arrays(model, args) if isinstance(model, dict) else _of_file(model, args)
    except ValueError as error:
        raise ValueError(f"{args.model}: {error}") from error
    if args.json:
        show_json(answer.to_dict())
    else:
        _report(answer)
    return CERTIFIED if answer.within else NOT_CERTIFIED


def _of_file(model: Any, args: argparse.Namespace) -> Audit:
    """Of a model that says what it is; the options of plain weights do not concern it."""
    from pragam.auditing import audit_model
    from pragam.cli.tasks import form_of

    if args.penalised is not None:
        raise ValueError("--penalised is for plain weights: this model says what its intercept is")
    data = form_of(model).read(args.data, model, needs_labels=True)
    if data.ignored:
        raise ValueError(f"{args.data}: {data.ignored} entries are in columns that the model does not have")
    return audit_model(model, data.samples, tol=args.tol, max_seconds=args.max_seconds, C=args.C, lam=args.lam)


def _of_arrays(arrays: dict[str, Any], args: argparse.Namespace) -> Audit:
    """Of plain weights, which the options explain."""
    from pragam.auditing import Weights, audit
    from pragam.cli.tasks.rows import content

    if args.C is None and args.lam is None:
        raise ValueError("-C or --lam must say what plain weights minimise")
    weights = Weights(
        **arrays, C=args.C, lam=args.lam, loss=args.loss, penalised=args.penalised is not None,
        intercept_scaling=args.penalised or 1.0,
    )  # fmt: skip
    samples = content(args.data, weights.coef.shape[1])
    if samples.y is None:
        raise ValueError(f"{args.data}: there are no labels")
    return audit(weights, samples.X, samples.y, tol=args.tol, max_seconds=args.max_seconds)


def _report(answer: Audit) -> None:
    from pragam.cli.table import show

    show("audit", (), answer.rows())
    if worst := answer.worst():
        show(f"relative to min J, {len(worst)} of {len(answer.verdicts)} problems, the worst first", (), worst)
