"""A fitted :class:`pragam.ChainSVC` to a model file, and back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from pragam import __version__
from pragam.driver.result import History
from pragam.estimators.model_status import iterations_of, status_of
from pragam.files import source
from pragam.io import SequenceModel, load_sequence_model, save_sequence_model
from pragam.sequences.problem import NAME
from pragam.sequences.vocabulary import Vocabulary
from pragam.structured.kernels import TokenKernel, dense, kernel_of, kernel_record

if TYPE_CHECKING:
    from pragam.estimators.chain_svc import ChainSVC

#: Parameters that a file keeps as they are.
_PARAMETERS = ("tol", "max_iter", "max_seconds", "n_jobs", "verbose", "n_landmarks")


def save(path: str | os.PathLike[str], model: ChainSVC) -> None:
    """Write what predicts and what proves. The history is not kept."""
    arrays = {name: weights for name, weights in model._example_weights.items() if weights is not None}
    kernel = None
    if model._kernel is not None:
        kernel = kernel_record(model._kernel.kernel, model._kernel.parameters)
        arrays["landmarks"] = dense(model._kernel.landmarks)
        arrays["kernel_map"] = model._kernel.map
    parameters = {name: getattr(model, name) for name in _PARAMETERS}
    parameters |= {"solver": model.solver, "status": model.status_.name, "n_iter": model.n_iter_, "pragam": __version__}
    save_sequence_model(path, SequenceModel(
        weights=model._weights,
        classes=model.classes_.tolist(),
        dual=model.dual_,
        certificate=model.certificate_,
        risk={"name": NAME} | {name: _plain(value) for name, value in model._risk().items()},
        parameters=parameters,
        features=model.feature_names_,
        kernel=kernel,
        arrays={name: np.asarray(array, dtype=np.float64) for name, array in arrays.items()},
    ))  # fmt: skip


def restore(model: ChainSVC, path: source.Path) -> ChainSVC:
    """Make of an estimator the one in a file: its parameters, its weights and its proof."""
    stored = load_sequence_model(path)
    risk, parameters = stored.risk, stored.parameters
    kernel, kernel_params = kernel_of(stored.kernel) if stored.kernel else (None, None)
    known = {name: parameters[name] for name in (*_PARAMETERS, "solver") if name in parameters}
    transitions = np.array(risk["transitions"]) if isinstance(risk["transitions"], list) else risk["transitions"]
    model.set_params(
        **known, lam=risk["lam"], loss=risk["loss"], transitions=transitions, labels=stored.classes, kernel=kernel,
        kernel_params=kernel_params or None,
    )  # fmt: skip
    model.classes_ = np.array(stored.classes)
    model._vocabulary = None if stored.features is None else Vocabulary(stored.features)
    model._kernel = None
    if stored.kernel:
        landmarks, table = stored.arrays["landmarks"], stored.arrays["kernel_map"]
        model._kernel = TokenKernel(kernel, kernel_params or {}, landmarks, table)
    model.n_features_in_ = stored.n_features
    model._example_weights = {name: stored.arrays.get(name) for name in ("sample_weight", "token_weight")}
    model._keep_weights(stored.weights)
    model.dual_, model.certificate_, model.certificates_ = stored.dual, stored.certificate, [stored.certificate]
    model.status_, model.n_iter_ = status_of(parameters.get("status")), iterations_of(parameters.get("n_iter", 0))
    model.history_, model.n_unseen_features_ = History.from_rows([]), 0
    return model


def _plain(value: Any) -> Any:
    """JSON has lists for arrays."""
    return value if value is None or isinstance(value, str) else np.asarray(value).tolist()
