"""Sentences with the figures that decide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pragam.paper.claims.spans import Span, Table, Unit, reached


def at_accuracies(table: Table, unit: Unit) -> str:
    """Iterations to 1e-2: pragam 12, ls-bmrm 40; to 1e-3: ...; those that nobody reaches only by number."""
    shown = reached(table)
    rows = [f"to {_level(eps)}: {listed(spans, unit)}" for eps, spans in shown.items()]
    missed = ", ".join(_level(eps) for eps in table if eps not in shown)
    words = f"{unit.capitalize()} {'; '.join(rows)}." if rows else ""
    return f"{words} Reached by none: {missed}.".strip() if missed else words


def _level(eps: float) -> str:
    return f"{eps:g}" if eps >= 1e-2 else f"{eps:.0e}".replace("e-0", "e-")


def listed(spans: Mapping[str, Span], unit: Unit) -> str:
    return ", ".join(f"{name} {span.text(unit)}" for name, span in spans.items())


def numbered(values: Iterable[tuple[str, float]], form: str = ".4g") -> str:
    return ", ".join(f"{name} {value:{form}}" for name, value in values)
