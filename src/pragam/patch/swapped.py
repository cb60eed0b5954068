"""scikit-learn's class with another ``fit``: what the classes in place of LinearSVC and LinearSVR share.

Parameters, their checks, ``predict`` and ``decision_function`` are inherited from scikit-learn's class; the way of a
fit, the certificate and files from pragam's estimator. So there is one ``coef_``, which says what is predicted, whoever
fitted it and whoever has changed it since.

*tol* is another quantity in scikit-learn: the size of a gradient, or of its projection, at which LIBLINEAR stops. The
objective is quadratic in that, so the relative duality gap that is certified here is tol squared. At the default of
1e-4, LIBLINEAR's objective was relatively above the minimum by 4e-2 at most and 1e-6 in the median where it said that
it had converged, and by up to 5 where it gave up after 1000 passes (16 data sets, both losses); ours by 1e-8 at most.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pragam.estimators.compat import with_callbacks
from pragam.estimators.rows import RowEstimator

if TYPE_CHECKING:
    from typing_extensions import Self

#: The gap is between these, whatever tol is. The first was certified in 62 of 63 fits with C from 1e-3 to 1e4 on raw
#: data, some with columns of sizes from 1e-3 to 1e3; above the second a model is hardly one.
_LEAST_GAP, _LARGEST_GAP = 1e-10, 1e-2
#: The reasons to call scikit-learn's own class that this process was told.
_TOLD: set[str] = set()


class Swapped(RowEstimator):
    """The first base; scikit-learn's class is the second, and pragam's estimator the third.

    Its parameters are scikit-learn's; those that pragam's estimator has beside them keep their defaults.
    """

    #: scikit-learn's own class.
    original: ClassVar[Any]

    def _lack(self) -> str:
        """What of the parameters pragam does not solve; nothing if empty."""
        raise NotImplementedError

    @with_callbacks
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model; the certificate is in ``certificate_``, unless scikit-learn's own class had to fit it.

        Parameters
        ----------
        X : (n, d) array or sparse matrix
        y : (n,) labels of a classifier, numbers of a regressor; None stands for those of packed data
        sample_weight : (n,) numbers, optional
        """
        lack = self._lack() or _lack_of_weights(sample_weight)
        if not lack:
            return self._fit(X, y, sample_weight)
        if lack not in _TOLD:
            _TOLD.add(lack)
            warnings.warn(f"{self._whose(lack)}. This is said once.", UserWarning, stacklevel=3)
        self._forget()
        return self.original.fit(self, X, y, sample_weight)

    def predict(self, X: Any) -> Any:
        """A prediction for each row of X, from ``coef_`` and ``intercept_`` as they are."""
        return self.original.predict(self, X)

    def _whose(self, lack: str) -> str:
        name = type(self).__name__
        return f"pragam does not solve {lack}, so scikit-learn's own {name} fits this model, and nothing is proven"

    def _forget(self) -> None:
        """Drop what an earlier fit left: the proof of another model."""
        parameters = self.get_params(deep=False)
        for name in [name for name in vars(self) if name.endswith("_") and name not in parameters]:
            delattr(self, name)

    def __getattr__(self, name: str) -> Any:
        """A model of scikit-learn's own fit has no certificate: say why."""
        own = vars(self)
        if name.endswith("_") and not name.startswith("_") and "coef_" in own and "model_" not in own:
            lack = self._lack()
            why = self._whose(lack) if lack else f"scikit-learn's own {type(self).__name__} fitted this model"
            raise AttributeError(f"no {name}: {why}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def _gap(self) -> float:
        return min(max(float(self.tol) ** 2, _LEAST_GAP), _LARGEST_GAP)

    def _advice(self, samples: Any) -> str:
        """Nothing: a program that was written for scikit-learn hears what scikit-learn would say."""
        return ""

    def _keep(self, model: Any) -> None:
        super()._keep(model)
        self.intercept_ = (
            np.atleast_1d(self.intercept_) if self.fit_intercept else 0.0
        )  # scikit-learn's is a float then

    @classmethod
    def _name_in_files(cls) -> str:
        return f"sklearn.svm.{cls.__name__}"

    @classmethod
    def _parameters(cls, model: Any) -> dict[str, Any]:
        """Of a file that another estimator wrote: tol and the solver mean nothing here."""
        known = super()._parameters(model)
        if known["fit_intercept"] and "intercept_scaling" not in known:
            raise ValueError(f"its intercept is not penalised, as scikit-learn's are: load it by pragam.{cls.__name__}")
        return {name: value for name, value in known.items() if name not in ("tol", "solver")}


def _lack_of_weights(sample_weight: Any) -> str:
    """LIBLINEAR leaves out rows of negative weight; pragam refuses them."""
    if sample_weight is None:
        return ""
    weights = np.asarray(sample_weight)
    return "negative weights of samples" if weights.dtype.kind in "if" and (weights < 0).any() else ""
