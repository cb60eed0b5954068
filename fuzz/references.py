"""What each parser should make of some bytes, written a second time: slowly, from the format, without pragam's readers.

A reference returns the arrays as a tuple of plain values, or raises ValueError.
"""

from __future__ import annotations

import io
import json
import math
import re
import struct
import zipfile
from typing import Any

import numpy as np
from scipy import sparse

_NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_BLANKS = re.compile(rb"[ \t\r\v\f]+")


def svmlight(content: bytes) -> tuple[Any, ...]:
    """(labels, rows of (index, value), columns) of an svmlight text."""
    if re.search(rb"\r(?!\n|\Z)", content):
        raise ValueError("carriage return")
    labels, rows = [], []
    for line in content.split(b"\n"):
        words = [word for word in _BLANKS.split(line.partition(b"#")[0]) if word]
        if not words:
            continue
        labels.append(_number(words[0]))
        if len(words) > 1 and words[1].startswith(b"qid:"):
            _whole(words.pop(1)[4:])
        row = [(_whole(index), _number(value)) for index, _, value in (word.partition(b":") for word in words[1:])]
        if len({index for index, _ in row}) < len(row) or any(index > 2**63 - 2 for index, _ in row):
            raise ValueError("index")
        rows.append(row)
    if not labels:
        raise ValueError("no samples")
    indices = [index for row in rows for index, _ in row]
    base = 0 if 0 in indices else 1
    return labels, [[(j - base, v) for j, v in row] for row in rows], max(indices, default=0) + 1 - base


def _number(word: bytes) -> float:
    if not _NUMBER.fullmatch(word) or not math.isfinite(float(word)):
        raise ValueError("number")
    return float(word)


def _whole(word: bytes) -> int:
    if not re.fullmatch(rb"[0-9]+", word):
        raise ValueError("whole number")
    return int(word)


def npy(content: bytes) -> np.ndarray:
    """The matrix of an ``.npy`` file, all of whose bytes belong to it."""
    try:
        stream = io.BytesIO(content)
        array = np.load(stream, allow_pickle=False)
    except Exception as error:  # whatever NumPy raises
        raise ValueError(str(error)) from error
    if stream.read() or array.ndim != 2 or array.dtype.kind not in "biuf":
        raise ValueError("not a matrix of real numbers")
    return array.astype(np.float64)


def npz(content: bytes) -> tuple[sparse.csr_array, np.ndarray | None]:
    """The CSR matrix and the labels of an ``.npz`` file."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = [
                n for n in archive.namelist() if n.removesuffix(".npy") in ("data", "indices", "indptr", "shape", "y")
            ]
            parts = {
                n.removesuffix(".npy"): np.load(io.BytesIO(archive.read(n))) for n in names
            }  # checks the checksums
        shape = tuple(int(size) for size in parts["shape"])
        X = sparse.csr_array((parts["data"].astype(np.float64), parts["indices"], parts["indptr"]), shape=shape)
        X.check_format(full_check=True)
        return X, parts.get("y")
    except Exception as error:  # whatever zipfile, NumPy and scipy raise
        raise ValueError(str(error)) from error


def model(content: bytes) -> dict[str, Any]:
    """The tensors and the record of a pragam model."""
    try:
        (length,) = struct.unpack_from("<Q", content)
        header = json.loads(content[8 : 8 + length])
        body = content[8 + length :]
        record = json.loads(header.pop("__metadata__")["pragam"])
        tensors = {}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            kind = {"F64": "<f8", "I64": "<i8"}.get(entry["dtype"], "u1")
            tensors[name] = np.frombuffer(body[begin:end], kind).reshape(entry["shape"])
        return {"record": record, **tensors}
    except (struct.error, KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise ValueError(str(error)) from error


def liblinear(content: bytes) -> tuple[list[int], list[list[float]], list[float]]:
    """The labels, a column of d weights for each score, and the intercepts of a LIBLINEAR text model.

    Regressions have no labels and one column; so has a model of one class, less ``rho``. Crammer and Singer's has a
    column for every class, and of two the first predicts; others have one for two classes.
    """
    lines = re.split("\r\n|\r|\n", content.decode("ascii"))
    end = next((k for k, line in enumerate(lines) if line.strip().partition(" ")[0] == "w"), None)
    if end is None:
        raise ValueError("no w")
    header = dict(line.strip().partition(" ")[::2] for line in lines[:end])
    try:
        kind, n_classes, bias = header["solver_type"], int(header["nr_class"]), float(header["bias"])
        one_class, has_labels = kind == "ONECLASS_SVM", kind != "ONECLASS_SVM" and not kind.endswith(_REGRESSIONS)
        labels = [int(label) for label in header["label"].split()] if has_labels else [1, -1] if one_class else []
        rows = [[float(word) for word in line.split()] for line in lines[end + 1 :] if line.strip()]
        n_features, rho = int(header["nr_feature"]), float(header["rho"]) if one_class else 0.0
    except KeyError as error:
        raise ValueError(str(error)) from error
    width = n_classes if n_classes != 2 or kind == "MCSVM_CS" else 1
    if has_labels != ("label" in header) or (has_labels and len(labels) != n_classes):
        raise ValueError("labels")
    if len(rows) != n_features + (bias >= 0) or any(len(row) != width for row in rows):
        raise ValueError("sizes")
    if n_classes == 2:
        rows, labels = [row[:1] for row in rows], labels[::-1]
    intercepts = [bias * weight - rho if bias >= 0 else 0.0 - rho for weight in (rows[-1] if rows else [])]
    return labels, rows[:n_features], intercepts


_REGRESSIONS = ("L2LOSS_SVR", "L2LOSS_SVR_DUAL", "L1LOSS_SVR_DUAL")
