"""The one base of all estimators: it fits a record of a risk, keeps a model, and proves how good it is.

An estimator says which record it fits (``_risk``) and how what the user brings becomes samples (``_samples``). Two more
hooks have defaults: ``_features``, what stands before the weights, and ``_labels``, the labels if they are known
beforehand. The way of every fit is here; what a fitted estimator can do is in :mod:`pragam.estimators.fitted`.
"""

from __future__ import annotations

import os
import warnings
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from pragam import models
from pragam.driver.solve import Progress
from pragam.estimators import advice
from pragam.estimators.callbacks import FitTasks
from pragam.estimators.compat import FRAMES_AROUND_FIT, CallbackSupportMixin
from pragam.estimators.fitted import FittedModel
from pragam.estimators.html import CertificateHTML
from pragam.estimators.parameters import at_least_zero, budget, estimator, flag, parameter
from pragam.estimators.solving import listening, settings_of, telling
from pragam.models import Fitted
from pragam.models.features import Features
from pragam.risks import Risk

if TYPE_CHECKING:
    from typing_extensions import Self


@estimator
class CertifiedEstimator(CertificateHTML, CallbackSupportMixin, FittedModel):
    """What all estimators share: how a risk is solved, and what is proven.

    Parameters
    ----------
    tol : float >= 0
        The relative duality gap to certify: the objective is then at most ``tol`` (relatively) above its minimum.
    solver : str
        One of ``pragam.solvers.names()``; "auto" chooses.
    max_iter : int >= 0 or None
        The most iterations of a problem. When they end first, the best model so far is kept, with its gap, and a
        ConvergenceWarning says so. So does Ctrl-C.
    max_seconds : float >= 0 or None
        The most seconds of the whole fit; when they end first, the same.
    warm_start : bool
        Start from the last fit's solution if it had as many rows and columns, and the same labels.
    n_jobs : int or None
        Threads: several problems are shared among them, a single one has them all.
    random_state : int, RandomState or None
        The seed of solvers that draw samples. None is a fixed seed too: equal fits are equal.
    checkpoint : str or path
        A directory in which the solves are kept while they run, and their results; the same fit goes on from there. One
        of other data or parameters is refused. None keeps nothing.
    verbose : int
        Whether a line of progress is shown on stderr; of data in blocks, before it, what a fit should take.

    Attributes
    ----------
    certificate_ : Certificate
        What is proven: the objective is at most ``certificate_.gap`` above its minimum. Of several problems, of their
        sum, which is one problem.
    status_ : Status
        How the fit ended; of several problems, the worst.
    history_ : History
        What was certified on the way; of several problems, of their sum.
    certificates_ : list of Certificate, one for each problem
    statuses_ : list of Status, one for each problem
    histories_ : list of History, one for each problem
    n_iter_ : int
        The most iterations that a problem took.
    model_ : pragam.models.Model
        The model itself: the record of the risk, the weights, and the dual points that prove the gap.
    n_features_in_ : int
        The number of columns of X.
    feature_names_in_ : array of str
        Their names, if X had names.
    """

    tol: float = at_least_zero(1e-4)
    solver: str = parameter("auto", str)
    max_iter: int | None = budget(None, Integral)
    max_seconds: float | None = budget(None, Real)
    warm_start: bool = flag(False)
    n_jobs: int | None = parameter(None, Integral, None)
    random_state: Any = parameter(None, "random_state")
    checkpoint: Any = parameter(None, str, os.PathLike, None)
    verbose: int = parameter(0, "verbose")

    #: What several problems are called, and what makes one easier, in a warning.
    _several: ClassVar[str] = "problems"
    _easier: ClassVar[str] = "raise lam"

    # What an estimator says of itself.

    def _samples(self, *data: Any) -> Any:
        """What ``fit`` was called with, checked."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it is fitted on: define _samples")

    def _risk(self, samples: Any) -> Risk:
        """The record of what is minimised."""
        raise NotImplementedError(f"{type(self).__name__} does not say which risk it minimises: define _risk")

    def _features(self, samples: Any) -> Features:
        """What stands before the weights: nothing, names, a kernel."""
        return Features()

    def _labels(self, samples: Any, risk: Risk) -> Any:
        """The labels, in the order of the outputs: those that occur, unless they are known beforehand."""
        return risk.learn(samples)

    def _advice(self, samples: Any) -> str:
        """What to say of a model that is certified; nothing if empty."""
        return ""

    def _halfway(self, progress: Progress, model: Any, samples: Any) -> dict[str, Any] | None:
        """The fitted attributes at a step of the only problem, for callbacks that want a model; None if there are none.

        ``model`` is what a model is made of before there are weights: the risk, the labels and the features.
        """
        return None

    @property
    def _gap(self) -> float:
        """The relative gap that is asked for."""
        return self.tol

    @property
    def _seconds(self) -> float | None:
        """What the solves of a fit may take."""
        return self.max_seconds

    # The way of every fit.

    def _fit(self, *data: Any) -> Self:
        self._validate_params()
        samples = self._samples(*data)
        risk, features = self._risk(samples), self._features(samples)
        labels = self._labels(samples, risk)
        n_problems, starts = len(risk.parts(labels)), self._starts(risk, labels)
        tasks = FitTasks(
            self, n_problems, _told(data, samples), lambda step: self._halfway(step, (risk, labels, features), samples)
        )
        with listening(self, tasks, n_problems) as listener:
            settings = settings_of(self, n_problems)
            fitted = models.fit(risk, samples, settings, features, labels, starts, listener,
                fingerprint=False, checkpoint=self.checkpoint, say=telling(self))  # fmt: skip
        self._keep(fitted.model)
        self._keep_solves(fitted, samples)
        tasks.end()
        self._warn(fitted, samples)
        return self

    def _starts(self, risk: Risk, labels: Any) -> list[Any] | None:
        """(w, dual) of the last fit's problems, if it was of the same kind of risk and the same labels."""
        last = getattr(self, "model_", None) if self.warm_start else None
        if last is None or type(last.risk) is not type(risk) or not np.array_equal(last.labels, labels):
            return None
        duals = [proof.dual for proof in last.proofs]
        if not duals or any(dual is None for dual in duals):  # a file may hold none
            return None
        return [(w, dual) for (w, _), dual in zip(last.points(), duals, strict=True)]

    def _keep_solves(self, fitted: Fitted, samples: Any) -> None:
        """What the solves say beside the model."""
        self.histories_ = [result.history for result in fitted.results]
        self._begun = fitted.begun

    def _warn(self, fitted: Fitted, samples: Any, frames: int = 4 + FRAMES_AROUND_FIT) -> None:
        """Say what deserves a word, at the user's line, so many frames away."""
        text, category = advice.unfinished(fitted.results, self), ConvergenceWarning
        if not text:
            text, category = self._advice(samples), UserWarning
        if text:
            warnings.warn(text, category, stacklevel=frames)


def _told(data: tuple[Any, ...], samples: Any) -> dict[str, Any]:
    """What callbacks are told of a fit: X and y as they came, and the weights."""
    weights = samples.weights
    return {
        "X": data[0],
        "y": data[1] if len(data) > 1 else None,
        "metadata": None if weights is None else {"sample_weight": weights},
    }
