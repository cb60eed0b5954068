"""A frame by the shorter way is the array that scikit-learn's validate_data makes of it, and so are its errors."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils.validation import validate_data

import pragam
from pragam.estimators import frames
from pragam.estimators.frames import validated

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

_RNG = np.random.default_rng(3)
X = _RNG.standard_normal((40, 3))
Y = (X[:, 0] > 0).astype(int)
CHECKS = {"accept_sparse": ["csr", "csc"], "dtype": [np.float64, np.float32], "order": None}


def frame_of(*kinds):
    return pandas.DataFrame({f"c{k}": pandas.Series(X[:, k].round(), dtype=kind) for k, kind in enumerate(kinds)})


FRAMES = {
    "one block": pandas.DataFrame(X, columns=["a", "b", "c"]),
    "numbers as names": pandas.DataFrame(X),
    "float32": pandas.DataFrame(X.astype(np.float32), columns=["a", "b", "c"]),
    "two precisions": frame_of("float64", "float32", "float64"),
    "half precision": frame_of("float16", "float64", "float64"),
    "integers too": frame_of("int64", "float64", "int8"),
    "flags too": frame_of("bool", "float64", "float64"),
    "nullable": frame_of("Float64", "Int32", "float64"),
    "sparse": frame_of(*[pandas.SparseDtype("float64", 0.0)] * 3),
    "every second row": pandas.DataFrame(np.repeat(X, 2, axis=0), columns=["a", "b", "c"]).iloc[::2],
    "polars": polars.DataFrame(X, schema=["a", "b", "c"]),
    "float32 of polars": polars.DataFrame(X.astype(np.float32), schema=["a", "b", "c"]),
    "two precisions of polars": polars.DataFrame({"a": X[:, 0], "b": X[:, 1].astype(np.float32), "c": X[:, 2]}),
    "integers too of polars": polars.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": np.arange(40)}),
}
LONGER = {"half precision", "integers too", "flags too", "nullable", "sparse"} | {
    name for name in FRAMES if name.endswith(" of polars")
}


def dense(values):
    return values.toarray() if hasattr(values, "toarray") else values


@pytest.mark.parametrize("name", FRAMES)
def test_the_array_is_scikit_learns(name, monkeypatch):
    one, other = pragam.LinearSVC(), pragam.LinearSVC()
    expected, y = validate_data(one, FRAMES[name], pandas.Series(Y), **CHECKS)
    ways = []
    monkeypatch.setattr(
        frames, "check_X_y", lambda *a, plain=frames.check_X_y, **k: (ways.append(1), plain(*a, **k))[1]
    )
    found, labels = validated(other, FRAMES[name], pandas.Series(Y), True, **CHECKS)
    assert type(found) is type(expected) and found.dtype == expected.dtype
    assert (dense(found) == dense(expected)).all() and (labels == y).all()
    assert vars(one).keys() == vars(other).keys() and one.n_features_in_ == other.n_features_in_ == 3
    assert getattr(one, "feature_names_in_", X).tolist() == getattr(other, "feature_names_in_", X).tolist()
    assert bool(ways) == (name not in LONGER)


def _with(value):
    frame = FRAMES["one block"].copy()
    frame.iloc[3, 1] = value
    return frame


WRONG = {
    "nan": (_with(np.nan), Y),
    "infinite": (_with(np.inf), Y),
    "lengths": (FRAMES["one block"], Y[1:]),
    "no rows": (FRAMES["one block"].iloc[:0], Y[:0]),
    "no y": (FRAMES["one block"], None),
    "names of two kinds": (pandas.DataFrame(X, columns=["a", 1, "c"]), Y),
    "a name twice": (pandas.DataFrame(X, columns=["a", "b", "a"]), Y),
    "null of polars": (polars.DataFrame({"a": [1.0, None, 3.0] * 10}), Y[:30]),
    "lengths of polars": (FRAMES["polars"], Y[1:]),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_are_scikit_learns(name):
    data = WRONG[name]
    with pytest.raises(Exception) as expected:
        validate_data(pragam.LinearSVC(), *data, **CHECKS)
    with pytest.raises(expected.type) as found:
        validated(pragam.LinearSVC(), *data, True, **CHECKS)
    assert str(found.value) == str(expected.value)


def test_a_frame_without_columns_is_an_array_without_columns():
    """scikit-learn stumbles over it: "at least one array or dtype is required"."""
    with pytest.raises(ValueError, match=r"0 feature\(s\) \(shape=\(40, 0\)\) while a minimum of 1 is required by"):
        pragam.LinearSVC().fit(FRAMES["one block"].iloc[:, :0], Y)


@pytest.mark.parametrize("name", ["numbers as names", "array"])
def test_names_of_an_earlier_fit_are_forgotten(name):
    model = pragam.LinearSVC().fit(FRAMES["one block"], Y)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert not hasattr(model.fit(FRAMES.get(name, X), Y), "feature_names_in_")


def test_certify_takes_the_columns_of_fit():
    frame = FRAMES["one block"]
    model = pragam.LinearSVC().fit(frame, Y)
    assert model.certify(frame, Y) == model.certificate_
    with pytest.raises(ValueError, match="feature names should match"):
        model.certify(frame[["b", "a", "c"]], Y)
