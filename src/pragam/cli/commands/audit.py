"""``pragam audit MODEL DATA``: how far anybody's linear SVM is above the optimum of the problem it claims to solve."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from pragam.cli.arguments import class_weights, number
from pragam.cli.output import show_json
from pragam.cli.status import CERTIFIED, NOT_CERTIFIED

if TYPE_CHECKING:
    from pragam.auditing import Audit

#: The losses of plain weights; ``pragam.Weights`` has their formulas.
LOSSES = ("hinge", "squared_hinge", "epsilon_insensitive", "quantile", "ordinal_hinge")
#: What options of plain weights state, which a model file states itself.
_OWN = {"penalised": "intercept", "loss": "loss", "quantile": "quantile"}


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
    size.add_argument("--lam", type=number, help="the same as lam = 1/(n C); 0 for plain weights without a penalty")
    add("--epsilon", type=number, metavar="E", help="half the width of the tube of a regression, LIBLINEAR's -p")
    add("--class-weight", type=class_weights, metavar="WEIGHTS", help="balanced, or as 1=2,3=0.5: LIBLINEAR's -wi")
    add("--free-bias", action="store_true", help="the bias of a LIBLINEAR model was not penalised: its -R")
    add("--loss", choices=LOSSES, help="of plain weights; default: hinge")
    add("--quantile", type=number, metavar="Q", help="of plain weights with --loss quantile; default: 0.5")
    add(
        "--penalised",
        type=number,
        metavar="S",
        help="the intercept of plain weights is the weight of a column of S; default: it is not penalised",
    )
    add("--tol", type=number, help="relative distance from the optimum in question; default: --fail-above, or 1e-6")
    add(
        "--fail-above",
        type=number,
        metavar="R",
        help="exit with 0 if the model is proven to be within R of the optimum, relatively, else 3; default: --tol",
    )
    add("--max-seconds", type=number, metavar="S", help="time for the optimum; the bounds are wider if it ends first")
    add("--json", action="store_true", help="print one JSON object instead of a table")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Audit and report. The status is 0 only if the model is proven to be within --fail-above, or the tolerance."""
    from pragam.auditing.files import read_any
    from pragam.cli.inputs import check_files, named

    _set_tolerances(args)
    check_files([args.model, args.data], [])
    model = read_any(named(args.model))
    try:
        answer = _of_arrays(model, args) if isinstance(model, dict) else _of_file(model, args)
    except ValueError as error:
        raise ValueError(f"{args.model}: {error}") from error
    passed = answer.within if args.fail_above is None else answer.is_within(args.fail_above)
    if args.json:
        own = {} if args.fail_above is None else {"fail_above": args.fail_above, "passed": passed}
        show_json({**answer.to_dict(), **own})
    else:
        _report(answer, args.fail_above, passed)
    return CERTIFIED if passed else NOT_CERTIFIED


def _set_tolerances(args: argparse.Namespace) -> None:
    """Without --tol the optimum is bracketed as closely as --fail-above asks."""
    for name in ("tol", "fail_above"):
        value = getattr(args, name)
        if value is not None and value <= 0:
            raise ValueError(f"--{name.replace('_', '-')} must be above 0, not {value:g}")
    if args.tol is None:
        args.tol = 1e-6 if args.fail_above is None else args.fail_above
    if args.fail_above is not None and args.tol > args.fail_above:
        raise ValueError(f"--tol {args.tol:g} must be at most --fail-above {args.fail_above:g}, which it is to decide")


def _of_file(model: Any, args: argparse.Namespace) -> Audit:
    """Of a model that says what it is; the options of plain weights do not concern it."""
    from pragam.auditing import audit_model
    from pragam.auditing.files import Training, is_liblinear, weights_of_liblinear
    from pragam.cli.tasks import form_of

    for name in ("penalised", "loss", "quantile"):
        if getattr(args, name) is not None:
            raise ValueError(f"--{name} is for plain weights: this model says what its {_OWN[name]} is")
    training = Training(args.C, args.lam, args.epsilon, args.class_weight, args.free_bias)
    if is_liblinear(model):
        weights_of_liblinear(model, training)  # what it lacks is said before DATA is read
    form = form_of(model)
    data = form.read(args.data, model, needs_labels=True)
    if data.ignored:
        raise ValueError(f"{args.data}: {data.ignored} {form.ignored} that the model does not have")
    return audit_model(model, data.samples, args.tol, args.max_seconds, **training._asdict())


def _of_arrays(arrays: dict[str, Any], args: argparse.Namespace) -> Audit:
    """Of plain weights, which the options explain."""
    from pragam.auditing import Weights, audit
    from pragam.cli.tasks.rows import content

    if args.C is None and args.lam is None:
        raise ValueError("-C or --lam must say what plain weights minimise")
    if args.free_bias:
        raise ValueError("--free-bias is for LIBLINEAR models: the intercept of plain weights is free by default")
    loss = args.loss or "hinge"
    for name, owner in (("epsilon", "epsilon_insensitive"), ("quantile", "quantile")):
        if getattr(args, name) is not None and loss != owner:
            raise ValueError(f"--{name} is for --loss {owner}")
    weights = Weights(
        **arrays, C=args.C, lam=args.lam, loss=loss, penalised=args.penalised is not None,
        intercept_scaling=1.0 if args.penalised is None else args.penalised, class_weight=args.class_weight,
        epsilon=args.epsilon or 0.0, q=0.5 if args.quantile is None else args.quantile,
    )  # fmt: skip
    samples = content(args.data, weights.coef.shape[1])
    if samples.y is None:
        raise ValueError(f"{args.data}: there are no labels")
    return audit(weights, samples.X, samples.y, tol=args.tol, max_seconds=args.max_seconds)


def _report(answer: Audit, fail_above: float | None, passed: bool | None) -> None:
    from pragam.cli.table import show

    rows = answer.rows()
    if fail_above is not None:
        said = {True: "passed: proven", False: "failed: proven not", None: "failed: not decided"}[passed]
        rows.append(("--fail-above", f"{said} to be within {fail_above:g} of the optimum"))
    show("audit", (), rows)
    if worst := answer.worst():
        show(f"relative to min J, {len(worst)} of {len(answer.verdicts)} problems, the worst first", (), worst)
