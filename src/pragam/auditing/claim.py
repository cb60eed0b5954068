"""What a model claims to minimise, and on which samples: whoever made it, a model of ours with its record."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from pragam.auditing import packages
from pragam.auditing.files import Training, is_liblinear, weights_of_liblinear
from pragam.auditing.strangers import model_of_weights, sentence
from pragam.auditing.weights import Weights
from pragam.models import Model, load
from pragam.numerics.arguments import refuse_masked
from pragam.operators.storage import Blocked
from pragam.risks.targets import LabelSets
from pragam.samples import Chains, Graphs, Rows
from pragam.samples.label_sets import indicator, is_label_sets

#: What the user says of a LIBLINEAR file's training: nothing of other models.
_NOTHING = Training()


class Claim(NamedTuple):
    """What a model is, the objective in words, the model with the record of that objective, and its samples."""

    title: str
    sentence: str
    model: Any
    samples: Any
    is_unpenalised: bool = False


def claim_of(
    model: Any,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    lengths: Any = None,
    training: Training = _NOTHING,
) -> Claim:
    """The claim of whatever :func:`pragam.audit` takes. ValueError if nobody can tell."""
    if isinstance(model, (str, os.PathLike)):
        model = load(model)
    own = getattr(model, "model_", model)
    if isinstance(own, Model):
        samples = samples_of(own, X, y, sample_weight, lengths)
        claim = claim_of_model(own, samples, training)
        return claim if own is model else claim._replace(title=f"pragam's {type(model).__name__}")
    _refuse(training)
    if packages.kind_of(model) == ("sklearn", "Pipeline"):
        before = model[:-1].transform(X) if len(model.steps) > 1 else X
        return claim_of(model.steps[-1][1], before, y, sample_weight, lengths)
    weights, X = (model, X) if isinstance(model, Weights) else packages.read(model, X, y)
    if lengths is not None:
        raise ValueError("lengths must not be given: the model is not one of sequences")
    refuse_masked(X=X, y=y, sample_weight=sample_weight)
    return _claim_of_weights(weights, Rows.of(X, y, sample_weight))


def claim_of_model(model: Model, samples: Any, training: Training = _NOTHING) -> Claim:
    """The claim of a model of ours, or of one from a LIBLINEAR file, on its training samples."""
    if is_liblinear(model):
        return _claim_of_weights(weights_of_liblinear(model, training), samples)
    _refuse(training)
    model.check_samples(samples)
    _check_weights(model, samples)
    return Claim(f"a pragam model ({model.kind})", f"the risk of its record, {model}", model, samples)


def samples_of(model: Model, X: Any, y: Any, sample_weight: Any, lengths: Any) -> Any:
    """What a user has, in the form of the model's samples."""
    form = model.risk.form
    if lengths is not None and form != "chains":
        raise ValueError("lengths must not be given: the model is not one of sequences")
    if form == "graphs":
        if y is not None:
            raise ValueError("y must be None: graphs hold their labels")
        return Graphs(X, sample_weight)
    if isinstance(X, Blocked) and y is None:
        return Rows.of(X, None, sample_weight)
    if y is None:
        raise ValueError("y must be given: the labels or numbers that the model was trained on")
    if form == "chains":
        return Chains.of(X, y, lengths, sample_weight)
    refuse_masked(X=X, y=y, sample_weight=sample_weight)
    if not isinstance(model.risk.target, LabelSets):
        return Rows.of(X, y, sample_weight)
    return Rows.of(X, indicator(y, model.labels) if is_label_sets(y) else y, sample_weight, model.labels)


def _claim_of_weights(weights: Weights, samples: Rows) -> Claim:
    model = model_of_weights(weights, samples)
    return Claim(weights.name, sentence(weights, model, samples.n), model, samples, weights.is_unpenalised)


def _check_weights(model: Model, samples: Any) -> None:
    """A model keeps the weights of its samples; others would pose another problem."""
    for name, given in samples.given().items():
        kept = model.given.get(name)
        fits = kept is None or given.ndim == 0 or given.shape == kept.shape
        if not (fits and (given == (1.0 if kept is None else kept)).all()):
            raise ValueError("sample_weight must be that of the training, which the model keeps: leave it out")


def _refuse(training: Training) -> None:
    """Options that only a LIBLINEAR file needs."""
    if training.is_given:
        raise ValueError(
            "C and lam are for LIBLINEAR model files, as are epsilon, class_weight and free_bias: this model says what "
            "it minimises"
        )
