"""Models in files: LIBLINEAR's text, which does not say with which C, and arrays, which say nothing but the weights.

Nothing is ever unpickled.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pragam.auditing.weights import Weights
from pragam.files import source
from pragam.files.arrays import DAMAGE, read_arrays, read_npy
from pragam.models import Model
from pragam.models.liblinear_types import JOINT, TYPES
from pragam.models.stored import load_opened
from pragam.numerics.arguments import check_number
from pragam.risks import Unstated

_NPY, _ZIP, _PICKLE = b"\x93NUMPY", b"PK", b"\x80"
_ARRAYS = ("coef", "intercept", "classes")


class Training(NamedTuple):
    """What a LIBLINEAR model file does not say of its training, for the user to say.

    C or lam, the half width of the tube of a regression (``-p``), the weights of classes (``-wi``), and whether the
    bias was free (``-R``).
    """

    C: float | None = None
    lam: float | None = None
    epsilon: float | None = None
    class_weight: Any = None
    free_bias: bool = False

    @property
    def is_given(self) -> bool:
        """Whether any of it is."""
        return self != Training()


def is_liblinear(model: Model) -> bool:
    """Whether the model was read from one of LIBLINEAR's files: ours name their risk."""
    return isinstance(model.risk, Unstated) and "liblinear_bias" in model.settings


def weights_of_liblinear(model: Model, training: Training) -> Weights:
    """The weights of a LIBLINEAR file and, from its solver_type and the user's word, what they claim."""
    solver = str(model.settings.get("solver"))
    if solver not in TYPES:
        raise ValueError(f"model was made by {solver!r:.40}, which is no solver of LIBLINEAR's: {', '.join(TYPES)}")
    kind = TYPES[solver]
    if kind.lacking:
        raise ValueError(f"model was made by LIBLINEAR's {solver}: {kind.lacking}, a risk that pragam does not have")
    if training.C is None and training.lam is None:
        raise ValueError("C must be given: a LIBLINEAR model file does not say with which C it was trained")
    if training.lam is not None:
        check_number("lam", training.lam, above=0)
    is_tube = kind.loss == "epsilon_insensitive"
    if is_tube and training.epsilon is None:
        raise ValueError("epsilon must be given: a LIBLINEAR model file does not say with which -p it was trained")
    if not is_tube and training.epsilon is not None:
        raise ValueError(f"epsilon is for regressions, and the model was made by LIBLINEAR's {solver}")
    if is_tube and training.class_weight is not None:
        raise ValueError("class_weight is for classifiers, and the model is a regression")
    column, coef = check_number("liblinear_bias", model.settings["liblinear_bias"]), model.tensors["coef"]
    intercept = model.tensors["intercept"] if column > 0 else None
    if solver == JOINT and len(coef) == 1:  # the weights of the second class; those of the first are the negative ones
        coef, intercept = 2 * coef, None if intercept is None else 2 * intercept
    return Weights(
        coef=coef, intercept=intercept, C=training.C, lam=training.lam, loss=kind.loss,
        penalised=not training.free_bias, intercept_scaling=column if column > 0 else 1.0,
        classes=None if is_tube else model.labels, multi_class=kind.scheme, class_weight=training.class_weight,
        epsilon=training.epsilon or 0.0, name=f"a LIBLINEAR model ({solver})",
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
