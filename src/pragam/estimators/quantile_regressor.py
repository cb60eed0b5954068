"""Linear quantile regression, of one or several quantiles, that knows how good it is."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from pragam.estimators.compat import Interval
from pragam.estimators.parameters import estimator, flag, parameter
from pragam.estimators.rows import RowRegressor
from pragam.numerics.arguments import array_of
from pragam.risks import Each, Quantile, Risk


@estimator
class QuantileRegressor(RowRegressor):
    r"""Linear regression of quantiles, trained to a certified duality gap; its intercept is not penalised.

    Minimises for each quantile q  1/2 |w|^2 + C sum_i weight_i max(q r_i, (q - 1) r_i),  r_i = y_i - <x_i, w> - b. In
    the scaling of :func:`pragam.quantile`, lam = 1/(n C). Several quantiles are problems of their own, and their lines
    may cross.

    Parameters
    ----------
    C : float > 0
        Weight of the losses against 1/2 |w|^2. (scikit-learn's ``alpha`` is the weight of the L1 norm.)
    quantile : float in (0, 1), or a list of such
        The share of the targets that should lie below the prediction. With a list, ``predict`` has a column for each.
    fit_intercept : bool
        Whether there is an intercept, which is not penalised.
    sort_quantiles : bool
        Whether the predictions of a row are sorted in the order of the quantiles, so that none cross. This brings no
        row farther from the true quantiles (Chernozhukov, Fernandez-Val and Galichon, Econometrica 2010).

    Attributes
    ----------
    coef_ : (d,) array
        The weights; (n_quantiles, d) for a list.
    intercept_ : float
        What is added; (n_quantiles,) array for a list.
    dual_coef_ : (n_quantiles, n_support) array
        Between (q - 1) C and q C times the weight; ``coef_`` is ``dual_coef_ @ X[support_]`` up to the gap.
    """

    quantile: Any = parameter(0.5, Interval(Real, 0, 1, closed="neither"), "array-like")
    fit_intercept: bool = flag(True)
    sort_quantiles: bool = flag(False)

    _risks: ClassVar[tuple[str, ...]] = ("each", "quantile")
    _instead: ClassVar[dict[str, str]] = {
        "alpha": "alpha weighs the L1 norm in scikit-learn: here |w|^2/2 has the weight 1 and the loss the weight C"
    }

    def _risk(self, samples: Any) -> Risk:
        own: Any = {"lam": self._lam(samples), "bias": self.fit_intercept}
        return Each(risks=[Quantile(q=q, **own) for q in self._shares()], sort=self.sort_quantiles)

    def _shares(self) -> list[float]:
        shares = np.atleast_1d(array_of("quantile", self.quantile))
        if shares.ndim != 1 or not len(shares) or shares.dtype.kind != "f" or not ((shares > 0) & (shares < 1)).all():
            raise ValueError(f"quantile must hold numbers between 0 and 1, not {self.quantile!r:.60}")
        return shares.tolist()

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R^2 of one quantile, as scikit-learn has it; minus the mean pinball loss of several."""
        if np.ndim(self.quantile) == 0:
            return float(super().score(X, y, sample_weight))
        return float(np.average(self.model_.risk.worth(np.asarray(y), self.predict(X)), weights=sample_weight))

    def crossings(self, X: Any) -> int:
        """The rows of X on which the prediction of a larger quantile is below that of a smaller one."""
        predicted = self.predict(X).reshape(-1, len(self._shares()))
        return int((np.diff(predicted[:, np.argsort(self._shares())], axis=1) < 0).any(axis=1).sum())

    @classmethod
    def _parameters(cls, model: Any) -> dict[str, Any]:
        risks = getattr(model.risk, "risks", (model.risk,))
        shares = [risk.q for risk in risks]
        more = {
            "quantile": shares if len(shares) > 1 else shares[0],
            "sort_quantiles": getattr(model.risk, "sort", False),
        }
        return super()._parameters(model) | more
