r"""Every row left out once: the prediction of every optimum of the problem without it, proven, and how many are wrong.

    J_i(w, b) = lam/2 |w|^2 + sum over k != i of weight_k/n h(1 - y_k (<x_k, w> + b))

1. *model*: the optimum of all rows, certified to 1e-9. It decides the rows that no optimum feels, and those on the
   wrong side of it, whose margins cannot rise (:mod:`pragam.certificate.left_out.removal`). One product for all.
2. *moved*: the certified pair, moved off the row, decides most of the others (:mod:`pragam.certificate.left_out.span`).
   Some products of small matrices, and none with the data.
3. *solve*: what is left is solved without the row, from there, to a gap that decides it.

Proven is what exact arithmetic says of every optimum of J_i. A score of 0, or one that rounding cannot tell from it, is
open for good: the error is then an interval.

*C is fixed.* lam and the weights 1/n stay as they are, so J_i / lam is |w|^2 / 2 plus C times the *sum* of the losses
of the other rows, C = 1/(n lam): a fit of these with the same C. (One with the same lam, whose losses are a mean of
n - 1, has C = 1/((n - 1) lam).)

Sources: Vapnik and Chapelle, "Bounds on error expectation for support vector machines", 2000, for the span; Okumura,
Suzuki and Takeuchi, "Quick sensitivity analysis for incremental data modification and its application to leave-one-out
CV in linear classification problems", 2015, arXiv:1504.02870, for leaving out by bounds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from pragam.certificate.left_out import MarginProblem, Span, after_removal
from pragam.certificate.region import region
from pragam.driver.checkpoint.place import AnyPath, Checkpoints, checkpoints_of
from pragam.driver.jobs import Settings
from pragam.driver.result import Result, Status
from pragam.driver.solve import solve
from pragam.models import LinearModel
from pragam.numerics.arguments import check_seconds
from pragam.numerics.vector import Vector
from pragam.runtime.interrupts import Signals, listen
from pragam.runtime.threads import one_blas_thread
from pragam.selection.left_out.kept import kept
from pragam.selection.left_out.one_row import settle
from pragam.selection.left_out.progress import Callback, LeftOutProgress
from pragam.selection.left_out.result import LeaveOneOut
from pragam.selection.left_out.rows import LeftOutRows
from pragam.selection.left_out.supported import posed

#: The gap of the model that all rows are left out from.
_WHOLE = 1e-9
#: Rows of one call of the second stage, between which signals, budgets and callbacks are looked at: so many at most,
#: and no more than so many tables, as a row of many columns takes long.
_STRIDE, _TABLES = 2048, 4

#: A relative gap that says next to nothing, and how many rows are tried in vain where rounding leaves it.
_NOTHING, _TRIED = 0.5, 3

_INTERRUPTED = "The search was interrupted before the others were decided."
_STOPPED = "The callback asked to stop before the others were decided."
_SECONDS = "The time budget ended before the others were decided."
_VAIN = "Float64 proves next to nothing of the model itself, nor without the rows that were tried: scale X."
_ENDS = {Status.INTERRUPTED: _INTERRUPTED, Status.STOPPED: _STOPPED, Status.MAX_SECONDS: _SECONDS}


#: Weights and a dual point.
Pair = tuple[Vector, Vector]


class _EndedError(Exception):
    """The search ends here. The message is a sentence."""


def leave_one_out(
    model: LinearModel,
    samples: Any,
    settings: Settings | None = None,
    *,
    max_seconds: float | None = None,
    callback: Callback | None = None,
    checkpoint: AnyPath | Checkpoints | None = None,
) -> LeaveOneOut:
    """The leave-one-out error of what the model minimises, on the samples that it was trained on.

    The model gives the problem and a start; how well it was solved does not matter.

    Parameters
    ----------
    model : of two classes, with a loss of margins, on rows in memory; others are refused
        Means and deviations of ``standardize``, and weights of classes, "balanced" ones too, stay those of all rows.
    samples : rows with their labels
    settings : the solver and its seed, for all solves
    max_seconds : for all of it. What is decided by then stays decided, and the error is an interval.
    callback : called with a :class:`LeftOutProgress` after each step; a true value stops the search
    checkpoint : a directory in which it is kept what is decided. The same call goes on from there.
    """
    check_seconds(max_seconds)
    problem, places = posed(model, samples), checkpoints_of(checkpoint)
    with listen() as signals, one_blas_thread(), np.errstate(all="ignore"):
        rows = LeftOutRows.of(model, samples.y)
        search = _Search(problem, rows, settings or Settings(), signals, callback, max_seconds)
        with kept(places, problem, rows) as keeper:
            search.keep = keeper
            return rows.result(search.run(_start(model), places))


def _start(model: LinearModel) -> Pair | None:
    """The pair of the model, where it has a dual point."""
    dual = model.proofs[0].dual if len(model.proofs) == 1 else None
    ((w, _),) = model.points()
    return None if dual is None else (w, dual)


class _Search:
    """The three stages, and what may end them."""

    keep: Callable[[LeftOutRows], None]

    def __init__(
        self,
        problem: MarginProblem,
        rows: LeftOutRows,
        settings: Settings,
        signals: Signals,
        callback: Callback | None,
        seconds: float | None,
    ) -> None:
        self.problem, self.rows, self.signals, self.callback = problem, rows, signals, callback
        self.begin, self.seconds = time.perf_counter(), seconds
        self.options: dict[str, Any] = {"solver": settings.solver, "random_state": settings.seed(0)}

    def run(self, start: Pair | None, places: Checkpoints | None) -> str:
        """Decide what can be decided; why it ended early, a sentence, or nothing."""
        try:
            place = None if places is None else places.of("model")
            whole = solve(
                self.problem, tol=_WHOLE, start=start, max_seconds=self.left(), checkpoint=place, **self.options
            )
            self._by_model(whole)
            self._look(whole.status)
            with self.signals.raising:
                span = Span(self.problem, whole.w, whole.alpha, whole.certificate)
            self._by_moving(span)
            self._by_solves(span, whole)
        except _EndedError as end:
            return str(end)
        except KeyboardInterrupt:
            return _INTERRUPTED
        return ""

    def left(self) -> float | None:
        """The seconds that are left."""
        return None if self.seconds is None else max(self.seconds - (time.perf_counter() - self.begin), 0.0)

    def _by_model(self, whole: Result) -> None:
        """What the optima of all rows say."""
        problem, rows = self.problem, self.rows
        X = problem.A.storage
        ends = region(problem, whole.w, whole.alpha, whole.certificate).decisions(X)[:, 0]
        bounds, _ = after_removal(problem, ends)
        if not problem.n_biases:  # there the score of a row of zeros is 0
            bounds[X.row_sizes == 0] = 0.0
        rows.learn(np.arange(len(bounds)), bounds, "model")

    def _by_moving(self, span: Span) -> None:
        """What the pair says that is moved off each row."""
        rows, stride = self.rows.open, min(_STRIDE, _TABLES * span.step)
        for first in range(0, len(rows), stride):
            part = rows[first : first + stride]
            with self.signals.raising:
                bounds = span.bounds(part)
            self.rows.learn(part, bounds, "moved")
            self._look()

    def _by_solves(self, span: Span, whole: Result) -> None:
        """What solves without each of the others say, one after the other; those of a run before are not made again.

        Where float64 proves next to nothing of the whole, some are tried.
        """
        rows, left, w = self.rows, self.rows.open, whole.w
        is_vain = whole.status is Status.ROUNDING and whole.certificate.relative_gap > _NOTHING
        for i in left[left >= rows.done].tolist():
            if is_vain and np.count_nonzero(rows.open < rows.done) >= _TRIED:
                raise _EndedError(_VAIN)
            with self.signals.raising:
                start = w, span.without(i)
            solves, result = settle(self.problem, i, start, rows.learn_of, self.left, **self.options)
            rows.solves += solves
            is_over = bool(rows.stage[i]) or result.status not in _ENDS
            rows.done = i + 1 if is_over else rows.done
            self._look(None if is_over else result.status)

    def _look(self, status: Status | None = None) -> None:
        """Keep what is decided, tell the callback, and end if something asks for it."""
        rows, signals = self.rows, self.signals
        self.keep(rows)
        if signals.asked:
            raise _EndedError(_INTERRUPTED)
        if status in _ENDS:
            raise _EndedError(_ENDS[status])
        if self.left() == 0:
            raise _EndedError(_SECONDS)
        if self.callback is not None and self.callback(self._progress()):
            raise _EndedError(_STOPPED)

    def _progress(self) -> LeftOutProgress:
        rows = self.rows
        decided, wrong = np.count_nonzero(rows.stage), np.count_nonzero(rows.wrong)
        seconds = time.perf_counter() - self.begin
        return LeftOutProgress(len(rows.code), int(decided), int(wrong), rows.solves, seconds)
