"""What a fit says when something deserves a word: numbers, and what to change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.driver.result import Result, Status

#: Names of classes in a warning.
_NAMED = 10
#: A relative gap above this says hardly anything: it is no tolerance to ask for.
_HARDLY = 0.1


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
        f"{asked(estimator)} was asked for, after {worst.n_iter} iterations and {seconds:.2g} s "
        f"(max_iter={estimator.max_iter}, max_seconds={estimator.max_seconds}). "
        f"{_remedy(worst, estimator._easier)}"
    )


def asked(estimator: Any) -> str:
    """The tolerance; and the gap that it means, if that is another number."""
    gap = "" if estimator._gap == estimator.tol else f", a gap of {estimator._gap:g},"
    return f"tol={estimator.tol:g}{gap}"


def _remedy(result: Result, easier: str) -> str:
    if result.status in (Status.STALLED, Status.ROUNDING):
        if result.certificate.relative_gap > _HARDLY:
            return f"Scale the columns of X, or {easier}."
        return f"Raise tol to what is reached here, scale the columns of X, or {easier}."
    if result.status is Status.FAILED:
        return "Scale the columns of X: float64 cannot hold the numbers that this problem makes."
    return f"Raise max_iter or max_seconds, raise tol, scale the columns of X, or {easier}."


def never_predicted(
    classes: NDArray[Any], predicted_codes: NDArray[np.int64], weights: NDArray[np.float64], class_weight: Any
) -> str:
    """About the classes that have weight and are predicted nowhere on the training data; empty if there is none.

    ``predicted_codes`` are numbers of classes, one for each row; ``weights`` are those of the classes.
    """
    is_predicted = np.bincount(predicted_codes, minlength=len(classes)) > 0
    missing = classes[~is_predicted & (weights > 0)].tolist()
    if not missing:
        return ""
    names = ", ".join(map(str, missing[:_NAMED])) + (", ..." if len(missing) > _NAMED else "")
    is_balanced = isinstance(class_weight, str) and class_weight == "balanced"
    remedies = [] if is_balanced else ["set class_weight='balanced'"]
    remedies += ["raise C", "add features (products of columns, say)"]
    cause = "It costs least to give up a small class, or one among the others."
    if len(classes) > 2:
        cause = "One against the rest, no half-space holds a class that lies between others, or a small one."
        remedies.append("use pragam.MulticlassSVC, which compares the classes with each other")
    verb = "is" if len(missing) == 1 else "are"
    advice = f"{', '.join(remedies[:-1])}, or {remedies[-1]}."
    return (
        f"{len(missing)} of {len(classes)} classes {verb} never predicted on the training data: {names}. {cause} "
        f"{advice[0].upper()}{advice[1:]}"
    )
