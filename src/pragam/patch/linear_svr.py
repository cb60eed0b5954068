"""What stands in the place of ``sklearn.svm.LinearSVR``."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.svm._classes import LinearSVR as Original

from pragam.estimators import linear_svr
from pragam.patch.swapped import Swapped


class LinearSVR(Swapped, Original, linear_svr.LinearSVR):
    r"""scikit-learn's LinearSVR, solved by pragam: the same parameters, defaults and attributes, and a certificate.

    Minimises  1/2 |w|^2 + C sum_i weight_i [|y_i - <x_i, w> - b| - epsilon]_+ ,  where b is ``intercept_scaling`` times
    a weight that is penalised as the others are.

    The parameters are those of ``sklearn.svm.LinearSVR``, but that

    - ``dual`` changes nothing, since primal and dual are both solved;
    - ``tol`` squared is the relative duality gap that is certified, between 1e-10 and 1e-2;
    - ``max_iter`` counts pragam's iterations, and ``random_state=None`` is a fixed seed;
    - ``loss="squared_epsilon_insensitive"`` and negative weights of samples are left to scikit-learn's own class, with
      one warning.

    It has all attributes and methods of :class:`pragam.LinearSVR`, such as ``certificate_`` and ``certify``.
    """

    original: ClassVar[Any] = Original

    def _lack(self) -> str:
        return "loss='squared_epsilon_insensitive'" if self.loss == "squared_epsilon_insensitive" else ""
