"""What a step from one version of the model file to the next is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pragam.files.container import Tensors

#: Makes a tensor of the next version of the file's own ones.
Make = Callable[[Tensors], Any]
#: By the name in the next version: the name in the file, or what makes the tensor.
Renamed = dict[str, Make | str]
Step = Callable[[dict[str, Any], Tensors], tuple[dict[str, Any], Renamed]]


def constant(value: Any) -> Make:
    """A tensor that stood elsewhere in the file."""
    return lambda own: value
