"""``pragam certify --exact MODEL DATA``: the model's certificate in rational arithmetic, by independent code."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from pragam.certificate.exact import Judged, judge, rounded_down, rounded_up
from pragam.cli.output import full_record, problems_of, show_json
from pragam.cli.status import CERTIFIED, NOT_CERTIFIED
from pragam.operators.storage import Standardized
from pragam.runtime.screen import Screen

#: More products than this take more than a few minutes. They need --force.
_PRODUCTS = 5e8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the rational proof."""
    add = parser.add_argument
    add("--exact", action="store_true", help="prove J and D again in rational arithmetic, by independent code (slow)")
    add("--force", action="store_true", help=f"with --exact, also where it takes more than {_PRODUCTS:.0e} products")
    add("--quiet", action="store_true", help="with --exact, no progress")


def run(model: Any, samples: Any, tol: float, whose: str, args: argparse.Namespace) -> int:
    """Prove and report; 0 only if every stored bound is confirmed and every exact gap is within the tolerance."""
    if model.risk.form != "rows":
        raise ValueError("--exact is for models of rows")
    model.check_samples(samples)
    if any(proof.dual is None for proof in model.proofs):
        raise ValueError("the model holds no dual point, so nothing can be verified")
    _refuse_absurd(model, samples.X, args.force)
    own = model.features.of(samples.in_memory().weighted(model.given))
    proofs = _judged(model, own, args.quiet)
    pairs = zip(proofs, model.proofs, strict=True)
    confirmed = [proof.confirms(stored.certificate.primal, stored.certificate.dual) for proof, stored in pairs]
    certified = all(confirmed) and all(proof.relative_gap <= tol for proof in proofs)
    (_report_json if args.json else _report)(model, proofs, confirmed, tol, whose, certified)
    return CERTIFIED if certified else NOT_CERTIFIED


def _refuse_absurd(model: Any, X: Any, force: bool) -> None:
    products = 2 * len(model.tensors["coef"]) * float(X.stored)
    if products > _PRODUCTS and not force:
        raise ValueError(
            f"an exact proof takes {products:.1e} products of long integers, that is hours rather than minutes; "
            "--force does it all the same"
        )


def _judged(model: Any, own: Any, quiet: bool) -> list[Judged]:
    """A verdict for each problem, with progress on the standard error if somebody watches."""
    X, columns = (own.X.storage, own.X.columns) if isinstance(own.X, Standardized) else (own.X, None)
    kind, arrays = X.rows()
    rows = tuple(arrays) if kind == "csr" else arrays[0]
    stated_columns = (None, None) if columns is None else (columns.factor, columns.mean)
    parts = list(zip(model.risk.stated(own, model.labels), model.points(), model.proofs, strict=True))
    with nullcontext() if quiet else Screen() as screen:

        def seen(k: int) -> Callable[[int, int], None] | None:
            if screen is None:
                return None
            return lambda done, of: screen.show("exact proof", k * of + done, len(parts) * of)

        return [
            judge(stated.risk, rows, stated.y, w, biases, proof.dual, stated.weights, seen(k), *stated_columns)
            for k, (stated, (w, biases), proof) in enumerate(parts)
        ]


def _report(model: Any, proofs: list[Judged], confirmed: list[bool], tol: float, whose: str, certified: bool) -> None:
    from pragam.cli.table import show

    entries = zip(model.risk.parts(model.labels), model.proofs, proofs, confirmed, strict=True)
    for name, kept, proof, holds in entries:
        stored, exact = kept.certificate, _rounded(proof)
        rows = (
            ("primal", repr(stored.primal), repr(exact["primal"])),
            ("dual", repr(stored.dual), repr(exact["dual"])),
            ("gap", f"{stored.gap:.6e}", repr(exact["gap"])),
            ("relative gap", f"{stored.relative_gap:.6e}", repr(exact["relative_gap"])),
            ("confirmed", "", "yes" if holds else "no"),
        )
        show(f"exact proof of {name}" if name else "exact proof", ("", "stored", "exact, rounded outward"), rows)
    print(f"What was minimised: {model}.")
    bounds = "the stored bounds hold" if all(confirmed) else "a stored bound is not confirmed"
    word, gap = "Proved" if certified else "Not proved", _worst(proofs)
    print(f"{word}: {bounds} in rational arithmetic; the relative gap is {gap:.2e}, the tolerance {tol:g} ({whose}).")


def _report_json(
    model: Any, proofs: list[Judged], confirmed: list[bool], tol: float, whose: str, certified: bool
) -> None:
    entries = zip(problems_of(model), model.proofs, proofs, confirmed, strict=True)
    show_json({
        "certified": certified,
        "confirmed": all(confirmed),
        "relative_gap": _worst(proofs),
        "tol": tol,
        "tol_of": whose,
        "risk": model.risk.to_json(),
        "outputs": [
            {**name, "stored": full_record(kept.certificate), "exact": _rounded(proof), "confirmed": holds}
            for name, kept, proof, holds in entries
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
