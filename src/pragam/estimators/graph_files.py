"""A fitted :class:`pragam.GraphSVC` to a model file, and back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from pragam import __version__
from pragam.driver.result import History
from pragam.estimators.model_status import iterations_of, status_of
from pragam.files import source
from pragam.io.graph_model import NAME, GraphModelFile, load_graph_model, save_graph_model

if TYPE_CHECKING:
    from pragam.estimators.graph_svc import GraphSVC

#: Parameters that a file keeps as they are.
_PARAMETERS = ("tol", "solver", "max_iter", "max_seconds", "verbose")


def save(path: str | os.PathLike[str], model: GraphSVC) -> None:
    """Write what predicts and what proves. The history is not kept."""
    parameters = {name: getattr(model, name) for name in _PARAMETERS}
    loss = model.loss if isinstance(model.loss, str) else np.asarray(model.loss).tolist()
    save_graph_model(path, GraphModelFile(
        coef=model.coef_,
        intercept=model.intercept_,
        pairwise=model.pairwise_,
        classes=model.classes_.tolist(),
        dual=model.dual_,
        certificate=model.certificate_,
        risk={"name": NAME, "lam": float(model.lam), "loss": loss},
        parameters=parameters | {"status": model.status_.name, "n_iter": model.n_iter_, "pragam": __version__},
        sample_weight=model._sample_weight,
    ))  # fmt: skip


def restore(model: GraphSVC, path: source.Path) -> GraphSVC:
    """Make of an estimator the one in a file: its parameters, its weights and its proof."""
    stored = load_graph_model(path)
    known = {name: stored.parameters[name] for name in _PARAMETERS if name in stored.parameters}
    model.set_params(**known, lam=stored.risk["lam"], loss=stored.risk["loss"], labels=stored.classes)
    model.classes_ = np.array(stored.classes)
    model.coef_, model.intercept_, model.pairwise_ = stored.coef, stored.intercept, stored.pairwise
    model.n_features_in_, model._sample_weight = stored.coef.shape[1], stored.sample_weight
    model.dual_, model.certificate_, model.certificates_ = stored.dual, stored.certificate, [stored.certificate]
    model.status_, model.history_ = status_of(stored.parameters.get("status")), History.from_rows([])
    model.n_iter_ = iterations_of(stored.parameters.get("n_iter", 0))
    return model
