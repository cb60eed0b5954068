"""The exact leave-one-out error of a fitted estimator of rows, as a method."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from sklearn.utils.validation import check_is_fitted

from pragam.driver.jobs import Settings
from pragam.selection.left_out import LeaveOneOut, LeftOutLine, LeftOutProgress, leave_one_out


class LeavesOneOut:
    """A ``model_``, and what makes samples of X and y."""

    model_: Any
    solver: Any
    verbose: Any
    _samples: Callable[..., Any]

    def leave_one_out(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        max_seconds: float | None = None,
        callback: Callable[[LeftOutProgress], Any] | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> LeaveOneOut:
        """How many rows are wrong when the model has not seen them: exact, and proven row by row.

        For every row, the prediction of *every* optimum of the problem without it is proven: by what the optimum of all
        rows says, by bounds, or by a solve without it. Of two classes, with the losses of :class:`LinearSVC`; other
        models are refused. How well this model was solved does not matter.

        C stays, so a row's loss leaves the sum that C weighs, as if the other n - 1 rows had been fitted with the same
        C. ``class_weight="balanced"`` keeps the weights, and ``standardize=True`` the means and deviations, of all
        rows. Where scores are 0, or so near that float64 cannot tell, the error is an interval; so it is where the
        search ended early.

        Parameters
        ----------
        X, y : those of fit; others are refused
        sample_weight : needed no more, the model keeps what it was fitted with; other weights are refused
        max_seconds : float, optional
            The search ends then, or at Ctrl-C, and keeps what is decided.
        callback : callable, optional
            Called with a record of ``n``, ``decided``, ``wrong``, ``solves`` and ``seconds``; a true value ends the
            search.
        checkpoint : path of a directory, optional
            Where it is kept what is decided. The same call goes on from there, also after the process was killed.

        Returns
        -------
        LeaveOneOut
            ``errors`` (a number, or (at least, at most)), ``error`` as a share, ``bounds`` (n, 2) of the decision
            values, ``predictions``, ``decided_by``, ``solves``, and a sentence, ``remark``.
        """
        check_is_fitted(self)
        samples = self._samples(X, y, sample_weight, False)
        settings = Settings(solver=self.solver)
        with LeftOutLine(type(self).__name__, quiet=not self.verbose) as line:

            def listen(progress: LeftOutProgress) -> Any:
                line(progress)
                return callback is not None and callback(progress)

            return leave_one_out(
                self.model_, samples, settings, max_seconds=max_seconds, callback=listen, checkpoint=checkpoint
            )
