"""``pragam certify --exact MODEL DATA``: the model's certificate in rational arithmetic, by independent code."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pragam.certificate.exact import Judge, Proof, rounded_down, rounded_up, scaled
from pragam.cli.output import full_record, show_json
from pragam.cli.status import CERTIFIED, NOT_CERTIFIED
from pragam.risks.by_name import parameters_of
from pragam.risks.one_vs_rest import positives
from pragam.runtime.screen import Screen

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
    if name not in _JUDGES:
        raise ValueError(f"its risk is {name!r:.40}, and --exact proves {', '.join(_JUDGES)}")


def run(model: Model, X: Any, y: Any, tol: float, args: argparse.Namespace) -> int:
    """Prove and report; 0 only if every stored bound is confirmed and every exact gap is within the tolerance."""
    _refuse_absurd(model, X, args.force)
    judges = _JUDGES[model.risk["name"]](model, y, **parameters_of(model.risk))
    for columns, values in _progress(_rows(X), len(y), args.quiet):
        row = scaled(values)
        for judge in judges:
            judge.add(columns, row)
    proofs = [judge.proof() for judge in judges]
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


def _hinge_judges(model: Model, y: Any, lam: float, bias: bool, class_weight: Any) -> list[Judge]:
    """A judge for each output of the model."""
    import numpy as np

    from pragam.risks.arguments import example_weights

    upper = (example_weights(y, None, class_weight) / len(y)).tolist()  # rounded once, as in the problem
    parts = zip(
        positives(model.classes), model.coef.tolist(), model.intercept.tolist(), model.alpha.tolist(), strict=True
    )
    return [Judge(np.where(y == k, 1, -1).tolist(), upper, lam, w, b, alpha, bias) for k, w, b, alpha in parts]


#: By the name of the risk; each takes the model, y and the risk's parameters.
_JUDGES = {"hinge": _hinge_judges}


def _rows(X: Any) -> Iterator[tuple[list[int], list[float]]]:
    """The columns and values of each row, as they are stored."""
    kind, arrays = X.rows()
    if kind == "csr":
        data, indices, indptr = arrays
        for begin, end in zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True):
            yield indices[begin:end].tolist(), data[begin:end].tolist()
    else:
        columns = list(range(X.shape[1]))
        for row in arrays[0]:
            yield columns, row.tolist()


def _progress(rows: Iterator[Any], n: int, quiet: bool) -> Iterator[Any]:
    """The same rows, counted on standard error if somebody watches."""
    if quiet:
        yield from rows
        return
    with Screen() as screen:
        yield from screen.track(rows, "exact proof", n)


def _report(model: Model, proofs: list[Proof], confirmed: list[bool], tol: float, certified: bool) -> None:
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


def _report_json(model: Model, proofs: list[Proof], confirmed: list[bool], tol: float, certified: bool) -> None:
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


def _rounded(proof: Proof) -> dict[str, float]:
    """The exact values as floats, rounded outward."""
    return {
        "primal": rounded_up(proof.primal),
        "dual": rounded_down(proof.dual),
        "gap": rounded_up(proof.gap),
        "relative_gap": rounded_up(proof.relative_gap),
    }


def _worst(proofs: list[Proof]) -> float:
    return rounded_up(max(proof.relative_gap for proof in proofs))
