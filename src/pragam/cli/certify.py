"""``pragam certify MODEL DATA``: compute a model's certificate anew, from the data and the model alone."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from pragam.certificate import Certificate, certify
from pragam.cli.arguments import number

if TYPE_CHECKING:
    from pragam.io import Model


def add_parser(commands: Any) -> None:
    """The command's arguments."""
    parser = commands.add_parser(
        "certify",
        help="verify a model's certificate against its training data",
        description="Rebuild the training problem from DATA and the parameters in MODEL, compute the "
        "duality gap of the stored weights and dual variables anew, and compare it with the stored one.",
    )
    add = parser.add_argument
    add("model", metavar="MODEL", help="a model that train wrote")
    add("data", metavar="DATA", nargs="?", help="the training data; default: train's built-in example")
    add("--tol", type=number, help="relative gap to certify; default: the one of the training")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Recompute, compare, report. The status is 0 only if every gap, recomputed, is within the tolerance."""
    from pragam import io
    from pragam.cli.data import read

    model = io.load(args.model)
    X, y = read(args.data, model.n_features)
    try:
        proofs, tol = _recompute(model, X, y)
    except ValueError as error:
        raise ValueError(f"{args.model}: {error}") from error
    tol = tol if args.tol is None else args.tol
    certified = all(proof.relative_gap <= tol for proof in proofs)
    _report(model, proofs, tol, certified)
    return 0 if certified else 3


def _recompute(model: Model, X: Any, y: Any) -> tuple[list[Certificate], float]:
    """The certificates of the stored weights and dual variables, and the tolerance they were trained for."""
    from pragam.cli.data import problems
    from pragam.io import data_fingerprint

    lam, bias, class_weight, tol = _parameters(model)
    _check_fingerprint(model.fingerprint, data_fingerprint(X, y))
    jobs = problems(X, y, model.classes, lam, bias, class_weight)
    stored = zip(jobs, model.coef, model.alpha, model.intercept.tolist(), strict=True)
    return [certify(job, w, alpha, b) for job, w, alpha, b in stored], tol


def _parameters(model: Model) -> tuple[float, bool, str | None, float]:
    """lam, bias, class_weight and tol, if the model came with a certificate."""
    if not model.certificates:
        raise ValueError("the model has no dual variables and no certificate, so nothing can be verified")
    values: list[Any] = [model.parameters.get(name) for name in ("lam", "bias", "class_weight", "tol")]
    lam, bias, class_weight, tol = values
    numbers = all(type(value) in (int, float) for value in (lam, tol))
    if not numbers or type(bias) is not bool or class_weight not in (None, "balanced"):
        raise ValueError(f"its lam, bias, class_weight and tol define no problem: {values}")
    return lam, bias, class_weight, tol


def _check_fingerprint(stored: dict[str, Any], found: dict[str, Any]) -> None:
    if stored != found:
        other, these = (", ".join(f"{k} {v!s:.12}" for k, v in size.items()) for size in (stored, found))
        raise ValueError(f"the certificate belongs to other data ({other}), not to these ({these})")


def _report(model: Model, proofs: list[Certificate], tol: float, certified: bool) -> None:
    from pragam.cli.table import show

    labels = model.classes[1:] if len(model.classes) == 2 else model.classes
    for label, old, new in zip(labels, model.certificates, proofs, strict=True):
        title = "certificate" if len(proofs) == 1 else f"certificate of class {label} against the rest"
        rows = [(name, repr(getattr(old, name)), repr(getattr(new, name))) for name in ("primal", "dual")]
        rows.append(("relative gap", f"{old.relative_gap:.6e}", f"{new.relative_gap:.6e}"))
        show(title, ("", "stored", "recomputed"), rows)
    worst = max(proof.relative_gap for proof in proofs)
    verdict = "Certified" if certified else "Not certified"
    print(f"{verdict}: the recomputed relative gap is {worst:.2e}, the tolerance {tol:g}.")
