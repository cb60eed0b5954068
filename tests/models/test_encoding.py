"""A table's columns as numbers: exact, in a stated order, the same from text and frames, and kept by model files."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forged
from pragam import models
from pragam.driver.jobs import Settings
from pragam.files.tables import Column, Table
from pragam.models.encoding import Encoding
from pragam.models.features import Constant, Features
from pragam.models.table_columns import Category, Number
from pragam.numerics.exact_sums import ExactSum
from pragam.risks import EpsilonInsensitive, Hinge, OneVsRest
from pragam.samples import Rows

FRAME = {
    "id": [101, 102, 103, 104, 105, 106],
    "age": [31.0, 44.5, 51.0, 22.0, 38.0, 60.0],
    "job": ["clerk", "smith", "smith", "baker", "clerk", "baker"],
    "income": ["low", "high", "high", "low", "low", "high"],
}


def of(**columns):
    """A table of text."""
    return Table({name: Column(values) for name, values in columns.items()}, len(next(iter(columns.values()))), "t")


def quiet(_):
    raise AssertionError("nothing was to be said")


def test_a_number_is_itself_and_a_level_a_column():
    encoding = Encoding.learn(FRAME, "income", ["id"], say=quiet)
    assert encoding.columns == (
        Number("age", sum(FRAME["age"]) / 6),
        Category("job", ("baker", "clerk", "smith")),
    )
    assert encoding.column_names == ["age", "job=baker", "job=clerk", "job=smith"]
    X, unknown = encoding.encode(FRAME)
    expected = np.column_stack([FRAME["age"], np.array(FRAME["job"])[:, None] == ["baker", "clerk", "smith"]])
    assert X.dtype == np.float64 and X.has_canonical_format and unknown == 0
    assert np.array_equal(X.toarray(), expected)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.floats(allow_nan=False, allow_infinity=False), st.text("ab,\"é \n", max_size=2).filter(str.strip)
        ),
        min_size=1,
        max_size=8,
    ),
    st.randoms(),
)  # fmt: skip
def test_every_row_says_what_it_was(rows, random):
    """The matrix holds the table: number and level are read off it; rows and columns in another order do not matter."""
    numbers, texts = map(list, zip(*rows, strict=True))
    table = of(x=[repr(value) for value in numbers], c=texts)
    encoding = Encoding.learn(table, say=lambda _: None, categorical=["c"])
    X = encoding.encode(table)[0].toarray()
    levels = encoding.columns[1].levels
    assert list(levels) == sorted(set(texts))
    assert (X[:, 0] == numbers).all() and (X[:, 1:].sum(axis=1) == 1).all()
    assert [levels[k] for k in X[:, 1:].argmax(axis=1)] == texts
    order = list(range(len(rows)))
    random.shuffle(order)
    shuffled = of(c=[texts[i] for i in order], other=texts, x=[repr(numbers[i]) for i in order])
    assert (encoding.encode(shuffled)[0].toarray() == X[order]).all()
    assert Encoding.learn(of(x=list(shuffled.columns["x"].values), c=list(shuffled.columns["c"].values)),
                          say=lambda _: None, categorical=["c"]).column_names == encoding.column_names  # fmt: skip


def test_as_scikit_learn_encodes():
    pandas = pytest.importorskip("pandas")
    from sklearn.preprocessing import OneHotEncoder

    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"a": rng.choice(["x", "y", "10", "9"], 40), "b": rng.choice(["u", "v"], 40)})
    encoding = Encoding.learn(frame)
    assert (encoding.encode(frame)[0] != OneHotEncoder().fit_transform(frame)).nnz == 0


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_frame_and_its_csv_are_the_same(kind, tmp_path):
    from pragam.files import source
    from pragam.files.tables import read_text

    frame = pytest.importorskip(kind).DataFrame(FRAME)
    path = tmp_path / "f.csv"
    frame.to_csv(path, index=False) if kind == "pandas" else frame.write_csv(path)
    with source.opened(path) as opened:
        table = read_text(opened)
    ours, other = (Encoding.learn(each, "income", ["id"]) for each in (frame, table))
    assert ours.columns == other.columns
    X = ours.encode(frame)[0]
    assert (other.encode(table)[0] != X).nnz == 0 and (ours.encode(table)[0] != X).nnz == 0


def test_unknown_levels_are_counted_and_set_nothing():
    encoding = Encoding.learn(of(c=["a", "b"], d=["u", "v"]))
    X, unknown = encoding.encode(of(c=["b", "z", "A"], d=["u", "w", "v"]))
    assert unknown == 3 and X.toarray().tolist() == [[0, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 1]]


def test_missing_values_are_refused_by_default():
    table = of(x=["1", "", "3", " "], c=["a", "b", "a", "b"])
    with pytest.raises(ValueError, match=r"t, row 2: column 'x' is empty, and in 1 more row: .*--missing mean"):
        Encoding.learn(table)
    encoding = Encoding.learn(of(x=["1", "2"], c=["a", "b"]))
    for lacking in (of(x=["1", "nan"], c=["a", "b"]), of(x=["1", "2"], c=["a", ""])):
        with pytest.raises(ValueError, match=r"t, row 2: column '[xc]' is empty: "):
            encoding.encode(lacking)


def test_missing_values_become_the_mean_and_no_level():
    table = of(x=["1", "", "4"], c=["a", "b", ""], y=["1", "2", "3"])
    X = Encoding.learn(table, missing="mean").encode(table)[0].toarray()
    assert X.tolist() == [[1, 1, 0, 1], [2.5, 0, 1, 2], [4, 0, 0, 3]]


def test_an_indicator_says_where_in_the_columns_that_lacked_values():
    table = of(x=["1", "", "4"], c=["a", "b", ""], y=["1", "2", "3"])
    encoding = Encoding.learn(table, missing="indicator")
    assert encoding.column_names == ["x", "x is missing", "c=a", "c=b", "c is missing", "y"]
    assert encoding.encode(table)[0].toarray().tolist() == [
        [1, 0, 1, 0, 0, 1],
        [2.5, 1, 0, 1, 0, 2],
        [4, 0, 0, 0, 1, 3],
    ]
    X, unknown = encoding.encode(of(x=["1"], c=["a"], y=[""]))  # no column says so, and the mean stands in
    assert X.toarray().tolist() == [[1, 0, 1, 0, 0, 2]] and unknown == 0


def test_a_category_can_be_forced_and_keeps_its_texts():
    encoding = Encoding.learn(of(zip=["007", "7", "9007199254740993"]), categorical=["zip"], say=quiet)
    assert encoding.columns == (Category("zip", ("007", "7", "9007199254740993")),)
    assert Encoding.learn(of(d=["1990-01-31"]), categorical=["d"]).column_names == ["d=1990-01-31"]


@pytest.mark.parametrize("text", ["1_000", "x", "0x1F", "1 2", "--1", "True", "NA", "12%"])
def test_a_column_that_is_almost_numeric_is_named(text):
    said = []
    Encoding.learn(of(x=["1", "", text, "1"]), missing="mean", say=said.append)
    assert len(said) == 1 and f"t, row 3: column 'x' is a category, one column a level, since {text!r} is" in said[0]
    assert "is not a number; 2 of 4 values are" in said[0]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30), st.randoms())
def test_a_mean_is_exact_but_for_one_rounding(values, random):
    """However large, small or cancelling the numbers are, and in whatever order and parts they come."""
    expected = float(sum(map(Fraction, values)) / len(values))
    total = ExactSum()
    random.shuffle(values)
    for part in np.array_split(values, random.randint(1, 4)):
        if len(part):
            total.add(part)
    assert total.mean() == expected == Encoding.learn({"x": values}).columns[0].mean


REFUSED = {
    "no target": ({"target": "x"}, "t: it has no column 'x' to be the target; its columns are 'a', 'b'"),
    "nothing to drop": ({"drop": ["x"]}, "t: it has no column 'x' to drop"),
    "no category": ({"categorical": ["x"]}, "t: it has no column 'x' to make a category"),
    "target dropped": ({"target": "a", "drop": ["a"]}, "column 'a' cannot be dropped"),
    "category dropped": ({"categorical": ["a"], "drop": ["a"]}, "column 'a' cannot be dropped"),
    "nothing left": ({"target": "a", "drop": ["b"]}, "no column is left to predict from"),
    "a text": ({"drop": "a"}, "drop must be a list of names, not the text 'a'"),
    "missing": ({"missing": "median"}, "missing must be None, 'mean' or 'indicator'"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_learnt(what):
    options, message = REFUSED[what]
    with pytest.raises(ValueError, match=message):
        Encoding.learn(of(a=["1", "2"], b=["3", "4"]), **options)


@pytest.mark.parametrize("texts", [["1990-01-31", None], ["1,5", "2"]])
def test_dates_and_commas_in_a_frame_are_refused_as_in_text(texts):
    with pytest.raises(ValueError, match="column 'a' h"):
        Encoding.learn({"a": texts}, missing="mean")
    assert len(Encoding.learn({"a": texts}, categorical=["a"], missing="mean").columns[0].levels) == len(
        set(texts) - {None}
    )


def test_empty_columns_and_tables_are_refused():
    with pytest.raises(ValueError, match="column 'a' is empty in all rows: --drop"):
        Encoding.learn(of(a=["", ""], b=["1", "2"]), missing="mean")
    with pytest.raises(ValueError, match="there are no rows"):
        Encoding.learn(of(a=[]))


def test_what_another_table_cannot_lack_or_change():
    encoding = Encoding.learn(of(a=["1", "2"], b=["x", "y"]))
    with pytest.raises(ValueError, match=r"t: it lacks the column\(s\) 'b' of the model; its columns are 'a'"):
        encoding.encode(of(a=["1"]))
    with pytest.raises(ValueError, match="t, row 2: column 'a' has 'z', which is not a number, as it was in the trai"):
        encoding.encode(of(a=["1", "z"], b=["x", "x"]))


def fitted(risk=None, maps=()):
    encoding = Encoding.learn(FRAME, "income", ["id"])
    risk = OneVsRest(each=Hinge(lam=0.1, bias=not maps)) if risk is None else risk
    rows = Rows(FRAME, np.array(FRAME["income"]))
    return models.fit(risk, rows, Settings(tol=1e-8), Features((encoding, *maps))).model, rows


@pytest.mark.parametrize("maps", [(), (Constant(2.0),)], ids=["free", "penalised"])
def test_a_model_keeps_the_map(tmp_path, maps):
    model, rows = fitted(maps=maps)
    models.save(tmp_path / "m", model)
    again = models.load(tmp_path / "m")
    own, first = again.features.find(Encoding), model.features.find(Encoding)
    assert (own.columns, own.target, own.missing) == (first.columns, "income", None)
    assert (again.predict(Rows(FRAME)) == model.predict(Rows(FRAME))).all()
    assert again.certify(rows) == [proof.certificate for proof in model.proofs]
    X = Rows.of(first.encode(FRAME)[0], rows.y)  # the same numbers are the same samples
    assert again.certify(X) == again.certify(rows)
    with pytest.raises(ValueError, match="X has 3 columns, and the columns of the model's table are 4"):
        again.predict(Rows.of(np.ones((2, 3))))
    assert {name for name, _ in models.card_of(again, top=9).largest[""]} <= set(own.column_names)
    assert "1 numeric and 1 categorical, as 4, for 'income'" in str(again)


def test_the_optimum_is_that_of_the_plain_matrix():
    y = np.arange(6.0)
    risk, encoding = EpsilonInsensitive(lam=0.1), Encoding.learn(FRAME, "income", ["id"])
    by_map = models.fit(risk, Rows(FRAME, y), Settings(tol=1e-10), Features((encoding,))).model
    plain = models.fit(risk, Rows.of(encoding.encode(FRAME)[0], y), Settings(tol=1e-10)).model
    assert by_map.tensors["coef"].tobytes() == plain.tensors["coef"].tobytes()
    assert by_map.fingerprint == plain.fingerprint


def test_other_doors_say_that_they_have_no_tables(tmp_path):
    model, _ = fitted()
    with pytest.raises(ValueError):
        models.save_liblinear(tmp_path / "l", model)
    assert not (tmp_path / "l").exists()


def _columns(change):
    """A file whose columns were changed."""

    def changed(record, tensors):
        columns = json.loads(tensors["features.0.columns"].tobytes())
        found = change(columns)
        tensors["features.0.columns"] = np.frombuffer(
            json.dumps(columns if found is None else found).encode(), np.uint8
        )

    return changed


FORGED = {
    "no list": (_columns(lambda c: {"a": 1}), "the columns of its table must be a list of them"),
    "none": (_columns(lambda c: []), "the columns of its table must be a list of them"),
    "no object": (_columns(lambda c: [1]), "it must hold an object with name, is_flagged"),
    "no name": (_columns(lambda c: c[0].update(name=None)), "name must be a str"),
    "name": (_columns(lambda c: c[0].update(name=3)), "name must be a str"),
    "twice": (_columns(lambda c: c[0].update(name="job")), "must have different names"),
    "target": (_columns(lambda c: c[0].update(name="income")), "must have different names"),
    "mean": (_columns(lambda c: c[0].update(mean="x")), "the mean of column 'age' must be finite"),
    "no mean": (_columns(lambda c: c[0].update(mean=None)), "the mean of column 'age' must be finite"),
    "infinite": (_columns(lambda c: c[0].update(mean=float("inf"))), "the mean of column 'age' must be finite"),
    "long mean": (_columns(lambda c: c[0].update(mean=10**400)), "the mean of column 'age' must be finite"),
    "flag": (_columns(lambda c: c[0].update(is_flagged=1)), "is_flagged must be a bool"),
    "flagged": (_columns(lambda c: c[0].update(is_flagged=True)), "its table makes 5 columns, for 4 weights"),
    "levels": (_columns(lambda c: c[1].update(levels=["b", "a", "c"])), "must be different texts, sorted"),
    "level": (_columns(lambda c: c[1].update(levels=["a", 2, "c"])), "must be different texts, sorted"),
    "same level": (_columns(lambda c: c[1].update(levels=["a", "a", "c"])), "must be different texts, sorted"),
    "lost level": (_columns(lambda c: c[1].update(levels=["a", "b"])), "its table makes 3 columns, for 4 weights"),
    "odd target": (lambda r, t: r["features"][0].update(target=3), "target and missing cannot be 3 and None"),
    "odd missing": (
        lambda r, t: r["features"][0].update(missing=[]),
        r"target and missing cannot be 'income' and \[\]",
    ),
    "no tensor": (lambda r, t: t.pop("features.0.columns"), "features.0.columns"),
}


@pytest.mark.parametrize("what", FORGED)
def test_files_that_were_changed_are_refused(tmp_path, what):
    change, message = FORGED[what]
    models.save(tmp_path / "m", fitted()[0])
    forged.forge(tmp_path / "m", change)
    with pytest.raises(ValueError, match=message) as caught:
        models.load(tmp_path / "m")
    assert "\n" not in str(caught.value)
