"""``pragam certify MODEL DATA``: recompute a model's certificate from the data and the model alone."""

from __future__ import annotations

import argparse
from typing import Any

from pragam.certificate import Certificate
from pragam.cli.arguments import number
from pragam.cli.commands import certify_exact
from pragam.cli.inputs import about, check_files, named
from pragam.cli.output import full_record, problems_of, show_json
from pragam.cli.status import CERTIFIED, NOT_CERTIFIED

#: A model's own tolerance is believed up to this: a file may claim any.
LOOSEST = 1e-2
_EXAMPLE = "it was not trained on the built-in example: name its training data, pragam certify MODEL DATA"


def add_parser(commands: Any) -> None:
    """The command's arguments."""
    parser = commands.add_parser(
        "certify",
        help="verify a model's certificate against its training data",
        description="Rebuild the training problem from DATA and the risk in MODEL, compute the duality gap of the "
        "stored weights and dual points anew, and compare it with the stored one.",
    )
    add = parser.add_argument
    add("model", metavar="MODEL", help="a model that train wrote; - is the standard input")
    add("data", metavar="DATA", nargs="?", help="the training data; needed unless that was the built-in example")
    add("--tol", type=number, help=f"relative gap to certify; default: that of the training, {LOOSEST:g} at most")
    add("--json", action="store_true", help="print one JSON object instead of tables")
    certify_exact.add_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Recompute, compare, report. The status is 0 only if every recomputed gap is within the tolerance."""
    from pragam import models

    check_files([args.model, args.data], [])
    model = models.load(named(args.model))
    with about(args.model):
        tol, whose = tolerance(model, args.tol)
        form = _form(model, args.data)
    data = form.read(args.data, model, needs_labels=True)
    with about(args.model):
        if data.ignored:
            raise ValueError(
                f"the certificate belongs to other data: {data.ignored} {form.ignored} that the model does not have"
            )
        if args.exact:
            return certify_exact.run(model, data.samples, tol, whose, args)
        proofs = model.certify(data.samples)
    certified = all(proof.rigorous and proof.relative_gap <= tol for proof in proofs)
    (_report_json if args.json else _report)(model, proofs, tol, whose, certified)
    return CERTIFIED if certified else NOT_CERTIFIED


def tolerance(model: Any, given: float | None) -> tuple[float, str]:
    """What the gap must be, and who says so. ValueError if there is nothing to verify."""
    if not model.proofs:
        raise ValueError(
            f"the model has no dual points and no certificate, so nothing can be verified{_instead(model)}"
        )
    if not model.fingerprint and model.risk.form == "rows":  # estimators of structures once kept none
        raise ValueError("the model does not say which data the certificate belongs to: it has no fingerprint")
    if given is not None:
        return given, "--tol"
    tol = model.settings.get("tol")
    if type(tol) not in (int, float):
        raise ValueError(f"its tol must be a number, not {tol!r:.40}; --tol names another")
    return (tol, "of the training") if tol <= LOOSEST else (LOOSEST, "the loosest without --tol")


def _instead(model: Any) -> str:
    """What can be done with LIBLINEAR's models, which keep neither; or the name of the risk that we do not have."""
    from pragam.models.liblinear_types import TYPES

    solver = str(model.settings.get("solver"))
    if model.risk.name not in ("unstated", "unstated_numbers") or solver not in TYPES:
        return ""
    lacking, said = TYPES[solver].lacking, f"; LIBLINEAR's {solver} "
    if lacking:
        return f"{said}minimises {lacking}, a risk that pragam does not have"
    return f"{said}is audited: pragam audit MODEL DATA -C C"


def _form(model: Any, path: str | None) -> Any:
    """How the training data are read."""
    from pragam.cli.tasks import form_of

    if path is None and (model.risk.form != "rows" or model.n_features != _example_width()):
        raise ValueError(_EXAMPLE)
    return form_of(model)


def _example_width() -> int:
    from pragam import datasets

    return int(datasets.load_example()[0].shape[1])


def _report(model: Any, proofs: list[Certificate], tol: float, whose: str, certified: bool) -> None:
    from pragam.cli.table import show

    differ = 0
    for name, stored, new in zip(model.risk.parts(model.labels), model.proofs, proofs, strict=True):
        old = stored.certificate
        rows = [(what, repr(getattr(old, what)), repr(getattr(new, what))) for what in ("primal", "dual")]
        rows.append(("relative gap", f"{old.relative_gap:.6e}", f"{new.relative_gap:.6e}"))
        show(f"certificate of {name}" if name else "certificate", ("", "stored", "recomputed"), rows)
        differ += (old.primal, old.dual) != (new.primal, new.dual)
    print(f"What was minimised: {model}.")
    if differ:
        print(f"Stored bounds of {differ} of {len(proofs)} problems differ from the recomputed ones, which count.")
    worst = max(proof.relative_gap for proof in proofs)
    verdict = "Certified" if certified else "Not certified"
    print(f"{verdict}: the recomputed relative gap is {worst:.2e}, the tolerance {tol:g} ({whose}).")


def _report_json(model: Any, proofs: list[Certificate], tol: float, whose: str, certified: bool) -> None:
    entries = [
        {
            **name,
            "stored": full_record(old.certificate),
            "recomputed": full_record(new),
            "same": (old.certificate.primal, old.certificate.dual) == (new.primal, new.dual),
        }
        for name, old, new in zip(problems_of(model), model.proofs, proofs, strict=True)
    ]
    worst = max(proof.relative_gap for proof in proofs)
    same = all(entry["same"] for entry in entries)
    show_json({
        "certified": certified, "relative_gap": worst, "tol": tol, "tol_of": whose, "same_as_stored": same,
        "risk": model.risk.to_json(), "outputs": entries,
    })  # fmt: skip
