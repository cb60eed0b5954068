"""Models in files: LIBLINEAR's text, which does not say with which C, and arrays, which say nothing but the weights.

Nothing is ever unpickled.
"""

from __future__ import annotations

from typing import Any

from pragam.auditing.weights import Weights
from pragam.files import source
from pragam.files.arrays import DAMAGE, read_arrays, read_npy
from pragam.models import Model
from pragam.models.stored import load_opened
from pragam.numerics.arguments import check_number
from pragam.risks import Unstated

_NPY, _ZIP, _PICKLE = b"\x93NUMPY", b"PK", b"\x80"
_ARRAYS = ("coef", "intercept", "classes")

#: The solvers of LIBLINEAR whose problem is a linear SVM with an L2 penalty: (loss, what is done with several classes).
SOLVERS = {
    "L2R_L2LOSS_SVC_DUAL": ("squared_hinge", "ovr"),
    "L2R_L2LOSS_SVC": ("squared_hinge", "ovr"),
    "L2R_L1LOSS_SVC_DUAL": ("hinge", "ovr"),
    "MCSVM_CS": ("hinge", "crammer_singer"),
}


def is_liblinear(model: Model) -> bool:
    """Whether the model was read from one of LIBLINEAR's files: ours name their risk."""
    return isinstance(model.risk, Unstated) and "liblinear_bias" in model.settings


def weights_of_liblinear(model: Model, C: float | None, lam: float | None) -> Weights:
    """The weights of a LIBLINEAR file and, from its solver_type, what they claim."""
    solver = str(model.settings.get("solver"))
    if solver not in SOLVERS:
        usable = ", ".join(SOLVERS)
        raise ValueError(f"model was made by LIBLINEAR's {solver}, and audited are those of {usable}")
    if C is None and lam is None:
        raise ValueError("C must be given: a LIBLINEAR model file does not say with which C it was trained")
    loss, scheme = SOLVERS[solver]
    column = check_number("liblinear_bias", model.settings["liblinear_bias"])
    return Weights(
        coef=model.tensors["coef"], intercept=model.tensors["intercept"] if column > 0 else None, C=C, lam=lam,
        loss=loss, penalised=True, intercept_scaling=column if column > 0 else 1.0, classes=model.labels,
        multi_class=scheme, name=f"a LIBLINEAR model ({solver})",
    )  # fmt: skip


def read_any(path: source.Path) -> Any:
    """A model file as a Model; an ``.npy`` of coef, or an ``.npz`` of coef, intercept and classes, as its arrays."""
    with source.opened(path) as opened:
        is_tensors = opened.head[3:6] == bytes(3)  # a safetensors file begins with a length below 2^24, as 8 bytes
        if opened.head.startswith(_PICKLE) and not is_tensors:
            raise ValueError(
                f"{opened.name}: a Python pickle is never loaded here; where you trust it, in Python: import joblib, "
                f"pragam; print(pragam.audit(joblib.load({opened.name!r}), X, y))"
            )
        if is_tensors or not opened.head.startswith((_NPY, _ZIP)):
            return load_opened(opened)
        try:
            if opened.head.startswith(_NPY):
                return {"coef": read_npy(opened.as_file())}
            arrays = read_arrays(opened.as_file(), _ARRAYS)
            if "coef" not in arrays:
                raise ValueError("it has no array 'coef'")
            return arrays
        except (ValueError, *DAMAGE) as error:
            raise ValueError(f"{opened.name}: not usable weights: {error}") from error
