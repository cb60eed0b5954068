"""What the max-margin labellers of sequences and of graphs share: lam, or C in its place."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from pragam.estimators.compat import Interval
from pragam.estimators.parameters import estimator, parameter, positive
from pragam.estimators.structured import StructuredEstimator
from pragam.risks.scaling import lam_of

#: lam, unless it or C is given.
_LAM = 0.01


@estimator
class MaxMarginEstimator(StructuredEstimator):
    """J(w) = lam/2 |w|^2 + (1/n) sum_i loss_i = lam (1/2 |w|^2 + C sum_i loss_i), lam = 1/(n C), for n examples.

    Attributes
    ----------
    lam_ : float
        The lam that was minimised with.
    """

    lam: float = positive(_LAM, first=True)
    C: float | None = parameter(None, Interval(Real, 0, None, closed="neither"), None)

    _easier: ClassVar[str] = "raise lam (lower C)"

    def _lam(self, n: int) -> float:
        """What lam or C says for n examples."""
        if self.C is None:
            return self.lam
        if self.lam != _LAM:
            raise ValueError(
                f"lam={self.lam!r} and C={self.C!r} are two words for one number, lam = 1/(n C) for n examples: "
                "give only one of them"
            )
        return lam_of(self.C, n)

    def _keep(self, model: Any) -> None:
        super()._keep(model)
        self.lam_ = model.risk.lam
