"""``pragam certify --exact MODEL DATA``: the model's certificate in rational arithmetic, by independent code."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pragam.certificate.exact import RISKS, Judged, judge, rounded_down, rounded_up
from pragam.cli.output import full_record, show_json
from pragam.cli.status import CERTIFIED, NOT_CERTIFIED
from pragam.risks.by_name import parameters_of
from pragam.risks.one_vs_rest import positives

if TYPE_CHECKING:
    from pragam.io import Model

#: More products than this take more than a few minutes. They need --force.
_PRODUCTS = 5e8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the rational proof."""
    add = parser.add_argument
    add("--exact", action="store_true", help="prove J and D again in rational arithmetic, by independent code (slow)")
    add("--force", action="store_true", help=f"with --exact, also where it takes more than {_PRODUCTS:.0e} products")
    add("--quiet", action="store_true", help="with --exact, no progress")


def check_risk(name: str) -> None:
    """ValueError if there is no exact proof for this risk."""
    if name not in RISKS:
        raise ValueError(f"its risk is {name!r:.40}, and --exact proves {', '.join(RISKS)}")


def run(model: Model, X: Any, y: Any, tol: float, args: argparse.Namespace) -> int:
    """Prove and report; 0 only if every stored bound is confirmed and every exact gap is within the tolerance."""
    _refuse_absurd(model, X, args.force)
    proofs = _judged(model, X, y, args.quiet)
    pairs = zip(proofs, model.certificates, strict=True)
    confirmed = [proof.confirms(stored.primal, stored.dual) for proof, stored in pairs]
    certified = all(confirmed) and all(proof.relative_gap <= tol for proof in proofs)
    (_report_json if args.json else _report)(model, proofs, confirmed, tol, certified)
    return CERTIFIED if certified else NOT_CERTIFIED


def _refuse_absurd(model: Model, X: Any, force: bool) -> None:
    products = 2 * len(model.coef) * float(X.stored)
    if products > _PRODUCTS and not force:
        raise ValueError(
            f"an exact proof takes {products:.1e} products of long integers, that is hours rather than minutes; "
            "--force does it all the same"
        )


def _judged(model: Model, X: Any, y: Any, quiet: bool) -> list[Judged]:
    """A verdict for each output of the model, with a progress bar on standard error if that is a terminal."""
    import numpy as np
    from rich.console import Console
    from rich.progress import Progress

    from pragam.risks.arguments import example_weights

    if np.unique(y).tolist() != model.classes:
        raise ValueError(f"its classes {model.classes!r:.60} are not those of the data")
    risk = {key: value for key, value in model.risk.items() if key != "class_weight"}
    weights = example_weights(y, None, parameters_of(model.risk)["class_weight"])
    kind, arrays = X.rows()
    rows = tuple(arrays) if kind == "csr" else arrays[0]
    console = Console(stderr=True)
    outputs = list(zip(positives(model.classes), model.coef, model.intercept.tolist(), model.alpha, strict=True))
    with Progress(console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task("exact proof")

        def seen(k: int) -> Callable[[int, int], None]:
            return lambda done, of: bar.update(task, completed=k * of + done, total=len(outputs) * of)

        return [
            judge(risk, rows, np.where(y == label, 1, -1), w, [b], alpha, weights, seen(k))
            for k, (label, w, b, alpha) in enumerate(outputs)
        ]


def _report(model: Model, proofs: list[Judged], confirmed: list[bool], tol: float, certified: bool) -> None:
    from pragam.cli.table import show

    entries = zip(positives(model.classes), model.certificates, proofs, confirmed, strict=True)
    for label, stored, proof, holds in entries:
        title = "exact proof" if len(proofs) == 1 else f"exact proof of class {label} against the rest"
        exact = _rounded(proof)
        rows = (
            ("primal", repr(stored.primal), repr(exact["primal"])),
            ("dual", repr(stored.dual), repr(exact["dual"])),
            ("gap", f"{stored.gap:.6e}", repr(exact["gap"])),
            ("relative gap", f"{stored.relative_gap:.6e}", repr(exact["relative_gap"])),
            ("confirmed", "", "yes" if holds else "no"),
        )
        show(title, ("", "stored", "exact, rounded outward"), rows)
    bounds = "the stored bounds hold" if all(confirmed) else "a stored bound does not hold"
    word, gap = "Proved" if certified else "Not proved", _worst(proofs)
    print(f"{word}: {bounds} in rational arithmetic; the relative gap is {gap:.2e}, the tolerance {tol:g}.")


def _report_json(model: Model, proofs: list[Judged], confirmed: list[bool], tol: float, certified: bool) -> None:
    entries = zip(positives(model.classes), model.certificates, proofs, confirmed, strict=True)
    show_json({
        "certified": certified,
        "confirmed": all(confirmed),
        "relative_gap": _worst(proofs),
        "tol": tol,
        "outputs": [
            {"class": label, "stored": full_record(stored), "exact": _rounded(proof), "confirmed": holds}
            for label, stored, proof, holds in entries
        ],
    })  # fmt: skip


def _rounded(proof: Judged) -> dict[str, float]:
    """The exact values as floats, rounded outward."""
    return {
        "primal": rounded_up(proof.primal),
        "dual": rounded_down(proof.dual),
        "gap": rounded_up(proof.gap),
        "relative_gap": rounded_up(proof.relative_gap),
    }


def _worst(proofs: list[Judged]) -> float:
    return rounded_up(max(proof.relative_gap for proof in proofs))
