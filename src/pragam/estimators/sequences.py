"""Estimators of sequences: the door to their forms, and what max-margin and Gaussian-process labellers share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from pragam.certificate import Certificate
from pragam.driver.solve import Progress
from pragam.estimators.compat import StrOptions
from pragam.estimators.parameters import estimator, parameter
from pragam.estimators.structured import StructuredEstimator, share_right
from pragam.models.features import Map
from pragam.models.kernel import Kernel
from pragam.models.kinds import KINDS
from pragam.models.names import Names
from pragam.models.top_weights import TransitionWeight, top_transitions
from pragam.samples import Chains
from pragam.structured.tags import SCHEMES


@estimator
class SequenceEstimator(StructuredEstimator):
    """Examples are sequences of tokens, in the forms of :mod:`pragam.samples.forms`.

    Parameters
    ----------
    transitions : None, "iob", "iob1", "ioe1", "ioe2", "bioes", "bilou" or (K, K) boolean array
        Which label (column) may follow which (row); a name is a scheme of tags (:mod:`pragam.structured.tags`).

    Attributes
    ----------
    transitions_ : (K, K) array
        The scores of transitions, from row to column.
    feature_names_ : list of str or None
        The names of the columns of the features, if tokens had features by name.
    n_unseen_features_ : int
        Occurrences of features unknown in training that the last prediction ignored.
    """

    transitions: Any = parameter(None, StrOptions(set(SCHEMES)), "array-like", None)

    def __sklearn_tags__(self) -> Any:
        """Neither a classifier nor a regressor for scikit-learn, which would take the sequences for rows."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.dict = tags.input_tags.string = True
        tags.target_tags.required = True
        return tags

    def predict(self, X: Any, lengths: Any = None) -> Any:
        """The best labelling of each sequence: one array of labels for a flat X, else a list.

        Sequences may be empty, and so may the list.
        """
        samples = self._chains(X, lengths, least=0)
        return self.model_.predict(samples)

    def top_transitions(self, n: int = 10, against: bool = False) -> list[TransitionWeight]:
        """The n pairs (before, after, weight) of labels with the largest weights of ``transitions_``.

        ``against=True``: those with the most negative weights. There may be fewer than n: weights of the other sign, 0,
        and pairs that ``transitions`` forbid are left out.
        """
        check_is_fitted(self)
        rules = self.model_.risk.rules(self.model_.labels)
        return top_transitions(self.model_.transitions, rules, self.model_.labels, n, against)

    def score(self, X: Any, y: Any, lengths: Any = None, sample_weight: Any = None) -> float:
        """The share of tokens that are labelled right; ``sample_weight`` has a number for each sequence."""
        samples = self._chains(X, lengths, y)
        return share_right(self.model_.worth(samples), samples.lengths, sample_weight)

    def certify(self, X: Any, y: Any, lengths: Any = None) -> Certificate:
        """The certificate of this model, computed anew from its training data, its weights and its dual point."""
        return self._certify(self._chains(X, lengths, y))

    @property
    def feature_names_(self) -> list[str] | None:
        """The names of the columns of the features if tokens had features by name, else None."""
        check_is_fitted(self)
        names = self.model_.features.find(Names)
        return None if names is None else names.names

    def _samples(
        self, X: Any, y: Any, lengths: Any = None, sample_weight: Any = None, token_weight: Any = None
    ) -> Chains:
        return Chains.of(X, y, lengths, sample_weight, token_weight)

    def _chains(self, X: Any, lengths: Any, y: Any = None, least: int = 1) -> Chains:
        """Sequences as numbers, of the form and the width of those in training; unknown features are counted."""
        check_is_fitted(self)
        samples, names = Chains.of(X, y, lengths, least=least), self.model_.features.find(Names)
        if not samples.lengths.any():  # no tokens, and so nothing is known of their features
            return replace(samples, X=np.empty((0, self.n_features_in_)))
        if samples.has_names != (names is not None):
            kinds = ("matrices", "features by name")
            given, trained = kinds[samples.has_names], kinds[not samples.has_names]
            raise ValueError(f"X has {given}, and the model was trained on {trained}")
        self.n_unseen_features_ = 0
        if names is not None:
            samples, self.n_unseen_features_ = names.applied(samples)
        if samples.n_features != self.n_features_in_:
            raise ValueError(f"X has {samples.n_features} columns, and the model was trained on {self.n_features_in_}")
        return samples

    def _keep(self, model: Any) -> None:
        super()._keep(model)
        self.n_unseen_features_ = 0

    def _halfway(self, progress: Progress, model: Any, samples: Any) -> dict[str, Any]:
        risk, labels, features = model
        kind: Any = KINDS[risk.kind]
        twin = clone(self)
        twin._keep(kind(risk, labels, kind.tensors_of(risk, labels, [(None, progress)]), features=features))
        parameters = self.get_params(deep=False)
        return {name: value for name, value in vars(twin).items() if name not in parameters}

    @classmethod
    def _parameters(cls, model: Any) -> dict[str, Any]:
        """The kernel, and how many landmarks it has, if it has any."""
        kernel = model.features.find(Kernel)
        if kernel is None:
            return super()._parameters(model)
        own = {"kernel": kernel.kernel, "kernel_params": kernel.parameters}
        own |= {"nodes": kernel.nodes, "precision": kernel.precision}
        return super()._parameters(model) | own | ({} if kernel.map is None else {"n_landmarks": kernel.rows.shape[0]})


def names_of(samples: Chains) -> tuple[Map, ...]:
    """The map of the features by name that occur; none for matrices."""
    return (Names.of(samples),) if samples.has_names else ()
