"""LIBLINEAR's text model, so that its tools can predict with our weights and we with its.

::

    solver_type L2R_L1LOSS_SVC_DUAL
    nr_class 2
    label 1 -1
    nr_feature d
    bias B
    w
    one line for each feature, and one more for the bias if B >= 0

A line of w has one number for two classes, else one for each class, in the order of ``label``. With two
classes a positive score means the *first* label, so our ``classes`` are written in reverse. The score is
<w, (x, B)>: the intercept is B times the last line. MCSVM_CS has two numbers a line also for two classes, the
second the negative of the first up to rounding. A regression has ``nr_class 2``, no labels and one number a line;
so has a model of one class, with a line ``rho`` before ``w``, and the score <w, (x, B)> - rho, which is positive
inside. Neither C nor epsilon, nor weights of classes, nor whether the bias was penalised (``-R``), are in a file.
"""

from __future__ import annotations

import io
import os
import re
from itertools import chain, islice
from typing import Any, BinaryIO, TextIO

import numpy as np

from pragam.files import source
from pragam.files.atomic import replacing
from pragam.models.base import check_finite
from pragam.models.features import Constant
from pragam.models.liblinear_types import JOINT, ONE_CLASS, REGRESSIONS, TYPES, solver_type_of
from pragam.models.linear import LinearModel
from pragam.models.standardize import Standardize
from pragam.numerics.vector import Vector
from pragam.risks import Unstated, UnstatedNumbers
from pragam.risks.one_vs_rest import positives

FIRST_WORD = b"solver_type "
_INT32 = np.iinfo(np.int32)
#: No header is longer: it has a line for each of seven words, and the labels are on one of them.
_MOST_LINES, _LONGEST_LINE = 16, 1 << 24


def save_liblinear(path: str | os.PathLike[str], model: LinearModel) -> None:
    """Write the weights as a LIBLINEAR text model, exact to the last bit; labels must be integers.

    The solver type is that of the model's risk, and a model of another risk is refused.
    """
    solver = solver_type_of(model.risk)
    if any(not isinstance(each, Standardize | Constant) for each in model.features.maps):
        raise ValueError(
            "a LIBLINEAR model has a weight for every column, and this one only for some (compact columns)"
        )
    header = [f"solver_type {solver}"]
    if solver in REGRESSIONS:
        header.append("nr_class 2")
    else:
        labels = integer_labels(model.labels.tolist())
        header += [f"nr_class {len(labels)}", f"label {' '.join(map(str, _reversed_if_two(labels)))}"]
    weights, bias = _columns(model)
    if solver == JOINT and len(model.labels) == 2:
        weights = _opposite(weights)
    header += [f"nr_feature {len(weights) - (bias >= 0)}", f"bias {bias:.17g}", "w\n"]
    with replacing(path) as stream:
        stream.write("\n".join(header).encode())
        np.savetxt(stream, weights, fmt="%.17g")


def _columns(model: LinearModel) -> tuple[Vector, float]:
    """(w as the file has it: a column for each output, and the bias, -1 if there is none).

    A penalised intercept is the weight of a column already; a free one, or one with the means of columns in it, is
    that of a column of 1.
    """
    coef, intercept = model.tensors["coef"], model.tensors["intercept"]
    if model.features.find(Standardize) is not None:
        coef, intercept = model.weights()
    elif (constant := model.features.find(Constant)) is not None:
        return coef.T, constant.value
    return (np.vstack([coef.T, intercept]), 1.0) if intercept.any() else (coef.T, -1.0)


def _opposite(weights: Vector) -> Vector:
    """Two columns as LIBLINEAR predicts by the first alone: that of the second class, and the other its opposite.

    At an optimum without biases they are opposite; free biases may share a constant, which no difference has.
    """
    half = 0.5 * weights[:, 1] - 0.5 * weights[:, 0]
    return np.column_stack([half, -half])


def load_liblinear(path: source.Path) -> LinearModel:
    """The model of a LIBLINEAR text file: no dual variables, no certificates."""
    with source.opened(path) as opened:
        return read_liblinear(opened.content(), opened.name)


def read_liblinear(stream: BinaryIO, name: str) -> LinearModel:
    """The model in a stream."""
    try:
        return _parse(io.TextIOWrapper(stream, encoding="ascii"))
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{name}: not a usable LIBLINEAR model: {error}") from error


