"""``pragam certify MODEL DATA``: compute a model's certificate anew, from the data and the model alone."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pragam.certificate import ROUNDING, Certificate, certify, certify_primal
from pragam.cli import certify_exact
from pragam.cli.arguments import number
from pragam.polytopes import Box, BoxPlane
from pragam.problem import Problem

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
    certify_exact.add_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Recompute, compare, report. The status is 0 only if every gap, recomputed, is within the tolerance."""
    from pragam import io
    from pragam.cli.data import read

    model = io.load(args.model)
    X, y = read(args.data, model.n_features)
    try:
        if args.exact:
            _check_fingerprint(model.fingerprint, io.data_fingerprint(X, y))
            return certify_exact.run(model, X, y, _parameters(model), args)
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
    proofs = [certify(job, w, alpha) for job, w, alpha in zip(jobs, model.coef, model.alpha, strict=True)]
    for job, w, b, proof in zip(jobs, model.coef, model.intercept.tolist(), proofs, strict=True):
        _check_intercept(job, w, b, proof)
    return proofs, tol


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


def _check_intercept(problem: Problem, w: Any, b: float, proof: Certificate) -> None:
    """The certificate speaks of the best bias, so the stored intercept b must be as good: J(w, b) = J(w).

    For a fixed bias b the hinge risk is the support function of the box at the scores A w + c - b y.
    """
    if b == proof.bias:
        return
    Q: Any = problem.Q
    sign = -problem.A.rows().scale  # type: ignore[attr-defined]
    value = certify_primal(replace(problem, c=problem.c - b * sign, Q=Box(Q.lower, Q.upper)), w).value
    # Another machine's rounding may find another of several best biases; their J is the same.
    if not isinstance(Q, BoxPlane) or value - proof.primal > ROUNDING * abs(proof.primal):
        raise ValueError(f"its intercept {b!r} does not belong to its weights: the best is {proof.bias!r}")


def _report(model: Model, proofs: list[Certificate], tol: float, certified: bool) -> None:
    from pragam.cli.table import show

    labels = model.classes[1:] if len(model.classes) == 2 else model.classes
    for label, old, new in zip(labels, model.certificates, proofs, strict=True):
        title = "certificate" if len(proofs) == 1 else f"certificate of class {label} against the rest"
        names = ("primal", "dual", "bias")
        rows = [(name, repr(getattr(old, name)), repr(getattr(new, name))) for name in names]
        rows.append(("relative gap", f"{old.relative_gap:.6e}", f"{new.relative_gap:.6e}"))
        show(title, ("", "stored", "recomputed"), rows)
    worst = max(proof.relative_gap for proof in proofs)
    verdict = "Certified" if certified else "Not certified"
    print(f"{verdict}: the recomputed relative gap is {worst:.2e}, the tolerance {tol:g}.")
