"""What a fit says when something deserves a word: numbers, and what to change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.driver.result import Result, Status

#: Names of classes in a warning.
_NAMED = 10


def unfinished(results: Sequence[Result], estimator: Any) -> str:
    """About the worst of an estimator's problems whose tolerance was not certified; empty if there is none."""
    missed = [result for result in results if not result.converged]
    if not missed:
        return ""
    worst = max(missed, key=lambda result: result.certificate.relative_gap)
    seconds = worst.history.seconds[-1:].sum()  # a solve that was interrupted at its start has no history
    which = f"{len(missed)} of {len(results)} {estimator._several}: " if len(results) > 1 else ""
    return (
        f"{which}{worst.status} The certified relative gap is {worst.certificate.relative_gap:.2e}, and "
        f"tol={estimator.tol:g} was asked for, after {worst.n_iter} iterations and {seconds:.2g} s "
        f"(max_iter={estimator.max_iter}, max_seconds={estimator.max_seconds}). "
        f"{_remedy(worst.status, estimator._easier)}"
    )


def _remedy(status: Status, easier: str) -> str:
    if status in (Status.STALLED, Status.ROUNDING):
        return f"Raise tol to what is reached here, scale the columns of X, or {easier}."
    if status is Status.FAILED:
        return "Scale the columns of X: float64 cannot hold the numbers that this problem makes."
    return f"Raise max_iter or max_seconds, raise tol, scale the columns of X, or {easier}."


def never_predicted(
    classes: NDArray[Any], predicted: NDArray[np.int64], weights: NDArray[np.float64], class_weight: Any = None
) -> str:
    """About the classes that have weight and are predicted nowhere on the training data; empty if there is none.

    ``predicted`` are the numbers of the classes that are; ``weights`` are those of the classes.
    """
    occurs = np.bincount(predicted, minlength=len(classes)) > 0
    missing = classes[~occurs & (weights > 0)].tolist()
    if not missing:
        return ""
    names = ", ".join(map(str, missing[:_NAMED])) + (", ..." if len(missing) > _NAMED else "")
    balance = "R" if class_weight is not None else "Set class_weight='balanced', r"
    return (
        f"{len(missing)} of {len(classes)} classes are never predicted on the training data: {names}. One against the "
        f"rest, no half-space holds a class that lies between others, or a small one. {balance}aise C, add features "
        "(products of columns, say), or set multi_class='crammer_singer' (pragam.multiclass_hinge), which compares the "
        "classes with each other."
    )
