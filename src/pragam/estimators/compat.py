"""All that is used of scikit-learn's private modules, and of those that only newer versions have: nowhere but here.

A new version of scikit-learn can break this file alone.
"""

from __future__ import annotations

from typing import Any

from sklearn.linear_model._base import SparseCoefMixin
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

__all__ = [
    "FRAMES_AROUND_FIT", "CallbackSupportMixin", "Interval", "SparseCoefMixin", "StrOptions", "with_callbacks",
]  # fmt: skip
