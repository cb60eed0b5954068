"""scikit-learn's callbacks (``sklearn.callback``, from 1.9 on) on top of pragam's; nothing where they do not exist.

A fit is a tree of tasks: the fit, one task for each problem, one for each iteration. At the end of an iteration
``metadata["relative_gap"]`` is what is certified, and where the model is a single problem ``fitted_estimator`` is the
model so far; at the end of the fit it is the model. So scores can be monitored, and every callback can stop the fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any

from pragam.driver.solve import Callback, Progress

#: The fitted attributes of the model at a step of its only problem.
Halfway = Callable[[Progress], "dict[str, Any] | None"]
#: Entered by every solve of a small fit: a generator would cost more than what it says.
_NOBODY: AbstractContextManager[None] = nullcontext()


class Metadata(dict[str, Any]):
    """The metadata of an iteration. Scorers are called with its items, so the gap is none of them: it is looked up."""

    def __init__(self, items: dict[str, Any], progress: Progress) -> None:
        super().__init__(items)
        self._known = {"relative_gap": progress.certificate.relative_gap, "passes": progress.passes}

    def __missing__(self, name: str) -> float:
        return self._known[name]


class FitTasks:
    """The tree of tasks that scikit-learn's callbacks see. ``data`` are X, y and the metadata of the fit, by name."""

    def __init__(
        self, estimator: Any, n_problems: int, data: dict[str, Any] | None = None, halfway: Halfway | None = None
    ) -> None:
        self._estimator = estimator
        self._data = data or {}
        self._halfway = halfway if n_problems == 1 else None
        self._root = None
        if getattr(estimator, "_skl_callbacks", None):
            self._root = estimator._init_callback_context(max_subtasks=n_problems, sequential_subtasks=False)
            self._root.call_on_fit_task_begin(estimator=estimator, **self._data)

    def problem(self, k: int) -> AbstractContextManager[Callback | None]:
        """The task of problem k, and a callback for :func:`pragam.solve` on it; None if nobody listens."""
        return _NOBODY if self._root is None else self._task(self._root, k)

    @contextmanager
    def _task(self, root: Any, k: int) -> Iterator[Callback]:
        task = root.subcontext(task_name="problem", task_id=k, max_subtasks=None)
        task.call_on_fit_task_begin(estimator=self._estimator, **self._data)
        yield lambda progress: self._step(task, progress)
        task.call_on_fit_task_end(estimator=self._estimator, **self._data)

    def _step(self, task: Any, progress: Progress) -> bool:
        iteration = task.subcontext(task_name="iteration")
        iteration.call_on_fit_task_begin(estimator=self._estimator, **self._data)
        known = {**self._data, "metadata": Metadata(self._data.get("metadata") or {}, progress)}
        if self._halfway is not None:
            known["reconstruction_attributes"] = partial(self._halfway, progress)
        return bool(iteration.call_on_fit_task_end(estimator=self._estimator, **known))

    def end(self) -> None:
        """The estimator is fitted now, and needs no more attributes."""
        if self._root is not None:
            self._root.call_on_fit_task_end(estimator=self._estimator, **self._data, reconstruction_attributes={})


def both(first: Callback | None, second: Callback | None) -> Callback | None:
    """One callback out of two; either may stop the solve."""
    if first is None or second is None:
        return second if first is None else first

    def run(progress: Progress) -> bool:
        return bool(first(progress)) | bool(second(progress))

    return run
