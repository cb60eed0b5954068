"""scikit-learn's callbacks (``sklearn.callback``, from 1.9 on) on top of pragam's; nothing where they do not exist."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from pragam.driver.solve import Callback, Progress

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn < 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Placeholder: this scikit-learn has no callbacks."""

    def with_callbacks(method: Any) -> Any:
        return method


#: Frames between the user's call of ``fit`` and its body: a warning must point at the user's line.
FRAMES_AROUND_FIT = int(hasattr(with_callbacks(lambda self: self), "__wrapped__"))


#: Entered by every solve of a small fit: a generator would cost more than what it says.
_NOBODY: AbstractContextManager[None] = nullcontext()


class FitTasks:
    """The tree of tasks that scikit-learn's callbacks see: fit, one task per problem, one per iteration."""

    def __init__(self, estimator: Any, n_problems: int) -> None:
        self._estimator = estimator
        self._root = None
        if getattr(estimator, "_skl_callbacks", None):
            self._root = estimator._init_callback_context(max_subtasks=n_problems, sequential_subtasks=False)
            self._root.call_on_fit_task_begin(estimator=estimator)

    def problem(self, k: int) -> AbstractContextManager[Callback | None]:
        """The task of problem k, and a callback for :func:`pragam.solve` on it; None if nobody listens."""
        return _NOBODY if self._root is None else self._task(self._root, k)

    @contextmanager
    def _task(self, root: Any, k: int) -> Iterator[Callback]:
        task = root.subcontext(task_name="problem", task_id=k, max_subtasks=None)
        task.call_on_fit_task_begin(estimator=self._estimator)

        def after_iteration(progress: Progress) -> bool:
            iteration = task.subcontext(task_name="iteration")
            iteration.call_on_fit_task_begin(estimator=self._estimator)
            metadata = {"relative_gap": progress.certificate.relative_gap, "passes": progress.passes}
            return bool(iteration.call_on_fit_task_end(estimator=self._estimator, metadata=metadata))

        yield after_iteration
        task.call_on_fit_task_end(estimator=self._estimator)

    def end(self) -> None:
        if self._root is not None:
            self._root.call_on_fit_task_end(estimator=self._estimator)


def both(first: Callback | None, second: Callback | None) -> Callback | None:
    """One callback out of two; either may stop the solve."""
    if first is None or second is None:
        return second if first is None else first

    def run(progress: Progress) -> bool:
        return bool(first(progress)) | bool(second(progress))

    return run
