"""A Gaussian-process labeller of sequences that knows how good it is."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pragam import models
from pragam.estimators.compat import Interval, with_callbacks
from pragam.estimators.parameters import at_least_zero, estimator, parameter, positive, word
from pragam.estimators.sequences import SequenceEstimator, names_of
from pragam.estimators.solving import settings_of
from pragam.models import Fitted
from pragam.models.calibration import held_out
from pragam.models.features import Features
from pragam.models.kernel import Kernel
from pragam.risks import Risk
from pragam.samples import Chains
from pragam.structured.gp.record import GPSequences
from pragam.structured.kernels import scaled_rbf

if TYPE_CHECKING:
    from typing_extensions import Self


@estimator
class GPSequenceClassifier(SequenceEstimator):
    r"""Gaussian-process sequence labelling, trained to a certified duality gap.

    The scores of a labelling are F(y) = sum_t f_{y_t}(x_t) + sum_t T_{y_t y_{t+1}}, f_k functions of the kernel's
    space and T a matrix. Minimised is the negative log posterior of all labellings,

        J = lam/2 [sum_k |f_k|^2 + |T|^2 / transition_scale] + (1/n) sum_i [log sum over y of exp F_i(y) - F_i(y_i)]

    (Altun, Hofmann and Smola, "Gaussian process classification for segmenting and annotating sequences", ICML 2004).

    Sequences are a (tokens, d) array or sparse matrix with ``lengths`` (without them it is one sequence), or a list of
    such matrices, or a list of sequences of tokens, each a dictionary as for scikit-learn's DictVectorizer or a list of
    strings as for CRFsuite. Labels and predictions have the form of X: one array, or a list. Labellings that
    ``transitions`` forbid have probability 0, in training and after.

    Parameters
    ----------
    kernel : None, name, callable or scikit-learn kernel object
        On the features of tokens. None is RBF with a length scale from the spread of the tokens in training
        (:mod:`pragam.structured.kernels.bandwidth`). A name is one of ``sklearn.metrics.pairwise``; a callable maps
        two matrices to their Gram matrix. Parameters of a kernel that is given are taken as they are.
    lam : float > 0
        Weight of the regulariser against the mean log loss of a sequence.
    transition_scale : float >= 0
        The variance of a transition, beside that of a score, which the kernel has. 0: no transitions.
    n_landmarks : int or None
        Nystrom's approximation: tokens whose span holds the model. None trains on the Gram matrix of all tokens, which
        a model file then holds.
    nodes : "once", "per_edge" or "by_position"
        How tokens enter. "once": stationary, every token once. "per_edge": the paper's kernel on edges as it is
        printed, which counts tokens inside a sequence twice. "by_position": tokens at different places in their
        sequences share nothing.
    precision : "float32" or "float64"
        In which the Gram matrix, or Nystrom's factor, is stored. The certificate is about the stored numbers, and
        computed in float64.
    calibrate : float
        The share of the sequences on which a temperature for ``predict_proba`` is chosen, by a second model that is
        trained on the others, with budgets of its own. 0: none, the temperature is 1.

    Attributes
    ----------
    kernel_ : object
        The kernel that was used.
    temperature_ : float
        What scores are divided by before they are probabilities.
    """

    kernel: Any = parameter(None, str, callable, None, first=True)
    lam: float = positive(1e-5)
    transition_scale: float = at_least_zero(0.3)
    n_landmarks: int | None = parameter(None, Interval(Integral, 1, None, closed="left"), None)
    nodes: str = word("once", "per_edge", "by_position")
    precision: str = word("float32", "float64")
    calibrate: float = parameter(0.0, Interval(Real, 0, 1, closed="left"))

    _risks: ClassVar[tuple[str, ...]] = ("gp_sequences",)

    @with_callbacks
    def fit(self, X: Any, y: Any, lengths: Any = None) -> Self:
        """Fit the model; the certificate is in ``certificate_``.

        Parameters
        ----------
        X : sequences, in one of the forms above
        y : labels, one array for a flat X, else a list of the labels of each sequence
        lengths : the number of tokens of each sequence, for a flat X
        """
        return self._fit(X, y, lengths)

    def predict_proba(self, X: Any, lengths: Any = None) -> Any:
        """The marginal probabilities of the labels of each token, (tokens, K), or a list of such."""
        samples = self._chains(X, lengths, least=0)
        return self.model_.proba(samples)

    def _samples(self, X: Any, y: Any, lengths: Any = None) -> Chains:  # type: ignore[override]
        samples = super()._samples(X, y, lengths)
        if self.calibrate:
            self._held_out(samples)
        return samples

    def _risk(self, samples: Any) -> Risk:
        basis = "gram" if self.n_landmarks is None else "factor"
        return GPSequences(
            lam=self.lam, transition_scale=self.transition_scale, basis=basis, transitions=self.transitions
        )

    def _features(self, samples: Any) -> Features:
        names = names_of(samples)
        numbers = Features(names).numbers(samples)
        kernel = scaled_rbf(numbers.X) if self.kernel is None else self.kernel
        return Features((*names, self._kernel_on(numbers, kernel)))

    def _kernel_on(self, numbers: Chains, kernel: Any) -> Kernel:
        stored: Any = {"nodes": self.nodes, "precision": self.precision}
        if self.n_landmarks is None:
            return Kernel(kernel, numbers.X, lengths=numbers.lengths, **stored)
        return Kernel.of_landmarks(numbers.X, kernel, None, self.n_landmarks, self.random_state, **stored)

    def _keep(self, model: Any) -> None:
        super()._keep(model)
        self.kernel_, self.transitions_, self.temperature_ = model.kernel.kernel, model.transitions, model.temperature

    def _keep_solves(self, fitted: Fitted, samples: Any) -> None:
        super()._keep_solves(fitted, samples)
        if self.calibrate:
            self._keep(replace(self.model_, calibration={"temperature": self._held_out_temperature(samples)}))

    def _held_out_temperature(self, samples: Chains) -> float:
        """That of a model of the other sequences, with the same kernel."""
        held, numbers = self._held_out(samples), self.model_.features.numbers(samples)
        rest = numbers.take(np.flatnonzero(~held))
        features = Features((self._kernel_on(rest, self.kernel_),))
        fitted = models.fit(
            self.model_.risk, rest, settings_of(self, 1), features, self.model_.labels, fingerprint=False
        )
        return fitted.model.best_temperature(numbers.take(np.flatnonzero(held)))

    def _held_out(self, samples: Chains) -> Any:
        """Which sequences the temperature is chosen on."""
        seed = self.random_state if isinstance(self.random_state, Integral) else 0
        return held_out(samples.n, self.calibrate, int(seed))
