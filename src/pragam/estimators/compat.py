"""All that is used of scikit-learn's private modules, and of those that only newer versions have: nowhere but here.

A new version of scikit-learn can break this file alone.
"""

from __future__ import annotations

from inspect import signature
from typing import Any

from sklearn.linear_model._base import SparseCoefMixin
from sklearn.utils import _safe_indexing as some_rows
from sklearn.utils._param_validation import Interval, StrOptions

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn < 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Placeholder: this scikit-learn has no callbacks."""

    def with_callbacks(method: Any) -> Any:
        return method


#: Frames between the user's call of ``fit`` and its body: a warning must point at the user's line.
FRAMES_AROUND_FIT = int(hasattr(with_callbacks(lambda self: self), "__wrapped__"))


def accepts_weights(scorer: Any) -> bool:
    """Whether a grid search would give the scorer the weights of rows."""
    ask = getattr(scorer, "_accept_sample_weight", None)
    return bool(ask()) if ask is not None else "sample_weight" in signature(scorer).parameters


__all__ = [
    "FRAMES_AROUND_FIT", "CallbackSupportMixin", "Interval", "SparseCoefMixin", "StrOptions", "accepts_weights",
    "some_rows", "with_callbacks",
]  # fmt: skip
