"""A max-margin labeller of sequences that knows how good it is."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from pragam import models
from pragam.estimators.compat import Interval, StrOptions, with_callbacks
from pragam.estimators.max_margin import MaxMarginEstimator
from pragam.estimators.parameters import at_least_zero, estimator, parameter
from pragam.estimators.sequences import SequenceEstimator, names_of
from pragam.estimators.solving import settings_of
from pragam.models.features import Features
from pragam.models.kernel import Kernel
from pragam.models.top_weights import FeatureWeight, top_features
from pragam.numerics.arguments import is_whole
from pragam.risks import Risk
from pragam.structured.chains.record import ChainHinge
from pragam.structured.targets import LOSSES

if TYPE_CHECKING:
    from typing_extensions import Self


@estimator
class ChainSVC(SequenceEstimator, MaxMarginEstimator):
    r"""Max-margin sequence labelling (M3N on chains), trained to a certified duality gap.

    Minimises, over all weights,

        J(w) = lam/2 |w|^2 + (1/n) sum_i weight_i max over labellings y of  loss_i(y) + F_i(y) - F_i(y_i)
        F(y) = start_{y_0} + sum_t <coef_{y_t}, x_t> + intercept_{y_t} + sum_t transitions_{y_t y_{t+1}} + end_{y_last}

    (Taskar, Guestrin and Koller, "Max-margin Markov networks", NIPS 2003). Every weight is penalised, that of the
    constant feature, ``intercept_``, too.

    Sequences are a (tokens, d) array or sparse matrix with ``lengths`` (without them it is one sequence), or a list of
    such matrices, or a list of sequences of tokens, each a dictionary as for scikit-learn's DictVectorizer or a list of
    strings as for CRFsuite. Labels and predictions have the form of X: one array, or a list.

    Parameters
    ----------
    lam : float > 0
        Weight of the regulariser against the mean loss.
    C : float > 0 or None
        In place of lam: the weight of the summed loss against 1/2 |w|^2. lam = 1/(n C) for the n sequences of
        the training data. With it lam keeps its default.
    loss : "hamming_mean", "hamming_sum" or (K, K) array
        What a wrong label costs: 1 over the length of its sequence, 1, or cost[true, predicted].
    kernel : None, name, callable or scikit-learn kernel object
        A kernel on the features of tokens, by a stored factor (:mod:`pragam.structured.kernels.nystrom`). A name is one
        of ``sklearn.metrics.pairwise``; a callable maps two matrices to their Gram matrix.
    n_landmarks : int or None
        Tokens whose span holds the model of a kernel; None is all different ones up to 2000, else 1000.
    kernel_params : dict or None
        Parameters of a kernel that is a name or a callable, such as ``{"gamma": 0.1}``.

    Attributes
    ----------
    coef_ : (K, d) array
        The weights of the features of tokens.
    intercept_ : (K,) array
        What is added to the score of each label.
    start_ : (K,) array
        The scores of first labels.
    end_ : (K,) array
        The scores of last labels.
    """

    loss: Any = parameter("hamming_mean", StrOptions(set(LOSSES)), "array-like")
    tol: float = at_least_zero(1e-2)
    kernel: Any = parameter(None, str, callable, None)
    n_landmarks: int | None = parameter(None, Interval(Integral, 1, None, closed="left"), None)
    kernel_params: dict[str, Any] | None = parameter(None, dict, None)

    _risks: ClassVar[tuple[str, ...]] = ("chain_hinge",)

    @with_callbacks
    def fit(self, X: Any, y: Any, lengths: Any = None, sample_weight: Any = None, token_weight: Any = None) -> Self:
        """Fit the model; the certificate is in ``certificate_``.

        Parameters
        ----------
        X : sequences, in one of the forms above
        y : labels, one array for a flat X, else a list of the labels of each sequence
        lengths : the number of tokens of each sequence, for a flat X
        sample_weight : one number >= 0 for each sequence, optional
        token_weight : one number >= 0 for each token, flat, optional; multiplies what a wrong label costs
        """
        return self._fit(X, y, lengths, sample_weight, token_weight)

    def fit_path(
        self, X: Any, y: Any, lams: Iterable[float], lengths: Any = None, sample_weight: Any = None,
        token_weight: Any = None,
    ) -> list[ChainSVC]:  # fmt: skip
        """A fitted model for each lam, in their order; each solve starts from the solution at the next larger lam.

        This estimator's other parameters hold for all of them; ``max_seconds`` is for the whole path.
        """
        self._validate_params()
        samples = self._samples(X, y, lengths, sample_weight, token_weight)
        risk, features = self._risk(samples), self._features(samples)
        labels = self._labels(samples, risk)
        found = models.fit_path(risk, samples, lams, settings_of(self, 1), features, labels, self.checkpoint)
        fitted = [(clone(self).set_params(lam=each.model.risk.lam, C=None), each) for each in found]
        for own, each in fitted:
            own._keep(each.model)
            own._keep_solves(each, samples)
        for own, each in fitted:
            own._warn(each, samples, frames=3)
        return [own for own, _ in fitted]

    def predict_topk(self, X: Any, k: int, lengths: Any = None) -> list[list[tuple[NDArray[Any], float]]]:
        """For each sequence the k best labellings with their scores F(y), the best first; fewer if there are fewer."""
        if not is_whole(k) or k < 1:
            raise ValueError(f"k must be a whole number >= 1, not {k!r:.40}")
        samples = self._chains(X, lengths, least=0)
        return self.model_.top(samples, int(k))

    def token_margins(self, X: Any, lengths: Any = None) -> Any:
        """For each token, how much the best labelling loses if this token must have another label than predicted.

        That is the max-marginal of the predicted label less that of the best other one, a number >= 0 up to rounding:
        the smaller, the less certain.
        """
        samples = self._chains(X, lengths, least=0)
        return self.model_.margins(samples)

    def top_features(self, label: Any, n: int = 10, against: bool = False) -> list[FeatureWeight]:
        """The n features (feature, weight) with the largest weights for a label, out of its row of ``coef_``.

        ``against=True``: those with the most negative weights. There may be fewer than n: weights of the other sign
        and 0 are left out. Features without names are x0, x1, ... A model with a kernel has no weights of features.
        """
        check_is_fitted(self)
        if self.model_.features.find(Kernel) is not None:
            raise ValueError("the model has a kernel, so its weights are not those of the features of tokens")
        return top_features(self.model_.tensors["coef"], self.feature_names_, self.model_.labels, label, n, against)

    def _risk(self, samples: Any) -> Risk:
        return ChainHinge(lam=self._lam(samples.n), loss=self.loss, transitions=self.transitions)

    def _features(self, samples: Any) -> Features:
        maps = names_of(samples)
        if self.kernel is not None:
            X, own = Features(maps).numbers(samples).X, (self.kernel, self.kernel_params)
            maps = (*maps, Kernel.of_landmarks(X, *own, self.n_landmarks, self.random_state))
        return Features(maps)

    def _keep(self, model: Any) -> None:
        super()._keep(model)
        for name, array in model.tensors.items():
            setattr(self, f"{name}_", array)
