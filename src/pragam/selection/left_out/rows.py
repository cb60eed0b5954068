"""Where the search for the predictions of rows left out stands: an interval for each row, and which of them decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.models import LinearModel
from pragam.numerics.vector import Vector
from pragam.selection.left_out.result import STAGES, LeaveOneOut


@dataclass
class LeftOutRows:
    """``code`` are the numbers of the rows' labels, ``stage`` that of who has decided each, 0 where nobody has.

    ``wrong``: the rows whose prediction is proven to be wrong. Solves were over for all open rows below ``done``.
    """

    model: LinearModel
    code: NDArray[np.int64]
    bounds: Vector
    stage: NDArray[np.int8]
    wrong: NDArray[np.bool_]
    solves: int = 0
    done: int = 0

    @classmethod
    def of(cls, model: LinearModel, y: Any) -> LeftOutRows:
        """Nothing is known."""
        code = model.risk.target.encode(y, model.labels)
        bounds = np.broadcast_to(np.array([-np.inf, np.inf]), (len(code), 2)).copy()
        return cls(model, code, bounds, np.zeros(len(code), dtype=np.int8), np.zeros(len(code), dtype=bool))

    @property
    def open(self) -> NDArray[np.int64]:
        """The rows that nobody has decided."""
        return np.flatnonzero(self.stage == 0)

    def learn(self, rows: NDArray[np.int64], bounds: Vector, stage: str) -> None:
        """The scores of these rows lie between these bounds too, as a stage has proven."""
        self.bounds[rows, 0] = np.maximum(self.bounds[rows, 0], bounds[:, 0])
        self.bounds[rows, 1] = np.minimum(self.bounds[rows, 1], bounds[:, 1])
        model, code, low, high = self.model, self.code[rows], self.bounds[rows, :1], self.bounds[rows, 1:]
        rule, labels, numbers = model.risk.rule, model.labels, np.arange(len(model.labels))
        is_point = (low == high)[:, 0]  # 0, of a row of zeros: what is predicted there is known
        decided = is_point | rule.proven(low, high, labels, **model.calibration)
        at_points = rule.predict(low, numbers, **model.calibration) != code
        refuted = rule.refuted(code, low, high, labels, **model.calibration)
        self.wrong[rows] = decided & np.where(is_point, at_points, refuted)
        self.stage[rows[decided & (self.stage[rows] == 0)]] = STAGES.index(stage)

    def learn_of(self, i: int, bounds: Vector) -> bool:
        """The same of one row, from a solve without it; whether it is decided now."""
        self.learn(np.array([i]), bounds[None], "solve")
        return bool(self.stage[i])

    def result(self, ended: str) -> LeaveOneOut:
        """What is known now."""
        predicted = self.model.risk.rule.predict(self.bounds[:, :1], self.model.labels, **self.model.calibration)
        masked = np.ma.masked_array(predicted, mask=self.stage == 0)
        return LeaveOneOut(
            self.bounds.copy(), masked, self.wrong.copy(), np.array(STAGES)[self.stage], self.solves, ended
        )
