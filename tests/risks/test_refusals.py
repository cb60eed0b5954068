"""Bad input to a risk is one ValueError that names the argument."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam

X = np.arange(12.0).reshape(4, 3)
Y = np.array([-1, 1, 1, -1])


def spoilt(array, value):
    copy = np.array(array, dtype=float)
    copy.flat[1] = value
    return copy


def out_of_range():
    matrix = sparse.csr_array(X)
    matrix.indices = matrix.indices.copy()
    matrix.indices[2] = 3
    return matrix


BAD = [
    ("X", {"X": spoilt(X, np.nan)}),
    ("X", {"X": spoilt(X, np.inf)}),
    ("X", {"X": sparse.csr_array(spoilt(X, np.nan))}),
    ("X", {"X": out_of_range()}),
    ("X", {"X": X.ravel()}),
    ("X", {"X": X + 1j}),
    ("X", {"X": [["a", "b", "c"]] * 4}),
    ("X", {"X": np.zeros((0, 3)), "y": np.zeros(0)}),
    ("y", {"y": Y[:3]}),
    ("y", {"y": Y[:, None]}),
    ("y", {"y": spoilt(Y, np.nan)}),
    ("y", {"y": spoilt(Y, -np.inf)}),
    ("y", {"y": Y + 1j}),
    ("X", {"X": np.ma.masked_array(X, X > 5)}),
    ("y", {"y": np.ma.masked_array(Y, Y > 0)}),
    ("sample_weight", {"sample_weight": np.ma.masked_array(np.ones(4), Y > 0)}),
    ("lam", {"lam": 0.0}),
    ("lam", {"lam": -1.0}),
    ("lam", {"lam": np.nan}),
    ("sample_weight", {"sample_weight": np.ones(3)}),
    ("sample_weight", {"sample_weight": spoilt(np.ones(4), np.nan)}),
    ("sample_weight", {"sample_weight": spoilt(np.ones(4), np.inf)}),
    ("sample_weight", {"sample_weight": spoilt(np.ones(4), -1.0)}),
    ("class_weight", {"class_weight": "equal"}),
    ("class_weight", {"class_weight": {5: 1.0}}),
    ("class_weight", {"class_weight": {1: -1.0}}),
    ("class_weight", {"class_weight": {1: np.nan}}),
]


@pytest.mark.parametrize("risk", [pragam.hinge, pragam.multiclass_hinge])
@pytest.mark.parametrize(("argument", "change"), BAD)
def test_the_message_names_the_argument(risk, argument, change):
    with pytest.raises(ValueError, match=rf"\b{argument}\b"):
        risk(**({"X": X, "y": Y, "lam": 0.1} | change))


@pytest.mark.parametrize("y", [[1, 2, 3, 1], [0, 0, 0, 0], ["a"] * 4])
def test_the_hinge_needs_two_classes(y):
    with pytest.raises(ValueError, match="y must have two classes"):
        pragam.hinge(X, y)


@pytest.mark.parametrize("bias", ["no", 0, 1.0, None])
def test_whether_there_is_a_bias_is_true_or_false(bias):
    with pytest.raises(ValueError, match="bias must be True or False"):
        pragam.hinge(X, Y, bias=bias)


def test_the_multiclass_hinge_needs_two_classes():
    with pytest.raises(ValueError, match="y must have at least two classes"):
        pragam.multiclass_hinge(X, [3, 3, 3, 3])


@pytest.mark.parametrize(
    ("argument", "A", "b"),
    [
        ("A", spoilt(X, np.nan), np.zeros(3)), ("b", X, np.zeros(4)), ("b", X, spoilt(np.zeros(3), np.nan)),
        ("A", np.zeros((3, 0)), np.zeros(0)),
    ],
)  # fmt: skip
def test_max_affine(argument, A, b):
    with pytest.raises(ValueError, match=rf"\b{argument}\b"):
        pragam.max_affine(A, b)
