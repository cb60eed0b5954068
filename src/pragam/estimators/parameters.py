"""The parameters of estimators as fields of a dataclass: a default, and what scikit-learn may accept.

``@estimator`` makes the constructor, whose signature scikit-learn reads, ``_parameter_constraints``, and the docstring
(:mod:`pragam.estimators.docstrings`). So no estimator writes an ``__init__``, and shared parameters are written once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import wraps
from inspect import Signature, signature
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from pragam.estimators.compat import Interval, StrOptions
from pragam.estimators.docstrings import inherited, sections_of

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:  # it speaks to type checkers alone, and is part of Python since 3.11

    def dataclass_transform(**_):
        return lambda decorator: decorator


T = TypeVar("T")

#: What stands for a parameter that JSON cannot hold: a callable, a RandomState.
_UNKNOWN = object()


def parameter(default: Any, *allowed: Any, first: bool = False) -> Any:
    """A parameter, and what it may be, in scikit-learn's words; the ``first`` one may be passed by position."""
    return field(default=default, kw_only=not first, metadata={"allowed": list(allowed)})


def positive(default: float, *, first: bool = False) -> Any:
    """A number above 0."""
    return parameter(default, Interval(Real, 0, None, closed="neither"), first=first)


def at_least_zero(default: float) -> Any:
    """A number >= 0."""
    return parameter(default, Interval(Real, 0, None, closed="left"))


def flag(default: bool) -> Any:
    """True or False."""
    return parameter(default, "boolean")


def word(default: str, *others: str) -> Any:
    """One of some words."""
    return parameter(default, StrOptions({default, *others}))


def budget(default: Any = None, kind: Any = Integral) -> Any:
    """A number >= 0, or None."""
    return parameter(default, Interval(kind, 0, None, closed="left"), None)


def class_weights() -> Any:
    """None, "balanced", or a dict from label to weight."""
    return parameter(None, dict, StrOptions({"balanced"}), None)


@dataclass_transform(
    kw_only_default=True,
    field_specifiers=(parameter, positive, at_least_zero, flag, word, budget, class_weights),
)
def estimator(cls: type[T]) -> type[T]:
    """A class whose annotated fields are its parameters.

    ``_instead`` maps names that people bring from scikit-learn to a sentence about what to pass instead.
    """
    made: Any = dataclass(eq=False, repr=False)(cls)
    known = {each.name: each.metadata["allowed"] for each in fields(made)}
    made._parameter_constraints = known
    made.__doc__ = inherited(made)
    made.__init__.__signature__ = _in_order(signature(made.__init__), list(sections_of(made.__doc__)[1]["Parameters"]))
    if "_instead" in vars(made):
        made.__init__ = _explaining(made.__init__, made._instead)
    return made


def _in_order(found: Signature, documented: list[str]) -> Signature:
    """The keywords in the order of the docstring: a class's own before those of its bases."""
    order = {name: k for k, name in enumerate(documented)}
    own = sorted(found.parameters.values(), key=lambda each: (each.kind, order.get(each.name, -1)))
    return found.replace(parameters=own)


def _explaining(init: Callable[..., None], instead: Mapping[str, str]) -> Callable[..., None]:
    @wraps(init)
    def explaining(self: Any, *arguments: Any, **keywords: Any) -> None:
        for name in keywords.keys() & instead.keys():
            raise TypeError(instead[name])
        init(self, *arguments, **keywords)

    return explaining


def to_json(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that JSON can hold: arrays as lists, a dict, whose keys may be numbers, as pairs."""
    plain = {name: _plain(value) for name, value in parameters.items()}
    return {name: value for name, value in plain.items() if value is not _UNKNOWN}


def from_json(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What :func:`to_json` made of them, arrays as lists."""
    return {name: dict(map(tuple, v["pairs"])) if isinstance(v, dict) else v for name, v in parameters.items()}


def _plain(value: Any) -> Any:
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, dict):
        return {"pairs": [[np.asarray(key).item(), _plain(each)] for key, each in value.items()]}
    array = np.asarray(value)
    return array.tolist() if array.dtype.kind in "biufU" else _UNKNOWN
