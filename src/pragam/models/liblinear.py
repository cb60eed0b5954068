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
<w, (x, B)>: the intercept is B times the last line.
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
from pragam.models.features import Columns
from pragam.models.linear import LinearModel
from pragam.risks import Unstated
from pragam.risks.one_vs_rest import positives

FIRST_WORD = b"solver_type "
_SOLVER = "L2R_L1LOSS_SVC_DUAL"
#: The classifiers that share the layout above; MCSVM_CS does so for more than two classes.
_SOLVERS = (
    "L2R_LR", "L2R_L2LOSS_SVC_DUAL", "L2R_L2LOSS_SVC", _SOLVER, "MCSVM_CS", "L1R_L2LOSS_SVC", "L1R_LR", "L2R_LR_DUAL",
)  # fmt: skip
_INT32 = np.iinfo(np.int32)
#: No header is longer: it has a line for each of seven words, and the labels are on one of them.
_MOST_LINES, _LONGEST_LINE = 16, 1 << 24


def save_liblinear(path: str | os.PathLike[str], model: LinearModel) -> None:
    """Write the weights as a LIBLINEAR text model, exact to the last bit; labels must be integers."""
    labels = integer_labels(model.labels.tolist())
    if len(model.tensors["coef"]) != len(positives(labels)):
        raise ValueError(f"a LIBLINEAR model has an output for each class, which one of {model.risk.name} has not")
    if model.features.find(Columns) is not None:
        raise ValueError(
            "a LIBLINEAR model has a weight for every column, and this one only for some (compact columns)"
        )
    coef, intercept = model.weights()
    bias = bool(intercept.any())
    order = " ".join(map(str, _reversed_if_two(labels)))
    header = (
        f"solver_type {_SOLVER}\nnr_class {len(labels)}\nlabel {order}\n"
        f"nr_feature {coef.shape[1]}\nbias {1 if bias else -1}\nw\n"
    )
    weights = np.vstack([coef.T, intercept]) if bias else coef.T
    with replacing(path) as stream:
        stream.write(header.encode())
        np.savetxt(stream, weights, fmt="%.17g")


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
    if header["solver_type"] not in _SOLVERS:
        raise ValueError(f"solver_type {header['solver_type']!r:.40} is not one of {', '.join(_SOLVERS)}")
    n_classes, n_features = _whole(header["nr_class"]), _whole(header["nr_feature"])
    labels = [_whole(label) for label in header["label"].split()]
    bias = _number(header["bias"])
    if len(labels) != n_classes or n_features < 0 or not np.isfinite(bias):
        raise ValueError(f"{n_classes} classes with {len(labels)} labels, {n_features} features, bias {bias}")
    rows, columns = n_features + (bias >= 0), len(positives(labels))
    weights = _weights(stream)
    # Compared, not allocated: what the header promises may be anything, what was read is as long as the file.
    if weights.shape != (rows, columns):
        raise ValueError(f"w must be {rows} lines of {columns} numbers, not of shape {weights.shape}")
    check_finite("w", weights, is_open=False)
    with np.errstate(over="ignore"):
        intercept = bias * weights[-1] if bias >= 0 else np.zeros(columns)
    check_finite("w times bias", intercept, is_open=False)
    known = {"solver": header["solver_type"], "zero_based": False, "liblinear_bias": bias}
    classes = np.array(_reversed_if_two(labels))
    if len(classes) < 2 or len(set(labels)) < len(labels):
        raise ValueError(f"label must name two different classes at least, not {labels!r:.60}")
    return LinearModel.of_weights(
        Unstated(), classes, np.ascontiguousarray(weights[:n_features].T), intercept, settings=known
    )


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
    needed = ("solver_type", "nr_class", "label", "nr_feature", "bias")
    if missing := [key for key in needed if key not in header]:
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
