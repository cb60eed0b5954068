"""The problems that solvers and peers are compared on, by the name that a Run carries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pragam.compare.sequences import chain_problem
from pragam.problem import Problem
from pragam.risks import hinge

HINGE, BIASED, CHAIN = "hinge", "hinge with a bias", "sequences"

#: name: (X, y, lam) -> Problem
PROBLEMS: dict[str, Callable[[Any, Any, float], Problem]] = {
    HINGE: lambda X, y, lam: hinge(X, y, lam, bias=False),
    BIASED: lambda X, y, lam: hinge(X, y, lam, bias=True),
    CHAIN: chain_problem,
}


def check_problem(name: str) -> str:
    """The name itself, if there is such a problem."""
    if name not in PROBLEMS:
        raise ValueError(f"problem must be one of {', '.join(map(repr, PROBLEMS))}, not {name!r}")
    return name