def integer_labels(classes: list[Any]) -> list[int]:
    """The classes, if LIBLINEAR can hold them: integers of 32 bits."""
    labels = [label for label in classes if type(label) is int and _INT32.min <= label <= _INT32.max]
    if len(labels) < len(classes):
        raise ValueError(f"a LIBLINEAR model needs labels that are 32-bit integers, not {classes!r:.60}")
    return labels


def _parse(stream: TextIO) -> LinearModel:
    header = _header(stream)
    solver = header["solver_type"]
    n_features, bias = _whole(header["nr_feature"]), _number(header["bias"])
    labels = _labels(header)
    if n_features < 0 or not np.isfinite(bias):
        raise ValueError(f"{n_features} features, bias {bias}")
    rows = n_features + (bias >= 0)
    columns = 1 if solver in REGRESSIONS else len(positives(labels))
    written = 2 if solver == JOINT and columns == 1 else columns
    weights = _weights(stream)
    # Compared, not allocated: what the header promises may be anything, what was read is as long as the file.
    if weights.shape != (rows, written):
        raise ValueError(f"w must be {rows} lines of {written} numbers, not of shape {weights.shape}")
    check_finite("w", weights, is_open=False)
    weights = weights[:, :columns]  # of two classes in one problem LIBLINEAR predicts by the first column alone
    with np.errstate(over="ignore"):
        intercept = bias * weights[-1] if bias >= 0 else np.zeros(columns)
    check_finite("w times bias", intercept, is_open=False)
    if solver == ONE_CLASS:
        intercept = intercept - _number(header["rho"])
        check_finite("rho", intercept, is_open=False)
    known = {"solver": solver, "zero_based": False, "liblinear_bias": bias}
    coef = np.ascontiguousarray(weights[:n_features].T)
    if solver in REGRESSIONS:
        return LinearModel.of_weights(UnstatedNumbers(), np.empty(0), coef, intercept, settings=known)
    return LinearModel.of_weights(Unstated(), np.array(labels), coef, intercept, settings=known)


def _labels(header: dict[str, str]) -> list[int]:
    """The classes in our order; of a one-class model, which names none, -1 (outside) and 1."""
    solver, n_classes = header["solver_type"], _whole(header["nr_class"])
    if solver in (*REGRESSIONS, ONE_CLASS):
        if n_classes != 2 or "label" in header:
            raise ValueError(f"a model of the solver_type {solver} has nr_class 2 and no labels")
        return [-1, 1] if solver == ONE_CLASS else []
    labels = [_whole(label) for label in header["label"].split()]
    if len(labels) != n_classes:
        raise ValueError(f"{n_classes} classes with {len(labels)} labels")
    if len(labels) < 2 or len(set(labels)) < len(labels):
        raise ValueError(f"label must name two different classes at least, not {labels!r:.60}")
    return _reversed_if_two(labels)


def _whole(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,19}", text):  # int() takes more: 1_000
        raise ValueError(f"{text!r:.40} is not a whole number")
    return int(text)


def _number(text: str) -> float:
    if "_" in text:
        raise ValueError(f"{text!r:.40} is not a number")
    return float(text)


def _header(stream: TextIO) -> dict[str, str]:
    """The lines ``key value`` before the line ``w``."""
    header: dict[str, str] = {}
    for line in islice(iter(lambda: stream.readline(_LONGEST_LINE), ""), _MOST_LINES):
        key, _, value = line.strip().partition(" ")
        if key == "w":
            break
        if key in header or not line.endswith("\n"):
            raise ValueError(f"the line {key!r:.40} is there twice, too long, or the last one")
        header[key] = value
    else:
        raise ValueError(f"there is no line 'w' among the first {_MOST_LINES}")
    solver = header.get("solver_type", "")
    if solver not in TYPES:
        raise ValueError(f"solver_type {solver!r:.40} is not one of {', '.join(TYPES)}")
    own = ["rho"] if solver == ONE_CLASS else [] if solver in REGRESSIONS else ["label"]
    if missing := [key for key in ("nr_class", *own, "nr_feature", "bias") if key not in header]:
        raise ValueError(f"there is no line {missing[0]!r}")
    return header


def _weights(stream: TextIO) -> Any:
    lines = (line for line in iter(stream.readline, "") if not line.isspace())
    first = next(lines, None)
    if first is None:
        raise ValueError("there are no weights after the line 'w'")
    return np.loadtxt(chain([first], lines), ndmin=2, comments=None)


def _reversed_if_two(labels: list[Any]) -> list[Any]:
    return labels[::-1] if len(labels) == 2 else labels
