"""A fitted :class:`pragam.GPSequenceClassifier` to a model file, and back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.gaussian_process.kernels import RBF

from pragam import __version__
from pragam.driver.result import History
from pragam.estimators.gp_model import GPModel
from pragam.estimators.model_status import iterations_of, status_of
from pragam.files import source
from pragam.io.gp_sequence_model import NAME, GPSequenceModel, load_gp_sequence_model, save_gp_sequence_model
from pragam.structured.kernels import TokenKernel, Tokens, kernel_function, kernel_of, kernel_record

if TYPE_CHECKING:
    from pragam.estimators.gp_sequence_classifier import GPSequenceClassifier

#: Parameters that a file keeps as they are.
_PARAMETERS = ("tol", "n_landmarks", "solver", "calibrate", "max_iter", "max_seconds", "n_jobs", "verbose")


def save(path: str | os.PathLike[str], model: GPSequenceClassifier) -> None:
    """Write what predicts and what proves. The history and the random state are not kept."""
    own = model._model
    table = model.transitions
    parameters = {name: _plain(getattr(model, name)) for name in _PARAMETERS}
    parameters |= {"status": model.status_.name, "n_iter": model.n_iter_, "pragam": __version__}
    save_gp_sequence_model(path, GPSequenceModel(
        weights=own.w,
        classes=model.classes_.tolist(),
        dual=model.dual_,
        certificate=model.certificate_,
        risk={
            "name": NAME,
            "lam": float(model.lam),
            "transition_scale": own.options.transition_scale,
            "nodes": model.nodes,
            "precision": model.precision,
            "transitions": table if table is None or isinstance(table, str) else np.asarray(table).tolist(),
        },
        kernel=kernel_record(model.kernel_, {}),
        rows=own.rows,
        lengths=None if own.tokens is None else own.tokens.lengths,
        kernel_map=None if own.features is None else own.features.map,
        parameters=parameters | {"temperature": float(model.temperature_)},
    ))  # fmt: skip


def restore(model: GPSequenceClassifier, path: source.Path) -> GPSequenceClassifier:
    """Make of an estimator the one in a file: its parameters, its weights and its proof."""
    stored = load_gp_sequence_model(path)
    risk, parameters = dict(stored.risk), stored.parameters
    kernel = _kernel(stored)
    table = risk["transitions"]
    model.set_params(
        **{name: parameters[name] for name in _PARAMETERS if name in parameters},
        **{name: risk[name] for name in ("lam", "transition_scale", "nodes", "precision")},
        kernel=kernel, labels=stored.classes, transitions=np.array(table) if isinstance(table, list) else table,
    )  # fmt: skip
    model.classes_, model.n_features_in_ = np.array(stored.classes), stored.rows.shape[1]
    model.kernel_ = kernel
    options = model._options()
    tokens = None if stored.lengths is None else Tokens(stored.rows, stored.lengths, options.nodes)
    features = None if stored.kernel_map is None else TokenKernel(kernel, {}, stored.rows, stored.kernel_map)
    model._model = GPModel(options, tokens, features, len(stored.classes), stored.weights)
    model.transitions_, model.temperature_ = model._model.transitions, parameters["temperature"]
    model.dual_, model.certificate_, model.certificates_ = stored.dual, stored.certificate, [stored.certificate]
    model.status_, model.n_iter_ = status_of(parameters.get("status")), iterations_of(parameters.get("n_iter", 0))
    model.history_ = History.from_rows([])
    return model


def _kernel(stored: GPSequenceModel) -> Any:
    """The kernel of a file, tried on one of its rows."""
    if stored.kernel is None:  # what the default was once
        return RBF()
    kernel, _ = kernel_of(stored.kernel)
    one = stored.rows[:1]
    try:
        kernel_function(kernel)(one, one)
    except Exception as error:
        raise ValueError(f"its kernel cannot be computed: {str(error)!r:.80}") from error
    return kernel


def _plain(value: Any) -> Any:
    """JSON knows no NumPy numbers."""
    return value.item() if isinstance(value, np.generic) else value
