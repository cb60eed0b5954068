"""Kernels as JSON, so that a model file can name one: a name, or one of scikit-learn's kernel objects by its parts."""

from __future__ import annotations

from typing import Any

import numpy as np


def kernel_record(kernel: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    """``{"name", "parameters"}`` of a name, ``{"class", "parameters"}`` of an object; others are refused."""
    if isinstance(kernel, str):
        return {"name": kernel, "parameters": {name: _plain(value) for name, value in parameters.items()}}
    from sklearn.gaussian_process import kernels

    if type(kernel) is getattr(kernels, type(kernel).__name__, None):
        own = {name: _plain(value) for name, value in kernel.get_params(deep=False).items()}
        return {"class": type(kernel).__name__, "parameters": own}
    raise ValueError(
        f"a model file can hold a kernel by name or one of scikit-learn's kernel objects, not {kernel!r:.60}"
    )


def kernel_of(record: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The kernel of a record, and the parameters of one that is a name."""
    if isinstance(record.get("name"), str) and isinstance(record.get("parameters"), dict):
        return record["name"], record["parameters"]
    return _object(record), {}


def _plain(value: Any) -> Any:
    from sklearn.gaussian_process import kernels

    if isinstance(value, kernels.Kernel):
        return kernel_record(value, {})
    return np.asarray(value).tolist() if isinstance(value, (np.ndarray, np.generic, tuple)) else value


def _object(record: Any) -> Any:
    from sklearn.gaussian_process import kernels

    name, parameters = record.get("class"), record.get("parameters")
    found = getattr(kernels, name, None) if isinstance(name, str) else None
    if not (isinstance(found, type) and issubclass(found, kernels.Kernel) and isinstance(parameters, dict)):
        raise ValueError(f"its kernel is none of scikit-learn's: {record!r:.80}")
    values = {key: _object(value) if isinstance(value, dict) else value for key, value in parameters.items()}
    try:
        return found(**values)
    except TypeError as error:
        raise ValueError(f"its kernel {name} cannot be made: {error}") from error
