"""Numbers in few digits, rounded to the safe side: what is printed of a proof holds too.

A float stands for a decimal of so few digits that is within one rounding of it: 0.01 is 1 % and no more.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from math import isfinite, ulp


def at_most(value: float, digits: int) -> str:
    """A number that is no smaller."""
    return _shown(value, digits, ROUND_CEILING)


def at_least(value: float, digits: int) -> str:
    """A number that is no larger."""
    return _shown(value, digits, ROUND_FLOOR)


def percent(value: float, digits: int) -> str:
    """In per cent, no smaller."""
    return _shown(value, digits, ROUND_CEILING, 2) + " %"


def counted(n: int, thing: str) -> str:
    """``1 solve``, ``2 solves``."""
    return f"{n} {thing}{'' if n == 1 else 's'}"


def _shown(value: float, digits: int, rounding: str, places: int = 0) -> str:
    if not isfinite(value):
        return f"{value}"
    short = Decimal(f"{value:.{digits}g}")
    if abs(short - Decimal(value)) > ulp(value):
        short = Context(prec=digits, rounding=rounding).create_decimal(Decimal(value))
    return f"{float(short.scaleb(places)):.{digits}g}"
