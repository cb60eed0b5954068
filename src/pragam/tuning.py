"""The old place of :mod:`pragam.selection`; to be removed in the next release."""

import warnings

from pragam.selection import PAPER_LAMS, Tuning, tune

warnings.warn("pragam.tuning has moved: use pragam.selection", DeprecationWarning, stacklevel=2)

__all__ = ["PAPER_LAMS", "Tuning", "tune"]
