"""Arguments of any function here, checked: what is wrong with one is a ValueError that names it."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The largest finite float64.
LARGEST = float(np.finfo(np.float64).max)
#: The least normal one. A processor may read smaller numbers as 0, so none of them is positive here.
LEAST = float(np.finfo(np.float64).smallest_normal)


def refuse_masked(**arrays: Any) -> None:
    """Refuse masked arrays. NumPy drops a mask silently, and the model would use the masked numbers."""
    for name, array in arrays.items():
        if isinstance(array, np.ma.MaskedArray):
            raise ValueError(f"{name} is a masked array: fill its masked entries, or leave out their rows")


def float_of(value: Any) -> float:
    """A real number of Python or NumPy as a float. NaN for everything else, such as True, "1", [1] and 1j."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return nan
    try:
        return float(value)
    except OverflowError:  # an int of hundreds of digits
        return inf if value > 0 else -inf


def check_number(name: str, value: Any, least: float = -inf, above: float = -inf, most: float = LARGEST) -> float:
    """value as a float; refused unless it is a real number >= ``least``, > ``above`` and <= ``most``.

    A NumPy scalar of lower precision would make what is computed from it as imprecise as itself. A number above 0 is a
    normal one.
    """
    number = float_of(value)
    if not (least <= number <= most and number > above and (above != 0 or number >= LEAST)):
        kind = "a finite number" if most < inf else "a number"
        bound = f"> {above:g}" if above > -inf else f">= {least:g}"
        bound += f" and <= {most:g}" if most < LARGEST else ""
        note = f": one below {LEAST:.3g} may be read as 0" if above == 0 and abs(number) < LEAST and value else ""
        raise ValueError(f"{name} must be {kind} {bound}, not {value!r:.60}{note}")
    return number


def is_whole(value: Any) -> bool:
    """Whether it is an integer of at least 0 of Python or NumPy; True and False are none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(value >= 0)


def check_seconds(value: Any) -> None:
    """A budget of time, which may be none."""
    if not (value is None or float_of(value) >= 0):
        raise ValueError(f"max_seconds must be None or a number >= 0, not {value!r:.60}")


def check_flag(name: str, value: Any) -> None:
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, not {value!r:.60}")


def array_of(name: str, values: Any) -> NDArray[Any]:
    """values as an array; refused if it is masked or ragged."""
    refuse_masked(**{name: values})
    try:
        return np.asarray(values)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array: {error}") from error


def real_array(name: str, values: Any) -> NDArray[Any]:
    """values as an array of real numbers. An array of bool holds zeros and ones; True alone is no number."""
    array = array_of(name, values)
    if array.dtype.kind not in ("iuf" if array.ndim == 0 else "biuf"):
        raise ValueError(f"{name} must be real numbers, not {array.dtype}")
    return array


def flat(name: str, x: Any, size: int) -> NDArray[np.float64]:
    """As a contiguous vector of float64 of this length."""
    values = np.ascontiguousarray(real_array(name, x), dtype=np.float64).reshape(-1)
    if values.size != size:
        raise ValueError(f"{name} has {values.size} entries, and the problem needs {size}")
    return values
