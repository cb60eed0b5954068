"""Linear models with 1 to K outputs: scores = X coef' + intercept, for all risks of rows alike.

Beside the weights a model holds where the optimum of each problem is (:mod:`pragam.models.places`). So the scores of
the optimum lie in intervals, output by output (:meth:`LinearModel.bounds`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pragam.driver.result import Result
from pragam.models import places
from pragam.models.base import Model, Shapes, Solves
from pragam.models.encoding import Encoding
from pragam.models.features import Columns, Constant
from pragam.models.standardize import Standardize
from pragam.numerics.vector import Vector
from pragam.operators.needs import HasData
from pragam.operators.storage import WALKING
from pragam.problem import AnyProblem
from pragam.risks import Risk, Shape


class LinearModel(Model):
    """coef (rows, d) and intercept (outputs,); one row with several outputs is that of an ordinal model."""

    kind: ClassVar[str] = "linear"
    shapes: ClassVar[Shapes] = {
        "coef": ("rows", "d"), "intercept": ("outputs",), **places.SHAPES,
    }  # fmt: skip
    open_ended: ClassVar[tuple[str, ...]] = places.OPEN_ENDED

    @classmethod
    def sizes(cls, risk: Risk, labels: NDArray[Any]) -> dict[str, int]:
        shapes = risk.shape(labels)
        return {"rows": sum(shape.rows for shape in shapes), "outputs": sum(shape.outputs for shape in shapes)}

    @classmethod
    def tensors_of(cls, risk: Risk, labels: NDArray[Any], solves: Solves) -> dict[str, Vector]:
        shapes = risk.shape(labels)
        parts = [_part(shape, result) for shape, (_, result) in zip(shapes, solves, strict=True)]
        weights = {name: np.concatenate([part[name] for part in parts]) for name in ("coef", "intercept")}
        return weights | places.tensors_of(shapes, solves)

    @classmethod
    def of_weights(cls, risk: Risk, labels: NDArray[Any], coef: Vector, intercept: Vector, **more: Any) -> LinearModel:
        """A model of which nothing is proven, such as a stranger's."""
        nowhere = places.of_strangers(coef, len(intercept))
        return cls(risk, labels, {"coef": coef, "intercept": intercept, **nowhere}, **more)

    @classmethod
    def calibrations(cls, risk: Risk) -> tuple[str, ...]:
        return ("cut",) if risk.rule.calibrates else ()

    def points(self) -> list[tuple[Vector, Vector]]:
        rows = [shape.rows for shape in self.risk.shape(self.labels)]
        coef = np.split(self.tensors["coef"], np.cumsum(rows)[:-1])
        return [(w.ravel(), b[: shape.biases]) for w, (shape, b) in zip(coef, self._intercepts(), strict=True)]

    def _intercepts(self) -> list[tuple[Shape, Vector]]:
        """Those of each problem."""
        shapes = self.risk.shape(self.labels)
        ends = np.cumsum([shape.outputs for shape in shapes])[:-1]
        return list(zip(shapes, np.split(self.tensors["intercept"], ends), strict=True))

    def weights(self) -> tuple[Vector, Vector]:
        """(coef, intercept) in the columns of X: a constant feature and means of columns are part of the intercept."""
        coef, intercept = self.tensors["coef"], self.tensors["intercept"]
        constant, standardize = self.features.find(Constant), self.features.find(Standardize)
        if constant is not None:
            coef, intercept = coef[:, :-1], intercept + constant.value * coef[:, -1]
        if standardize is not None:
            coef, moved = standardize.known.in_columns(coef)
            intercept = intercept + moved
        return coef, intercept

    def column_weights(self) -> Vector:
        return self.weights()[0]

    @property
    def n_features(self) -> int:
        return self.features.n_columns or self.width

    @property
    def width(self) -> int:
        """The columns that have weights, without a constant one."""
        return int(self.tensors["coef"].shape[1]) - (self.features.find(Constant) is not None)

    def checked(self) -> LinearModel:
        places.check(self.risk.shape(self.labels), self.tensors)
        columns = self.features.find(Columns)
        if columns is not None and len(columns.columns) != self.width:
            raise ValueError(f"columns must be {self.width}, one for each weight")
        standardize = self.features.find(Standardize)
        if standardize is not None and len(standardize.known.factor) != self.width:
            raise ValueError(f"factor must hold {self.width} numbers, one for each weight")
        table = self.features.find(Encoding)
        if table is not None and table.n_columns != self.width:
            raise ValueError(f"its table makes {table.n_columns} columns, for {self.width} weights")
        if any(free[shape.biases :].any() for shape, free in self._intercepts()):
            raise ValueError("intercept must be 0 where the risk has no bias: the certificate says nothing of it")
        return self

    def scores(self, samples: Any) -> Vector:
        """(n, outputs)."""
        return self._scores(self.features.of(samples))

    def _scores(self, own: Any) -> Vector:
        """Those of samples in the model's own features."""
        d = self.tensors["coef"].shape[1]
        if own.X.shape[1] != d:
            raise ValueError(f"X has {own.X.shape[1]} columns, and the model needs {d}")
        scores: Vector = own.X.matmat(self.tensors["coef"]) + self.tensors["intercept"]
        return scores

    def decision(self, samples: Any) -> Vector:
        """The scores as ``decision_function`` has them."""
        return self.risk.rule.decision(self.scores(samples), **self.calibration)

    def predicted(self, own: Any) -> Any:
        return self.risk.rule.predict(self._scores(own), self.labels, **self.calibration)

    def calibrated(self, own: Any) -> LinearModel:
        if not self.risk.rule.calibrates:
            return self
        code = self.risk.target.encode(own.y, self.labels)
        return replace(self, calibration=self.risk.rule.calibrate(self._scores(own), code))

    def bounds(self, samples: Any) -> Vector:
        """(n, outputs, 2): between which numbers the scores of every optimum lie.

        Kinks are looked at for the rows whose prediction is not proven without them: they take a product each.
        """
        X, known = self.features.of(samples).X, self._places
        ends = np.concatenate([place.decisions(X) for place in known], axis=1)
        rows = np.flatnonzero(~self._decided(ends))
        if self.tensors["kinks"].size and rows.size and not WALKING & X.lacks:
            ends[rows] = places.finer(known, X.take(rows), ends[rows])
        return ends

    @cached_property
    def _places(self) -> list[places.Place]:
        return places.places_of(self.risk.shape(self.labels), self.tensors)

    def _decided(self, ends: Vector) -> NDArray[np.bool_]:
        """The rows whose prediction is the same for all scores between these ends."""
        return self.risk.rule.proven(ends[..., 0], ends[..., 1], self.labels, **self.calibration)

    def decision_bounds(self, samples: Any) -> Vector:
        """The same for :meth:`decision`: (n, 2), or (n, columns, 2)."""
        low, high = np.moveaxis(self.bounds(samples), 2, 0)
        return self.risk.rule.decision_bounds(low, high, **self.calibration)

    def proven(self, samples: Any) -> NDArray[np.bool_]:
        """The rows whose prediction every optimum shares."""
        return self._decided(self.bounds(samples))

    def n_support(self, problems: Sequence[AnyProblem]) -> int:
        return int(np.count_nonzero(self.row_weights(problems).any(axis=0)))

    def row_weights(self, problems: Sequence[AnyProblem]) -> Vector:
        """(rows, n): coef is this times X, up to the gap; a row of X supports the model where it is not 0."""
        pairs = zip(problems, self.proofs, strict=True)
        return np.concatenate([_row_weights(problem, proof.dual) for problem, proof in pairs])


def _row_weights(problem: AnyProblem, alpha: Vector) -> Vector:
    """beta (rows, n) with w(alpha) = beta X; for the hinge y_i alpha_i / lam."""
    moved = alpha if problem.origin is None else alpha - problem.origin
    assert isinstance(problem.A, HasData)
    return -problem.A.row_weights(moved) / problem.lam


def _part(shape: Shape, result: Result) -> dict[str, Vector]:
    """The weights of one problem; without biases the intercepts are exactly 0."""
    none = np.zeros(0 if shape.biases else shape.outputs)
    return {"coef": result.w.reshape(shape.rows, -1), "intercept": np.concatenate([result.biases, none])}
