"""Bad input to a risk is one ValueError that names the argument."""

from __future__ import annotations

from functools import partial

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


def objects(values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


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
    *(("lam", {"lam": bad}) for bad in (None, "1", 1j, [1], True, np.array([1.0]), np.array(1.0), 10**400, np.True_)),
    *(("sample_weight", {"sample_weight": bad})
      for bad in (np.ones(4) + 1j, ["1"] * 4, "abc", "1", True, 1j, {}, sparse.csr_array(np.ones((1, 4))),
                  [[1], [1, 2]], np.ones(4, dtype=object), -1.0, np.nan)),
    *(("y", {"y": objects(bad)})
      for bad in ([None] * 4, [1, -1, None, 1], [1, -1, np.nan, 1], [1, "a", 1, "a"], [[1], [1], [2], [2]])),
    ("y", {"y": [[1], [1, 2], [1], [2]]}),
    ("y", {"y": {}}),
    *(("class_weight", {"class_weight": bad})
      for bad in (5, True, [1, 1], {1: 1j}, {1: "a"}, {1: "1"}, {1: True}, {1: [1]})),
]  # fmt: skip


#: Risks of labels y with a class_weight, and those without one.
WEIGHING = [pragam.hinge, pragam.multiclass_hinge]
OTHERS = [
    pragam.squared_hinge, pragam.smoothed_hinge, pragam.epsilon_insensitive, pragam.quantile, pragam.ordinal_hinge,
]  # fmt: skip
CALLS = [(risk, *bad) for risk in WEIGHING for bad in BAD]
CALLS += [(risk, *bad) for risk in OTHERS for bad in BAD if bad[0] != "class_weight"]


@pytest.mark.parametrize(("risk", "argument", "change"), CALLS)
def test_the_message_names_the_argument(risk, argument, change):
    with pytest.raises(ValueError, match=rf"^{argument}\b") as error:
        risk(**({"X": X, "y": Y, "lam": 0.1} | change))
    assert type(error.value) is ValueError


LABEL_SETS = np.array([[1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 1]])


@pytest.mark.parametrize(
    ("argument", "change"),
    [
        *(bad for bad in BAD if bad[0] not in ("y", "class_weight") and "y" not in bad[1]),
        ("Y", {"Y": LABEL_SETS[:3]}), ("Y", {"Y": LABEL_SETS[:, :1]}), ("Y", {"Y": LABEL_SETS[:, 0]}),
        ("Y", {"Y": 2 * LABEL_SETS}), ("Y", {"Y": spoilt(LABEL_SETS, np.nan)}), ("Y", {"Y": LABEL_SETS.astype(str)}),
        ("Y", {"Y": sparse.csr_array(0.5 * LABEL_SETS)}), ("Y", {"Y": np.ma.masked_array(LABEL_SETS, LABEL_SETS > 0)}),
        ("X", {"X": np.zeros((0, 3)), "Y": np.zeros((0, 2))}), ("bias", {"bias": 1}),
        ("Y", {"Y": [[1, 0], [1], [0, 1], [1, 1]]}),
    ],
)  # fmt: skip
def test_the_multilabel_hinge_names_the_argument(argument, change):
    with pytest.raises(ValueError, match=rf"^{argument}\b") as error:
        pragam.multilabel_hinge(**({"X": X, "Y": LABEL_SETS, "lam": 0.1} | change))
    assert type(error.value) is ValueError


@pytest.mark.parametrize(
    "cost",
    [np.ones((2, 2)), np.zeros((3, 3)), np.zeros(2), -1 + np.eye(2), np.nan * np.ones((2, 2)), [[0, np.inf], [1, 0]],
     [["0", "1"], ["1", "0"]], 1j * np.ones((2, 2)), np.ma.masked_array(np.zeros((2, 2)), np.eye(2)),
     [[0, 1], [1]], "cost", {}],
)  # fmt: skip
def test_costs_are_at_least_zero_and_zero_for_the_truth(cost):
    with pytest.raises(ValueError, match=r"\bcost\b"):
        pragam.multiclass_hinge(X, Y, cost=cost)


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf, "1", None, [1.0], 1j, True])
def test_widths_are_numbers(value):
    with pytest.raises(ValueError, match=r"^gamma must be a finite number > 0"):
        pragam.smoothed_hinge(X, Y, gamma=value)
    with pytest.raises(ValueError, match=r"^epsilon must be a finite number >= 0"):
        pragam.epsilon_insensitive(X, 1.0 * Y, epsilon=value)


def test_a_width_of_zero_is_a_tube_but_no_smoothing():
    assert pragam.epsilon_insensitive(X, Y, epsilon=0).c.tolist() == [-1, 1, 1, -1, 1, -1, -1, 1]
    with pytest.raises(ValueError, match="gamma must be a finite number > 0, not 0"):
        pragam.smoothed_hinge(X, Y, gamma=0)


#: Every risk, as a function of its weights.
WEIGHTED = [
    *(partial(risk, X, Y, 1e-4, True) for risk in (pragam.hinge, pragam.squared_hinge)),
    partial(pragam.smoothed_hinge, X, Y, 1e-4, 0.5, True),
    partial(pragam.epsilon_insensitive, X, Y, 1e-4, 0.1, True),
    partial(pragam.quantile, X, Y, 1e-4, 0.5, True),
    partial(pragam.ordinal_hinge, X, Y, 1e-4, "all", None),
    partial(pragam.multiclass_hinge, X, Y, 1e-4, None, True),
    partial(pragam.multilabel_hinge, X, np.eye(4)[:, :3], 1e-4, True),
]


