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
from pragam.path import path
from pragam.problem import Problem
from pragam.result import History, Result, Status
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
from pragam.solve import Progress, solve

__version__ = "0.1.0"

__all__ = [
    "Certificate", "ChainSVC", "GPSequenceClassifier", "GraphSVC", "History", "LinearSVC", "Problem", "Progress",
    "Result", "Status", "Weights", "audit", "auditing", "certify", "compare", "datasets", "epsilon_insensitive",
    "hinge", "io", "max_affine", "multiclass_hinge", "multilabel_hinge", "ordinal_hinge", "path", "plot", "polytopes",
    "quantile", "report", "sequences", "smoothed_hinge", "solve", "solvers", "squared_hinge", "structured", "theory",
    "tuning",
]  # fmt: skip

#: Loaded at first use, so that ``import pragam`` stays light: name -> module that holds it.
_LAZY = {
    "ChainSVC": "pragam.estimators",
    "GPSequenceClassifier": "pragam.estimators",
    "GraphSVC": "pragam.estimators",
    "LinearSVC": "pragam.estimators",
    "Weights": "pragam.auditing",
    "audit": "pragam.auditing",
    "auditing": "pragam.auditing",
    "compare": "pragam.compare",
    "datasets": "pragam.datasets",
    "io": "pragam.io",
    "plot": "pragam.plot",
    "report": "pragam.report",
    "sequences": "pragam.sequences",
    "structured": "pragam.structured",
    "theory": "pragam.theory",
    "tuning": "pragam.tuning",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'pragam' has no attribute {name!r}")
    module = import_module(_LAZY[name])
    return module if module.__name__ == f"pragam.{name}" else getattr(module, name)


def __dir__() -> list[str]:
    return __all__
