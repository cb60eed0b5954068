"""What stands in the place of ``sklearn.svm.LinearSVC``."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.svm._classes import LinearSVC as Original

from pragam.estimators import linear_svc
from pragam.patch.swapped import Swapped
from pragam.risks import MulticlassHinge, Risk


class LinearSVC(Swapped, Original, linear_svc.LinearSVC):
    r"""scikit-learn's LinearSVC, solved by pragam: the same parameters, defaults and attributes, and a certificate.

    Minimises  1/2 |w|^2 + C sum_i weight_i h(1 - y_i (<x_i, w> + b)),  h(s) = [s]_+^2 or [s]_+ by ``loss``, where b is
    ``intercept_scaling`` times a weight that is penalised as the others are; or, with ``multi_class="crammer_singer"``,
    1/2 sum_k |w_k|^2 + C sum_i weight_i max over k of [k != y_i] + f_k(x_i) - f_{y_i}(x_i).

    The parameters are those of ``sklearn.svm.LinearSVC``, but that

    - ``dual`` changes nothing, since primal and dual are both solved: the hinge has ``dual=False`` too;
    - ``tol`` squared is the relative duality gap that is certified, between 1e-10 and 1e-2;
    - ``max_iter`` counts pragam's iterations, and ``random_state=None`` is a fixed seed;
    - ``penalty="l1"`` and negative weights of samples are left to scikit-learn's own class, with one warning.

    It has all attributes and methods of :class:`pragam.LinearSVC`, such as ``certificate_`` and ``certify``.
    """

    original: ClassVar[Any] = Original

    def _lack(self) -> str:
        """Crammer and Singer's ignores penalty, loss and dual, as in scikit-learn."""
        return "penalty='l1'" if self.penalty == "l1" and self.multi_class != "crammer_singer" else ""

    def _risk(self, samples: Any) -> Risk:
        if self.multi_class == "crammer_singer":
            return MulticlassHinge(lam=self._lam(samples), bias=False, class_weight=self.class_weight)
        return super()._risk(samples)

    @classmethod
    def _parameters(cls, model: Any) -> dict[str, Any]:
        known = super()._parameters(model)
        if known.get("loss") == "smoothed_hinge":
            raise ValueError("scikit-learn has no smoothed hinge: load it by pragam.LinearSVC")
        return known
