"""The risk as data: what is minimised, in a frozen record that an estimator, a file, a command and an audit all hold.

    record.pose(samples, labels) -> [Problem]    which problems it means on these samples
    record.shape(labels)         -> [Shape]      how (w, b) of each problem becomes coefficients and intercepts
    record.target                                what y looks like: Classes, Levels, Numbers, LabelSets
    record.rule                                  scores to predictions, and which of them are proven
    record.to_json(), risk_of                    the same record again

The scores of a row are always X coef' + intercept. A new risk is one such class, beside the function that users call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.problem import AnyProblem
from pragam.risks.rules import Rule

Labels = NDArray[Any]


class Shape(NamedTuple):
    """How the solution of one problem is part of a model: w is (rows, d), flat, with ``biases`` intercepts.

    One row with several intercepts (ordinal) is added to each of them.
    """

    rows: int
    biases: int

    @property
    def outputs(self) -> int:
        """How many scores it makes."""
        return max(self)


class Stated(NamedTuple):
    """One problem in the plain terms of :mod:`pragam.certificate.exact`: a dict, numbers for y, weights of rows."""

    risk: dict[str, Any]
    y: NDArray[Any]
    weights: NDArray[np.float64] | None


@dataclass(frozen=True, kw_only=True)
class Risk:
    """The base of all records. A field is a parameter with its check (:mod:`pragam.risks.parameters`)."""

    name: ClassVar[str]
    kind: ClassVar[str] = "linear"  # of the models that it makes
    form: ClassVar[str] = "rows"  # of the samples that it is posed on
    may_lack: ClassVar[bool] = False  # whether a model may know labels that its training data do not have
    target: ClassVar[Any]
    rule: ClassVar[Rule]

    def __post_init__(self) -> None:
        for each in fields(self):
            object.__setattr__(self, each.name, each.metadata["check"](each.name, getattr(self, each.name)))

    @property
    def has_labels(self) -> bool:
        """Whether y holds labels, and not numbers."""
        return bool(self.target.has_labels)

    def learn(self, samples: Any) -> Labels:
        """The classes, levels or labels that a model of these samples knows; none where y holds numbers."""
        named = getattr(samples, "labels", None)
        return self.target.learn(samples.y) if named is None else named

    def pose(self, samples: Any, labels: Labels) -> list[AnyProblem]:
        """The problems on these samples. They share nothing but X, and the model minimises their sum."""
        raise NotImplementedError

    def check_labels(self, labels: Labels) -> None:
        """Refuse the labels of a file that contradict the record."""

    def stated(self, samples: Any, labels: Labels) -> list[Stated]:
        """The same problems for a judge that builds them anew. ValueError if there is none for this risk."""
        raise ValueError(f"there is no exact judge of {self.name}")

    def shape(self, labels: Labels) -> list[Shape]:
        """That of each problem."""
        raise NotImplementedError

    def parts(self, labels: Labels) -> list[str]:
        """What the problems are called; a single one needs no name."""
        return [""]

    def outputs(self, labels: Labels) -> list[str]:
        """What the scores of a row are called."""
        return [str(label) for label in labels.tolist()] if len(labels) > 2 else [""]

    def worth(self, truth: Any, predicted: Any) -> NDArray[np.float64]:
        """What predictions are worth, one number for each row, token or node; the mean is a model's score."""
        return self.target.worth(truth, predicted)

    def at(self, lam: float) -> Any:
        """The same risk with another lam."""
        return replace(self, lam=lam)  # type: ignore[call-arg]

    def to_json(self) -> dict[str, Any]:
        """What :func:`risk_of` reads."""
        return {"name": self.name, **{each.name: _plain(getattr(self, each.name)) for each in fields(self)}}

    def __str__(self) -> str:
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        return f"{self.name}({', '.join(f'{name}={value}' for name, value in own.items() if value is not None)})"


def risk_of(record: Any, known: Mapping[str, type[Risk]]) -> Risk:
    """The record that ``to_json`` wrote. ValueError of one line if it is none of the known ones."""
    name = record.get("name") if type(record) is dict else None
    if type(name) is not str:
        raise ValueError("it names no risk, so nobody can tell what was minimised")
    if name not in known:
        raise ValueError(f"its risk is {name!r:.40}, and this pragam knows {', '.join(sorted(known))}")
    wanted, given = {each.name for each in fields(known[name])}, set(record) - {"name"}
    if wanted != given:
        raise ValueError(f"its risk {name!r} must have {', '.join(sorted(wanted))}, not {', '.join(sorted(given)):.80}")
    return known[name](**{key: record[key] for key in given})


def record_of(name: str, value: Any, known: Mapping[str, type[Risk]]) -> Any:
    """A record among the known ones, or what JSON makes of one, as a parameter of another record."""
    if type(value) is dict:
        return risk_of(value, known)
    if type(value) not in known.values():
        raise ValueError(f"{name} must be a record of {', '.join(sorted(known))}, not {value!r:.60}")
    return value


def _plain(value: Any) -> Any:
    """Records inside records as JSON, tuples as lists."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value.to_json() if isinstance(value, Risk) else value
