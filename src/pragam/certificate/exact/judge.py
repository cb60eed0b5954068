"""The verdict on one model of one risk: J at its weights and D next to its dual point, as fractions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from pragam.certificate.exact import arguments as read
from pragam.certificate.exact.form import Form
from pragam.certificate.exact.numbers import Numbers, numbers, plus, rounded_up
from pragam.certificate.exact.planes import repaired
from pragam.certificate.exact.risks import form_of
from pragam.certificate.exact.rows import Rows, StandardizedRows

#: alpha may be this far outside its set, relative to the sums of |alpha_j|: more is no rounding.
REPAIRABLE = Fraction(1, 10**6)


@dataclass(frozen=True)
class Judged:
    """J(w, b) >= min J >= D(alpha'), exactly; alpha' is feasible, and sum_j |alpha'_j - alpha_j| is ``moved``."""

    primal: Fraction
    dual: Fraction
    moved: Fraction = Fraction(0)

    @property
    def gap(self) -> Fraction:
        """J - D."""
        return self.primal - self.dual

    @property
    def relative_gap(self) -> Fraction:
        """(J - D) / max(|J|, |D|)."""
        return self.gap / (max(abs(self.primal), abs(self.dual)) or 1)

    def confirms(self, primal: float, dual: float) -> bool:
        """Whether these floats bound J from above and D from below."""
        return primal >= self.primal and dual <= self.dual


def judge(
    risk: Mapping[str, Any], X: Any, y: Any, w: Any, biases: Any, alpha: Any, weights: Any = None,
    progress: Callable[[int, int], None] | None = None, factor: Any = None, mean: Any = None,
) -> Judged:  # fmt: skip
    """J(w, biases) and D of an exactly feasible point next to alpha: see the package for the arguments.

    ``progress(done, of)`` is told how many rows of X have been read: each is read twice.
    """
    X = read.data(X)
    n = len(X[2]) - 1 if isinstance(X, tuple) else len(X)
    w = read.reals("w", w).ravel()
    done = 0

    def seen(rows: int) -> None:
        nonlocal done
        done += rows
        if progress is not None:
            progress(done, 2 * n)

    def rows(n_outputs: int) -> Rows:
        d, left = divmod(len(w), n_outputs)
        if left:
            raise ValueError(f"w must hold as many numbers for each of {n_outputs} outputs, not {len(w)} in all")
        read.check_columns(X, d)
        return Rows(X, d, seen) if factor is None else StandardizedRows(X, d, seen, *_columns(factor, mean, d))

    form = form_of(risk, y, read.loss_weights(weights, n), rows)
    point = numbers(read.vector("alpha", alpha, len(form.row)))
    feasible, moved = _feasible(form, point)
    return Judged(form.primal(numbers(w), _biases(form, biases)), form.dual(feasible), moved)


def _columns(factor: Any, mean: Any, d: int) -> tuple[Any, Any]:
    """What is multiplied to each column, and taken from it before."""
    return read.vector("factor", factor, d), None if mean is None else read.vector("mean", mean, d)


def _biases(form: Form, biases: Any) -> Numbers:
    """Those of the form's planes. Without planes there are none, or zeros."""
    planes = len(form.levels.values)
    if not planes and not np.any(read.reals("biases", biases)):
        return Numbers([], Fraction(1))
    return numbers(read.vector("biases", biases, planes))


def _feasible(form: Form, alpha: Numbers) -> tuple[Numbers, Fraction]:
    """A feasible point next to alpha, and the distance; ValueError if alpha is farther out than rounding explains."""
    point = repaired(form, alpha)
    steps = plus(point, alpha, -1)
    moved, size = sum(map(abs, steps.values)) * steps.unit, form.Q.size(alpha)
    if moved > REPAIRABLE * size:
        far = rounded_up(moved / size) if size else inf
        raise ValueError(f"alpha is off by {far:.3g} of the size of its set, and {float(REPAIRABLE):g} is repaired")
    return point, moved
