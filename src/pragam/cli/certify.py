"""``pragam certify MODEL DATA``: recompute a model's certificate from the data and the model alone."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from pragam.certificate import Certificate, certify
from pragam.cli import certify_chain, certify_exact
from pragam.cli.arguments import number
from pragam.cli.output import full_record, show_json
from pragam.cli.status import CERTIFIED, NOT_CERTIFIED
from pragam.risks.by_name import is_number, parameters_of, problems_of
from pragam.risks.one_vs_rest import positives

if TYPE_CHECKING:
    from pragam.io import Model

#: The number of columns of the built-in example. A model with another number was not trained on it.
_EXAMPLE_COLUMNS = 30


def add_parser(commands: Any) -> None:
    """The command's arguments."""
    parser = commands.add_parser(
        "certify",
        help="verify a model's certificate against its training data",
        description="Rebuild the training problem from DATA and the risk in MODEL, compute the duality gap of the "
        "stored weights, intercept and dual variables anew, and compare it with the stored one.",
    )
    add = parser.add_argument
    add("model", metavar="MODEL", help="a model that train wrote; - is the standard input")
    add("data", metavar="DATA", nargs="?", help="the training data; needed unless that was the built-in example")
    add("--tol", type=number, help="relative gap to certify; default: the one of the training")
    add("--json", action="store_true", help="print one JSON object instead of tables")
    certify_exact.add_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Recompute, compare, report. The status is 0 only if every recomputed gap is within the tolerance."""
    from pragam import io
    from pragam.cli.data import check_inputs, named

    check_inputs(args.model, args.data)
    model = io.load_any(named(args.model))
    try:
        if isinstance(model, io.SequenceModel):
            return certify_chain.run(model, args)
        _check_verifiable(model, args.exact)
        tol = tolerance(model.parameters) if args.tol is None else args.tol
        X, y = _training_data(model, args.data)
        if args.exact:
            return certify_exact.run(model, X, y, tol, args)
        proofs = _recompute(model, X, y)
    except ValueError as error:
        raise ValueError(f"{args.model}: {error}") from error
    certified = all(proof.rigorous and proof.relative_gap <= tol for proof in proofs)
    (_report_json if args.json else _report)(model, proofs, tol, certified)
    return CERTIFIED if certified else NOT_CERTIFIED


def _training_data(model: Model, path: str | None) -> tuple[Any, Any]:
    """The data that the model was trained on, checked against its fingerprint."""
    from pragam.cli.data import labels_of, read_for
    from pragam.io import data_fingerprint

    example = "it was not trained on the built-in example: name its training data, pragam certify MODEL DATA"
    if path is None and (model.columns is not None or model.fingerprint.get("d") != _EXAMPLE_COLUMNS):
        raise ValueError(example)
    samples, ignored = read_for(model, path)
    y = labels_of(samples, path)
    found = data_fingerprint(samples.X, y)
    if path is None and found != model.fingerprint:
        raise ValueError(example)
    check_fingerprint(model.fingerprint, found, ignored)
    return samples.X, y


def _recompute(model: Model, X: Any, y: Any) -> list[Certificate]:
    """The certificates of the stored weights and dual variables."""
    problems = problems_of(model.risk, X, y, model.classes)
    stored = zip(problems, model.coef, model.alpha, model.intercept.tolist(), strict=True)
    return [certify(problem, w, alpha, b) for problem, w, alpha, b in stored]


def _check_verifiable(model: Model, exact: bool) -> None:
    """Refuse a model that says too little, before data are read for it."""
    if not model.certificates:
        raise ValueError("the model has no dual variables and no certificate, so nothing can be verified")
    parameters_of(model.risk)
    if exact:
        certify_exact.check_risk(model.risk["name"])


def tolerance(parameters: dict[str, Any]) -> float:
    """What the model was trained for."""
    tol: Any = parameters.get("tol")
    if not is_number(tol):
        raise ValueError(f"its tol must be a number, not {tol!r:.40}; --tol names another")
    return tol


def check_fingerprint(stored: dict[str, Any], found: dict[str, Any], ignored: int) -> None:
    """Refuse data that are not those of the training."""
    if stored != found or ignored:
        other, these = (", ".join(f"{k} {v!s:.12}" for k, v in size.items()) for size in (stored, found))
        more = f" and {ignored} entries in other columns" if ignored else ""
        raise ValueError(f"the certificate belongs to other data ({other}), not to these ({these}{more})")


def _report(model: Model, proofs: list[Certificate], tol: float, certified: bool) -> None:
    from pragam.cli.table import show

    for label, old, new in zip(positives(model.classes), model.certificates, proofs, strict=True):
        title = "certificate" if len(proofs) == 1 else f"certificate of class {label} against the rest"
        rows = [(name, repr(getattr(old, name)), repr(getattr(new, name))) for name in ("primal", "dual")]
        rows.append(("relative gap", f"{old.relative_gap:.6e}", f"{new.relative_gap:.6e}"))
        show(title, ("", "stored", "recomputed"), rows)
    worst = max(proof.relative_gap for proof in proofs)
    verdict = "Certified" if certified else "Not certified"
    print(f"{verdict}: the recomputed relative gap is {worst:.2e}, the tolerance {tol:g}.")


def _report_json(model: Model, proofs: list[Certificate], tol: float, certified: bool) -> None:
    entries = [
        {"class": label, "stored": full_record(old), "recomputed": full_record(new)}
        for label, old, new in zip(positives(model.classes), model.certificates, proofs, strict=True)
    ]
    worst = max(proof.relative_gap for proof in proofs)
    show_json({"certified": certified, "relative_gap": worst, "tol": tol, "outputs": entries})
