"""What is proven of a range, in sentences."""

from __future__ import annotations

from typing import Any

from pragam.driver.result import Status
from pragam.selection.proven.shown import at_least, at_most

_ENDED = {
    Status.MAX_SECONDS: "the time ended",
    Status.INTERRUPTED: "the search was interrupted",
    Status.STOPPED: "the callback asked to stop",
}


def remark_on(found: Any) -> str:
    """The proof, what it lacks, whose error it is, and what chance alone would do."""
    said = [_proof(found)]
    if not found.is_proven:
        said.append(_lacking(found))
    said.append(_own(found))
    if found.proven < found.standard_error:
        said.append(
            f"Of new data a difference below one standard error, {_size(found, found.standard_error)}, says nothing."
        )
    return " ".join(filter(None, said))


def _proof(found: Any) -> str:
    low, high = found.lams
    of, best = f"at any lam from {low:.4g} to {high:.4g}", f"the best computed one, at lam = {found.lam:.6g}, has"
    least, has = found.cells.lower.min(), _measured(found, found.error)
    if not found.error > 0:
        return f"{best.capitalize()} {has}, and none {of} can have fewer."
    if not least > 0:
        return f"Of the whole range nothing is proven yet, from {low:.4g} to {high:.4g}; {best} {has}."
    if found.measure != "errors":
        return f"No exact model {of} has a mean loss below {at_least(least, 6)}; {best} {found.error:.6g}."
    return f"No exact model {of} has fewer than {_measured(found, least)}; {best} {_count(found, found.error)}."


def _lacking(found: Any) -> str:
    asked = _size(found, found.asked)
    passed = f"It is proven of {at_least(100 * found.passed, 3)} % of the range, in octaves."
    if found.status is not None:
        ended = _ENDED.get(found.status, str(found.status))
        return f"Less was asked for, {asked}: {ended} before that was proven. {passed}"
    lo, hi = found.open.lo, found.open.hi
    cells = f"{len(lo)} cells between lam = {lo.min():.4g} and {hi.max():.4g} stay" if len(lo) != 1 else (
        f"one cell, from lam = {lo[0]:.4g} to {hi[0]:.4g}, stays")  # fmt: skip
    return (
        f"Less was asked for, {asked}: {cells} open, as float64 proves no more there: some scores may be 0, or next to "
        f"it, or several intercepts best. {passed}"
    )


def _own(found: Any) -> str:
    """What is proven of the exact model at the best lam, where it is not what the computed one has."""
    say = _count if found.measure == "errors" else lambda _, loss: f"{loss:.6g}"
    lower, upper = found.bounds(found.lam)
    few, many = say(found, lower), say(found, upper)
    if few == many == say(found, found.error):
        return ""
    if found.measure != "errors":
        few, many = at_least(lower, 6), at_most(upper, 6)
    return f"The exact model there has {few if few == many else f'{few} to {many}'}."


def _measured(found: Any, share: float) -> str:
    if found.measure != "errors":
        return f"a mean loss of {share:.6g}"
    count = _count(found, share)
    return f"{count} wrong prediction{'' if count == '1' else 's'} of {found.n_rows}"


def _count(found: Any, share: float) -> str:
    return str(round(share * found.n_rows))


def _size(found: Any, share: float) -> str:
    return f"{100 * share:.3g} %" if found.measure == "errors" else f"{share:.3g}"
