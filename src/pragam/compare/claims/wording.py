"""Sentences with the figures that decide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pragam.compare.claims.spans import Span, Unit


def at_accuracies(table: Mapping[float, Mapping[str, Span]], unit: Unit) -> str:
    """Iterations to 1e-2: pragam 12, ls-bmrm 40; to 1e-3: ..."""
    rows = (f"to {eps:.0e}: {listed(spans, unit)}".replace("e-0", "e-") for eps, spans in table.items())
    return f"{unit.capitalize()} {'; '.join(rows)}."


def listed(spans: Mapping[str, Span], unit: Unit) -> str:
    return ", ".join(f"{name} {span.text(unit)}" for name, span in spans.items())


def numbered(values: Iterable[tuple[str, float]], form: str = ".4g") -> str:
    return ", ".join(f"{name} {value:{form}}" for name, value in values)
