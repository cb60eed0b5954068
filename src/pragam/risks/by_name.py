"""Risks by name, as model files record them: ``{"name": "hinge", "lam": 1e-4, "bias": true, "class_weight": null}``.

Training builds its problems from such a record and writes it into the model; whoever verifies the model builds them
from the record again. A new risk is one more entry of :data:`RISKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from numpy.typing import NDArray

from pragam.problem import Problem
from pragam.risks.arguments import example_weights
from pragam.risks.hinge import hinge
from pragam.risks.one_vs_rest import one_vs_rest
from pragam.risks.smoothed_hinge import smoothed_hinge
from pragam.risks.squared_hinge import squared_hinge


class NamedRisk(NamedTuple):
    """What a name stands for.

    Attributes
    ----------
    problems : callable
        ``problems(X, y, classes, **parameters)``, one problem for each output of the model.
    parameters : dict
        For each parameter, whether a value that came out of a file can be one.
    """

    problems: Callable[..., list[Problem]]
    parameters: dict[str, Callable[[Any], bool]]


def problems_of(risk: Mapping[str, Any], X: Any, y: NDArray[Any], classes: Any) -> list[Problem]:
    """The problems that a record means on these data, one for each output of the model."""
    parameters = parameters_of(risk)
    return RISKS[risk["name"]].problems(X, y, classes, **parameters)


def parameters_of(risk: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a record. ValueError if its name is unknown, or if it lacks one or has one that cannot be."""
    name = risk.get("name")
    if not isinstance(name, str):
        raise ValueError("it names no risk, so nobody can tell what was minimised")
    if name not in RISKS:
        raise ValueError(f"its risk is {name!r:.40}, and this pragam knows {', '.join(RISKS)}")
    kinds = RISKS[name].parameters
    values = {key: risk.get(key) for key in kinds}
    if not all(is_kind(values[key]) for key, is_kind in kinds.items()):
        raise ValueError(f"the parameters of its risk {name!r} define no problem: {values!r:.200}")
    return values


def is_number(value: Any) -> bool:
    """Whether it is a number; True and False are none."""
    return type(value) in (int, float)


def _margins(risk: Callable[..., Problem]) -> Callable[..., list[Problem]]:
    """A risk of two classes, for each class against the rest."""

    def problems(
        X: Any, y: NDArray[Any], classes: Any, lam: float, bias: bool, class_weight: Any, **shape: float
    ) -> list[Problem]:
        weights = example_weights(y, None, class_weight)
        return one_vs_rest(X, y, classes, lam, bias, weights, partial(risk, **shape))

    return problems


_MARGINS: dict[str, Callable[[Any], bool]] = {
    "lam": is_number,
    "bias": lambda value: type(value) is bool,
    "class_weight": lambda value: value is None or value == "balanced",
}

RISKS = {
    "hinge": NamedRisk(_margins(hinge), _MARGINS),
    "squared_hinge": NamedRisk(_margins(squared_hinge), _MARGINS),
    "smoothed_hinge": NamedRisk(_margins(smoothed_hinge), {**_MARGINS, "gamma": is_number}),
}
