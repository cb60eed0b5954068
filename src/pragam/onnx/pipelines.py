"""pragam's linear estimators as converters of skl2onnx, so that a Pipeline with one of them converts.

skl2onnx (https://onnx.ai/sklearn-onnx) finds a converter by the type of an estimator. ``register`` enters ours: each
writes the same graph as :func:`pragam.models.onnx.to_onnx`, in the type that the step before it gives.
"""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam import estimators
from pragam.files.atomic import replacing
from pragam.models.onnx import DOUBLE, OPSET, dtype_of, label_dtype, widths, write
from pragam.patch import linear_svc, linear_svr

ESTIMATORS: tuple[type, ...] = (
    estimators.LinearSVC, estimators.LinearSVR, estimators.MulticlassSVC, estimators.MultilabelSVC,
    estimators.OrdinalSVC, estimators.QuantileRegressor, linear_svc.LinearSVC, linear_svr.LinearSVR,
)  # fmt: skip


def convert(model: Any, path: str | os.PathLike[str] | None = None, dtype: Any = "float64") -> Any:
    """A fitted estimator or Pipeline as an ``onnx.ModelProto``, by skl2onnx; written to a file if there is a path.

    Parameters
    ----------
    model : fitted estimator with ``n_features_in_``, such as a Pipeline whose steps skl2onnx or pragam knows
    path : where to write it, whole or not at all
    dtype : "float64" or "float32", the type of the input ``X``
    """
    if not hasattr(model, "n_features_in_"):
        raise ValueError(f"model must be fitted, so that it has n_features_in_; this {type(model).__name__} has none")
    register()
    library, kind = _library(), dtype_of(dtype)
    types = library.common.data_types
    tensor = types.DoubleTensorType if kind == np.float64 else types.FloatTensorType
    made = library.convert_sklearn(model, initial_types=[("X", tensor([None, model.n_features_in_]))])
    if path is not None:
        with replacing(path) as file:
            file.write(made.SerializeToString())
    return made


@lru_cache(maxsize=1)
def register() -> None:
    """Make pragam's linear estimators known to skl2onnx, in this process: ``skl2onnx.to_onnx(pipeline, X)`` works."""
    library = _library()
    for cls in ESTIMATORS:
        alias = f"Pragam{'Patched' if cls.__module__.startswith('pragam.patch') else ''}{cls.__name__}"
        library.update_registered_converter(cls, alias, _shapes, _converter, parser=_parser(alias))


class TheirGraph:
    """The part of skl2onnx's graph that one operator writes."""

    def __init__(self, scope: Any, container: Any) -> None:
        self._scope, self._container = scope, container

    def constant(self, values: NDArray[Any]) -> str:
        name = self._scope.get_unique_variable_name("pragam_constant")
        helper = import_module("onnx.helper")
        content = [str(each).encode() for each in values] if values.dtype == object else values.ravel().tolist()
        kind = np.dtype(np.int64) if values.dtype.kind in "iu" else values.dtype
        self._container.add_initializer(name, helper.np_dtype_to_tensor_dtype(kind), list(values.shape), content)
        return str(name)

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        output = self._scope.get_unique_variable_name("pragam_value")
        own = self._scope.get_unique_operator_name(f"Pragam{operator}")
        outputs = [output, self._scope.get_unique_variable_name("pragam_unused")] if operator == "TopK" else [output]
        self._container.add_node(operator, list(inputs), outputs, op_version=OPSET, name=own, **attributes)
        return str(output)


def _parser(alias: str) -> Any:
    """What outputs an estimator has: no map from classes to probabilities, which there are none of."""

    def parser(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:
        operator = scope.declare_local_operator(alias, model)
        operator.inputs = inputs
        for name, kind in _outputs(model.model_, inputs[0].type).items():
            operator.outputs.append(scope.declare_local_variable(name, kind))
        return operator.outputs

    return parser


def _shapes(operator: Any) -> None:
    model, of = operator.raw_operator.model_, operator.inputs[0]
    for output, kind in zip(operator.outputs, _outputs(model, of.type).values(), strict=True):
        output.type = kind
        output.type.shape = [of.get_first_dimension(), *kind.shape[1:]]


def _outputs(model: Any, given: Any) -> dict[str, Any]:
    """The type of each output, by name."""
    types = _library().common.data_types
    real = types.FloatTensorType if _real(given) == np.float32 else types.DoubleTensorType
    of_label: dict[str, Any] = {
        "i": types.Int64TensorType, "O": types.StringTensorType, "b": types.BooleanTensorType,
        "f": types.DoubleTensorType,
    }  # fmt: skip
    kinds = {"label": of_label[label_dtype(model).kind], "scores": real, "prediction": real}
    return {name: kinds[name]([None, *more]) for name, more in widths(model).items()}


def _converter(scope: Any, operator: Any, container: Any) -> None:
    graph, of = TheirGraph(scope, container), operator.inputs[0]
    X, kind = of.full_name, _real(of.type)
    if not isinstance(of.type, _reals()):  # whole numbers and flags
        X = graph.node("Cast", X, to=DOUBLE)
    made = write(operator.raw_operator.model_, graph, X, kind)
    for output, value in zip(operator.outputs, made.values(), strict=True):
        own = scope.get_unique_operator_name("PragamIdentity")
        container.add_node("Identity", [value], [output.full_name], op_version=OPSET, name=own)


def _real(given: Any) -> np.dtype[Any]:
    """float32 stays what it is; all else is computed in float64."""
    return np.dtype(np.float32 if isinstance(given, _library().common.data_types.FloatTensorType) else np.float64)


def _reals() -> tuple[type, ...]:
    types = _library().common.data_types
    return types.FloatTensorType, types.DoubleTensorType


def _library() -> Any:
    try:
        import_module("skl2onnx.common.data_types")
        return import_module("skl2onnx")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Pipelines need the package skl2onnx: pip install onnx skl2onnx", name="skl2onnx"
        ) from error
