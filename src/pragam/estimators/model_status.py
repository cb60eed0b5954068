"""How a solve ended, as a model file says it."""

from __future__ import annotations

from typing import Any

from pragam.driver.result import Status
from pragam.numerics.arguments import is_whole


def status_of(name: Any) -> Status:
    """The status of this name. ValueError if there is none."""
    if not isinstance(name, str) or name not in Status.__members__:
        raise ValueError(f"the status of the model, {name!r:.40}, is not known")
    return Status[name]


def iterations_of(number: Any) -> int:
    """The number of iterations. ValueError if it is none."""
    if not is_whole(number):
        raise ValueError(f"the n_iter of the model, {number!r:.40}, is no number of iterations")
    return int(number)
