"""A linear support vector classifier that knows how good it is."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from pragam.estimators import advice, intercept
from pragam.estimators.compat import Interval, StrOptions
from pragam.estimators.parameters import class_weights, estimator, flag, parameter, word
from pragam.estimators.rows import RowClassifier
from pragam.risks import Hinge, MulticlassHinge, OneVsRest, Risk, SmoothedHinge, SquaredHinge

_LOSSES: dict[str, Any] = {risk.name: risk for risk in (Hinge, SquaredHinge, SmoothedHinge)}


@estimator
class LinearSVC(RowClassifier):
    r"""Linear SVM trained to a certified duality gap; its intercept is not penalised unless that is asked for.

    Minimises  1/2 |w|^2 + C sum_i weight_i h(1 - y_i (<x_i, w> + b)),  h by ``loss``; more than two classes are done
    one against the rest, or all in one problem. In the scaling of :func:`pragam.hinge`, lam = 1/(n C).

    Parameters
    ----------
    C : float > 0
        Weight of the losses against 1/2 |w|^2.
    loss : "hinge", "squared_hinge" or "smoothed_hinge"
        h(s) = [s]_+; its square; or [s]_+ made quadratic over a width of 1/2 (:func:`pragam.smoothed_hinge`).
    multi_class : "ovr" or "crammer_singer"
        One problem for each class against the rest, or one that compares the classes with each other
        (:func:`pragam.multiclass_hinge`, for the hinge alone).
    fit_intercept : bool
        Whether there is an intercept b.
    intercept_scaling : float > 0 or None
        None: the intercept is not penalised. A number: as in scikit-learn, X has one more column of this value, and the
        intercept is this value times its weight, which is penalised as the others are.
    class_weight : dict, "balanced" or None
        What the losses of a class count, by label; "balanced" makes the classes count the same. A label that does not
        occur in y is refused unless every class of y has a weight.
    penalty : "l2"
        For calls written for scikit-learn. "l1" is refused.
    dual : bool or "auto"
        For calls written for scikit-learn; it changes nothing, since primal and dual are both solved.

    Attributes
    ----------
    coef_ : (1, d) array for two classes, else (n_classes, d)
        The weights.
    intercept_ : (1,) array for two classes, else (n_classes,)
        The intercepts.
    dual_coef_ : (1, n_support) array for two classes, else (n_classes, n_support)
        y_i alpha_i / lam, for the hinge between -C and C times the weight; ``coef_`` is ``dual_coef_ @ X[support_]`` up
        to the gap.
    """

    loss: str = word("hinge", "squared_hinge", "smoothed_hinge")
    multi_class: str = word("ovr", "crammer_singer")
    fit_intercept: bool = flag(True)
    intercept_scaling: float | None = parameter(None, Interval(Real, 0, None, closed="neither"), None)
    class_weight: Any = class_weights()
    penalty: str = word("l2", "l1")
    dual: Any = parameter("auto", "boolean", StrOptions({"auto"}))

    _risks: ClassVar[tuple[str, ...]] = ("one_vs_rest", "multiclass_hinge")
    _several: ClassVar[str] = "one-vs-rest problems"

    def _risk(self, samples: Any) -> Risk:
        if self.penalty == "l1":
            raise ValueError(
                "penalty='l1' is not solved here, where every risk has |w|^2/2: use penalty='l2', or "
                "sklearn.svm.LinearSVC(penalty='l1', loss='squared_hinge', dual=False)"
            )
        own: Any = {"lam": self._lam(samples), "bias": intercept.is_free(self)}
        if self.multi_class == "ovr":
            return OneVsRest(each=_LOSSES[self.loss](**own), class_weight=self.class_weight)
        if self.loss != "hinge":
            raise ValueError(f"multi_class='crammer_singer' has loss='hinge' alone, not {self.loss!r}")
        return MulticlassHinge(**own, class_weight=self.class_weight)

    def _advice(self, samples: Any) -> str:
        """Against the rest, a class between others may win nowhere."""
        if self.multi_class != "ovr" or samples.in_blocks:  # which would be read once more for it
            return ""
        risk, labels = self.model_.risk, self.model_.labels
        code = risk.target.encode(samples.y, labels)
        weights = risk.target.weights(code, labels, samples.weights, risk.class_weight)
        mass = np.bincount(code, weights, minlength=len(labels)).astype(np.float64)
        predicted = risk.rule.predict(self.model_.scores(samples), np.arange(len(labels)))
        return advice.never_predicted(labels, predicted, mass, self.class_weight)

    @classmethod
    def _parameters(cls, model: Any) -> dict[str, Any]:
        """A joint record, or that of each class."""
        is_joint = model.risk.name == "multiclass_hinge"
        more: dict[str, Any] = {"multi_class": "crammer_singer"} if is_joint else {"loss": model.risk.each.name}
        return super()._parameters(model) | more
