"""``pragam certify --exact MODEL DATA``: the model's certificate in rational arithmetic, by independent code."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pragam.exact import Judge, Proof, rounded_down, rounded_up, scaled

if TYPE_CHECKING:
    from pragam.io import Model

#: More products than this take more than a few minutes: they are not begun unless forced.
_PRODUCTS = 5e8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the rational proof."""
    add = parser.add_argument
    add("--exact", action="store_true", help="prove J and D again in rational arithmetic, by independent code (slow)")
    add("--force", action="store_true", help=f"with --exact, also where it takes more than {_PRODUCTS:.0e} products")
    add("--quiet", action="store_true", help="with --exact, no progress")


def run(model: Model, X: Any, y: Any, parameters: tuple[float, bool, Any, float], args: argparse.Namespace) -> int:
    """Prove and report; 0 only if every stored bound is confirmed and every exact gap is within the tolerance."""
    lam, bias, class_weight, tol = parameters
    tol = tol if args.tol is None else args.tol
    _refuse_absurd(model, X, args.force)
    judges = _judges(model, y, lam, bias, class_weight)
    for columns, values in _progress(_rows(X), len(y), args.quiet):
        row = scaled(values)
        for judge in judges:
            judge.add(columns, row)
    return _report(model, [judge.proof() for judge in judges], tol)


def _refuse_absurd(model: Model, X: Any, force: bool) -> None:
    products = 2 * len(model.coef) * float(X.stored)
    if products > _PRODUCTS and not force:
        raise ValueError(
            f"an exact proof takes {products:.1e} products of long integers, that is hours rather than minutes; "
            "--force does it all the same"
        )


def _judges(model: Model, y: Any, lam: float, bias: bool, class_weight: Any) -> list[Judge]:
    """A judge for each output of the model."""
    import numpy as np

    from pragam.risks.labels import example_weights

    upper = (example_weights(y, None, class_weight) / len(y)).tolist()  # rounded once: this belongs to the problem
    positives = model.classes[1:] if len(model.classes) == 2 else model.classes
    parts = zip(positives, model.coef.tolist(), model.intercept.tolist(), model.alpha.tolist(), strict=True)
    return [Judge(np.where(y == k, 1, -1).tolist(), upper, lam, w, b, alpha, bias) for k, w, b, alpha in parts]


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
    """The same rows, with a bar on the standard error if that is a terminal."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    hidden = quiet or not console.is_terminal
    yield from track(rows, "exact proof", total=n, console=console, transient=True, disable=hidden)


def _report(model: Model, proofs: list[Proof], tol: float) -> int:
    from pragam.cli.table import show

    labels = model.classes[1:] if len(model.classes) == 2 else model.classes
    for label, stored, proof in zip(labels, model.certificates, proofs, strict=True):
        title = "exact proof" if len(proofs) == 1 else f"exact proof of class {label} against the rest"
        rows = (
            ("primal", repr(stored.primal), repr(rounded_up(proof.primal))),
            ("dual", repr(stored.dual), repr(rounded_down(proof.dual))),
            ("gap", f"{stored.gap:.6e}", repr(rounded_up(proof.gap))),
            ("relative gap", f"{stored.relative_gap:.6e}", repr(rounded_up(proof.relative_gap))),
            ("confirmed", "", "yes" if proof.confirms(stored.primal, stored.dual) else "no"),
        )
        show(title, ("", "stored", "exact, rounded outward"), rows)
    pairs = list(zip(proofs, model.certificates, strict=True))
    confirmed = all(proof.confirms(stored.primal, stored.dual) for proof, stored in pairs)
    worst = max(proof.relative_gap for proof in proofs)
    print(_verdict(confirmed, worst <= tol, rounded_up(worst), tol))
    return 0 if confirmed and worst <= tol else 3


def _verdict(confirmed: bool, certified: bool, gap: float, tol: float) -> str:
    bounds = "the stored bounds hold" if confirmed else "a stored bound does not hold"
    word = "Proved" if confirmed and certified else "Not proved"
    return f"{word}: {bounds} in rational arithmetic; the relative gap is {gap:.2e}, the tolerance {tol:g}."
