"""Why a solver has failed, as a sentence for its user: what happened, whether its numbers explain that, what to do."""

from __future__ import annotations

import numpy as np

from pragam.problem import AnyProblem

#: Beyond this, or below its inverse, squares and quotients of a problem's numbers leave float64 within a few products.
_EXTREME = 1e60


def sentence_of(error: Exception, problem: AnyProblem, label: str, iteration: int) -> str:
    """The sentence for what the solver ``label`` has raised in this iteration, or for a proposal of its outside Q."""
    what = str(error).strip().rstrip(".") or "no message"
    name = type(error).__name__
    is_arithmetic = isinstance(error, (ArithmeticError, np.linalg.LinAlgError))
    told = f"its arithmetic broke down ({name}: {what})" if is_arithmetic else f"{what} ({name})"
    return f"The solver {label!r} failed in iteration {iteration}: {told}.{_extremes(problem)}"


def _extremes(problem: AnyProblem) -> str:
    """What is far from 1 among the numbers of the problem, and the remedy; empty if nothing is."""
    try:
        with np.errstate(all="ignore"):
            row = float(problem.A.row_norms().max(initial=0.0))
            ratio = row / problem.lam**0.5
    except Exception:  # rows of a user's own operator may be what has failed
        return ""
    if ratio == 0 or 1 / _EXTREME < ratio * ratio < _EXTREME:
        return ""
    return (
        f" Rows of X as long as {row:.1e} and lam = {problem.lam:.1e} are too far apart for it: scale X, or choose a "
        f"lam nearer to {row:.1e} squared."
    )