@pytest.mark.parametrize("weight", [5e-324, 1e-310, 2.0**-1022, 3.9 * 2.0**-1022])
@pytest.mark.parametrize("risk", WEIGHTED)
def test_a_weight_that_may_be_read_as_zero_is_named(risk, weight):
    """weight / n, n = 4, is a normal number, or 0."""
    with pytest.raises(ValueError, match=r"^sample_weight is as small as .* in row 1: .* Set it to 0, or multiply"):
        risk([1, weight, 1, 1])
    risk([1, 4 * 2.0**-1022, 1, 1])
    risk([1, 0.0, 1, 1])


def test_a_class_weight_that_may_be_read_as_zero_is_named():
    with pytest.raises(ValueError, match=r"^sample_weight is as small as .* in row 0"):
        pragam.hinge(X, Y, class_weight={Y[0]: 1e-310})


@pytest.mark.parametrize("lam", [5e-324, 1e-310, np.nextafter(2.0**-1022, 0)])
def test_a_lam_that_may_be_read_as_zero_is_refused(lam):
    with pytest.raises(ValueError, match=r"^lam must be a finite number > 0, not .*: one below 2.23e-308 may be read"):
        pragam.hinge(X, Y, lam)
    problem = pragam.hinge(X, Y, 2.0**-1022)
    with pytest.raises(ValueError, match=r"^lam must be a finite number > 0, not .*: one below 2.23e-308 may be read"):
        problem.at(lam)


@pytest.mark.parametrize("risk", [pragam.squared_hinge, pragam.smoothed_hinge, pragam.multiclass_hinge])
def test_rows_whose_norm_overflows_are_named(risk):
    with pytest.raises(ValueError, match="X has rows whose norm overflows"):
        risk(1e200 * X, Y)


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
        ("A", np.zeros((3, 0)), np.zeros(0)), ("A", np.ma.masked_array(X, X > 5), np.zeros(3)),
        ("b", X, np.zeros(3) + 1j), ("b", X, ["1"] * 3), ("b", X, np.ma.masked_array(np.zeros(3), [1, 0, 0])),
    ],
)  # fmt: skip
def test_max_affine(argument, A, b):
    with pytest.raises(ValueError, match=rf"^{argument}\b") as error:
        pragam.max_affine(A, b)
    assert type(error.value) is ValueError


@pytest.mark.parametrize(
    ("risk", "argument", "value"),
    [
        *((pragam.quantile, "q", q) for q in (None, 0.5 + 0j, "0.5", True, [0.5], np.array(0.5))),
        (pragam.smoothed_hinge, "gamma", 1e308), (pragam.smoothed_hinge, "gamma", 10**400),
        (pragam.epsilon_insensitive, "epsilon", 10**400),
        *((pragam.ordinal_hinge, "thresholds", t) for t in (np.array(["all", "all"]), ["all"], None, 1)),
        *((pragam.ordinal_hinge, "order", order)
          for order in (5, True, np.int64(5), np.array(5), [["a"], ["b"]], np.array([[-1, 1]]), {-1, 1}, [],
                        np.ma.masked_array([-1, 1], [True, False]))),
        *((pragam.max_affine, "lam", lam) for lam in (None, "1", 1j, [1], True, np.array([1.0]))),
    ],
)  # fmt: skip
def test_what_one_risk_alone_takes_is_named(risk, argument, value):
    data = (X, np.zeros(3)) if risk is pragam.max_affine else (X, Y)
    with pytest.raises(ValueError, match=rf"^{argument}\b") as error:
        risk(*data, **{argument: value})
    assert type(error.value) is ValueError


def test_a_tube_that_overflows_is_named():
    with pytest.raises(ValueError, match=r"^epsilon = 1e\+308 is too large"):
        pragam.epsilon_insensitive(X, 1e308 * Y, epsilon=1e308)


@pytest.mark.parametrize("lam", [None, "1", 1j, [1], True, np.array([1.0]), 0.0, np.inf])
def test_a_problem_checks_lam_itself(lam):
    plain = pragam.hinge(X, Y)
    with pytest.raises(ValueError, match=r"^lam must be a finite number > 0") as error:
        pragam.Problem(plain.A, plain.c, plain.Q, lam)
    assert type(error.value) is ValueError


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble, int, np.int8, np.uint64])
def test_numbers_of_numpy_are_as_good_as_those_of_python(kind):
    """All that is computed from lam is computed in float64, whatever its type."""
    one, other = (pragam.solve(pragam.hinge(X, Y, lam), tol=1e-9) for lam in (kind(3.3), float(kind(3.3))))
    assert one.converged and one.certificate == other.certificate
    weighted = pragam.hinge(X, Y, sample_weight=np.array([1, 0, 1, 1]).astype(kind))
    assert weighted.Q.upper.tolist() == [0.25, 0.0, 0.25, 0.25]


def test_an_array_of_bool_is_a_choice_of_rows():
    assert pragam.hinge(X, Y, sample_weight=Y > 0).Q.upper.tolist() == [0.0, 0.25, 0.25, 0.0]
