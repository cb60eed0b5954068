"""LIBLINEAR's model files as plain weights. The file says which problem was solved, but not with which C."""

from __future__ import annotations

from typing import Any

from pragam.auditing.weights import Weights
from pragam.io import Model

#: The solvers of LIBLINEAR whose problem is a linear SVM with an L2 penalty: (loss, what is done with several classes).
SOLVERS = {
    "L2R_L2LOSS_SVC_DUAL": ("squared_hinge", "ovr"),
    "L2R_L2LOSS_SVC": ("squared_hinge", "ovr"),
    "L2R_L1LOSS_SVC_DUAL": ("hinge", "ovr"),
    "MCSVM_CS": ("hinge", "crammer_singer"),
}


def is_liblinear(model: Model) -> bool:
    """Whether the model was read from one of LIBLINEAR's files: ours name their risk."""
    return not model.risk and "liblinear_bias" in model.parameters


def weights_of_liblinear(model: Model, C: float | None, lam: float | None) -> Weights:
    """The weights of a LIBLINEAR file and, from its solver_type, what they claim."""
    solver = model.parameters["solver"]
    if solver not in SOLVERS:
        usable = ", ".join(SOLVERS)
        raise ValueError(f"model was made by LIBLINEAR's {solver}, and audited are those of {usable}")
    if C is None and lam is None:
        raise ValueError("C must be given: a LIBLINEAR model file does not say with which C it was trained")
    loss, scheme = SOLVERS[solver]
    column: Any = model.parameters["liblinear_bias"]
    return Weights(
        coef=model.coef, intercept=model.intercept if column > 0 else None, C=C, lam=lam, loss=loss, penalised=True,
        intercept_scaling=column if column > 0 else 1.0, classes=model.classes, multi_class=scheme,
        name=f"a LIBLINEAR model ({solver})",
    )  # fmt: skip
