"""pragam trains linear max-margin models and proves how good its answer is.

>>> import pragam
>>> problem = pragam.hinge(X, y, lam=1e-4)                   # doctest: +SKIP
>>> result = pragam.solve(problem, tol=1e-6)                 # doctest: +SKIP
>>> result.certificate.relative_gap                          # doctest: +SKIP

Risks build a :class:`Problem`; :func:`solve` runs a solver on it until the duality gap that :func:`certify`
computes is small; estimators wrap both for scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pragam import polytopes, solvers
from pragam.certificate import Certificate, certify
from pragam.driver.path import path
from pragam.driver.result import History, Result, Status
from pragam.driver.solve import Progress, solve
from pragam.problem import Problem
from pragam.risks import (
    epsilon_insensitive,
    hinge,
    max_affine,
    multiclass_hinge,
    multilabel_hinge,
    ordinal_hinge,
    quantile,
    smoothed_hinge,
    squared_hinge,
)

__version__ = "0.1.0"

__all__ = [
    "Certificate", "ChainSVC", "GPSequenceClassifier", "GraphSVC", "History", "LinearSVC", "LinearSVCCV",
    "LinearSVR", "LinearSVRCV", "MulticlassSVC", "MultilabelSVC", "OrdinalSVC", "Packed", "Problem", "Progress",
    "QuantileRegressor", "QuantileRegressorCV", "Result", "Status", "Weights", "audit", "auditing", "certify",
    "compare", "datasets", "epsilon_insensitive", "hinge", "io", "max_affine", "multiclass_hinge",
    "multilabel_hinge", "onnx", "open_packed", "ordinal_hinge", "pack", "patch_sklearn", "path", "plot",
    "polytopes", "quantile", "report", "selection", "sequences", "smoothed_hinge", "solve", "solvers",
    "squared_hinge", "structured", "theory", "tune", "tuning", "unpatch_sklearn",
]  # fmt: skip

#: Loaded at first use, so that ``import pragam`` stays light: name -> where it is.
_LAZY = {
    "ChainSVC": "pragam.estimators.ChainSVC",
    "GPSequenceClassifier": "pragam.estimators.GPSequenceClassifier",
    "GraphSVC": "pragam.estimators.GraphSVC",
    "LinearSVC": "pragam.estimators.LinearSVC",
    "LinearSVCCV": "pragam.estimators.LinearSVCCV",
    "LinearSVR": "pragam.estimators.LinearSVR",
    "LinearSVRCV": "pragam.estimators.LinearSVRCV",
    "MulticlassSVC": "pragam.estimators.MulticlassSVC",
    "MultilabelSVC": "pragam.estimators.MultilabelSVC",
    "OrdinalSVC": "pragam.estimators.OrdinalSVC",
    "Packed": "pragam.packed.Packed",
    "QuantileRegressor": "pragam.estimators.QuantileRegressor",
    "QuantileRegressorCV": "pragam.estimators.QuantileRegressorCV",
    "Weights": "pragam.auditing.Weights",
    "audit": "pragam.auditing.audit",
    "auditing": "pragam.auditing",
    "compare": "pragam.compare",
    "datasets": "pragam.datasets",
    "io": "pragam.io",
    "onnx": "pragam.onnx",
    "open_packed": "pragam.packed.open_packed",
    "pack": "pragam.packed.pack",
    "patch_sklearn": "pragam.patch.patch_sklearn",
    "plot": "pragam.plot",
    "report": "pragam.report",
    "selection": "pragam.selection",
    "sequences": "pragam.sequences",
    "structured": "pragam.structured",
    "theory": "pragam.theory",
    "tune": "pragam.selection.tune",
    "tuning": "pragam.tuning",
    "unpatch_sklearn": "pragam.patch.unpatch_sklearn",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'pragam' has no attribute {name!r}")
    found = _loaded(_LAZY[name])
    globals()[name] = found  # Python asks here no more
    return found


def _loaded(path: str) -> Any:
    """The module of this path, or what a module has under its last name."""
    try:
        return import_module(path)
    except ModuleNotFoundError as error:
        if error.name != path:
            raise
    room, _, own = path.rpartition(".")
    return getattr(import_module(room), own)


def __dir__() -> list[str]:
    return __all__
