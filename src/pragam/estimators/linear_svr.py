"""Linear support vector regression that knows how good it is."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from pragam.estimators import intercept
from pragam.estimators.compat import Interval
from pragam.estimators.parameters import at_least_zero, estimator, flag, parameter, word
from pragam.estimators.rows import RowRegressor
from pragam.risks import EpsilonInsensitive, Risk


@estimator
class LinearSVR(RowRegressor):
    r"""Linear regression with an insensitive tube, trained to a certified duality gap; its intercept may be penalised.

    Minimises  1/2 |w|^2 + C sum_i weight_i [|y_i - <x_i, w> - b| - epsilon]_+ . In the scaling of
    :func:`pragam.epsilon_insensitive`, lam = 1/(n C).

    Parameters
    ----------
    C : float > 0
        Weight of the losses against 1/2 |w|^2.
    epsilon : float >= 0
        Residuals up to this size cost nothing; 0 is the regression of the least absolute deviations.
    fit_intercept : bool
        Whether there is an intercept.
    intercept_scaling : float > 0 or None
        None: the intercept is not penalised. A number: as in scikit-learn, X has one more column of this value, and the
        intercept is this value times its weight, which is penalised as the others are.
    loss : "epsilon_insensitive"
        For calls written for scikit-learn: there is no other.

    Attributes
    ----------
    dual_coef_ : (1, n_support) array
        Between -C and C times the weight; ``coef_`` is ``dual_coef_[0] @ X[support_]`` up to the gap.
    """

    epsilon: float = at_least_zero(0.0)
    fit_intercept: bool = flag(True)
    intercept_scaling: float | None = parameter(None, Interval(Real, 0, None, closed="neither"), None)
    loss: str = word("epsilon_insensitive")

    _risks: ClassVar[tuple[str, ...]] = ("epsilon_insensitive",)

    def _risk(self, samples: Any) -> Risk:
        return EpsilonInsensitive(lam=self._lam(samples), epsilon=self.epsilon, bias=intercept.is_free(self))
