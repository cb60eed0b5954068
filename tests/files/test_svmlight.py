"""The svmlight reader against float(), against scikit-learn's reader, and against its own writer."""

import bz2
import gzip
import io
import lzma
import math
import os
import re
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from pragam.datasets import load_svmlight, save_svmlight
from pragam.files import svmlight

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def read(text, *args, **options):
    return load_svmlight(io.BytesIO(text), *args, **options)


def same(first, second):
    (X, y), (Z, z) = first, second
    return (
        X.shape == Z.shape
        and all(np.array_equal(getattr(X, a), getattr(Z, a)) for a in ("data", "indices", "indptr"))
        and np.array_equal(y, z)
    )


@st.composite
def samples(draw, values=FINITE):
    n, d = draw(st.integers(1, 8)), draw(st.integers(1, 12))
    rows = [draw(st.dictionaries(st.integers(0, d - 1), values, max_size=d)) for _ in range(n)]
    indptr = np.cumsum([0] + [len(row) for row in rows], dtype=np.int32)
    indices = [j for row in rows for j in sorted(row)]
    data = [row[j] for row in rows for j in sorted(row)]
    X = sparse.csr_array((np.array(data, float), np.array(indices, np.int32), indptr), shape=(n, d))
    return X, np.array(draw(st.lists(values, min_size=n, max_size=n)), float)


@given(samples())
def test_what_is_saved_is_loaded_to_the_last_bit(data):
    X, y = data
    with tempfile.TemporaryDirectory() as folder:
        save_svmlight(Path(folder) / "data", X, y)
        Z, z = load_svmlight(Path(folder) / "data", X.shape[1], zero_based=False)
        assert os.listdir(folder) == ["data"]
    assert same((Z, z), (X, y))
    assert Z.data.tobytes() == X.data.tobytes() and z.tobytes() == y.tobytes()  # the sign of zero, too


@given(samples(st.floats(-1e300, 1e300)), st.booleans())  # more, and their writer rounds up to infinity
def test_equals_scikit_learn(data, zero_based):
    X, y = data
    stream = io.BytesIO()
    dump_svmlight_file(X, y, stream, zero_based=zero_based, comment="a comment")
    text, d = stream.getvalue(), X.shape[1] + 1
    for convention in ("auto", zero_based):
        theirs = load_svmlight_file(io.BytesIO(text), n_features=d, zero_based=convention)
        assert same(read(text, d, zero_based=convention), theirs)


def test_saving_that_fails_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "data"
    path.write_text("old")
    for value, y, word in ((np.nan, [1], "finite"), (1.0, [1, 2], "shape"), (1.0, [np.inf], "finite")):
        with pytest.raises(ValueError, match=word):
            save_svmlight(path, np.array([[value]]), y)
    assert os.listdir(tmp_path) == ["data"] and path.read_text() == "old"


# -- numbers --------------------------------------------------------------------------------------------

HARD = [
    "0", "-0", "+1", "1.", ".5", "-.5e1", "00012.500", "1e-3", "1E+3", "1e22", "1e23", "9007199254740992",
    "9007199254740993", "9007199254740992e22", "9007199254740993e-22", "8.5e-23", "1e-22", "1e-23",
    "2.2250738585072011e-308", "2.2250738585072014e-308", "4.9406564584124654e-324",
    "2.4703282292062327e-324", "2.4703282292062328e-324", "1.7976931348623157e308",
    "1.7976931348623158e308", "1e-999", "-1e-99999999999", "0e99999999999999999999",
    "123456789012345678901234567890", "1.00000000000000011102230246251565404236316680908203125",
    "9999999999999999999", "18446744073709551616",
    "1.00000000000000011102230246251565404236316680908203124", "0.1234567890123456789",
    "7.2057594037927933e16", "1.00000000000000011102230246251565404236316680908203126",
]  # fmt: skip
HARD += ["0." + "0" * 400 + "1e390", "1" + "0" * 400 + "e-400", "9" * 5000 + "e-5000"]


def check_bits(decimals):
    X, y = read("".join(f"{t} 1:{t}\n" for t in decimals).encode())
    expected = np.array([float(t) for t in decimals])
    assert y.tobytes() == expected.tobytes() and X.data.tobytes() == expected.tobytes()


def test_hard_decimals_equal_float():
    check_bits(HARD)


@given(st.lists(st.floats(1e-30, 1e30), min_size=1))
def test_halfway_between_floats_and_beside(values):
    """The exact midpoint of neighbouring floats, and the decimals next to it, round as float() rounds."""
    decimals = []
    for low in values:
        middle = (Fraction(low) + Fraction(math.nextafter(low, math.inf))) / 2
        scaled = middle * 10**200
        assert scaled.denominator == 1
        decimals += [f"{scaled.numerator + step}e-200" for step in (-1, 0, 1)]
    check_bits(decimals)


DECIMAL = r"[+-]?([0-9]{1,22}\.?[0-9]{0,22}|\.[0-9]{1,22})([eE][+-]?[0-9]{1,2})?"


@given(st.lists(st.from_regex(re.compile(DECIMAL, re.ASCII), fullmatch=True), min_size=1))
def test_any_decimal_equals_float(decimals):
    check_bits(decimals)


def test_float32_is_the_rounded_float64():
    X, _ = read("".join(f"1 1:{t}\n" for t in HARD if abs(float(t)) < 1e38).encode(), dtype=np.float32)
    expected = np.array([float(t) for t in HARD if abs(float(t)) < 1e38]).astype(np.float32)
    assert X.dtype == np.float32 and X.data.tobytes() == expected.tobytes()
    with pytest.raises(ValueError, match="line 1: value '1e39' is not a finite number"):
        read(b"1 1:1e39\n", dtype=np.float32)


# -- layout ---------------------------------------------------------------------------------------------


def test_tolerated_layout():
    text = b"# head\r\n\r\n  +1 qid:7\t1:2 \t3:-4.5e-1  # tail 9:9\r\n-1#x\n\n \t\n0\x0b2:1\x0c"
    X, y = read(text)
    assert y.tolist() == [1, -1, 0]
    assert X.toarray().tolist() == [[2, 0, -0.45], [0, 0, 0], [0, 1, 0]]


def test_unsorted_rows_keep_their_order():
    X, _ = read(b"1 5:50 2:20 9:90\n")
    assert X.indices.tolist() == [4, 1, 8] and X.data.tolist() == [50, 20, 90]


def test_rows_without_features_and_explicit_zeros():
    assert read(b"1\n-1\n")[0].shape == (2, 0)
    assert read(b"1\n", 7)[0].shape == (1, 7)
    assert read(b"1 3:0\n")[0].nnz == 1


def test_zero_based():
    assert read(b"1 0:1 4:1\n")[0].shape == (1, 5)
    assert read(b"1 1:1 4:1\n")[0].shape == (1, 4)
    assert read(b"1 1:1 4:1\n", zero_based=True)[0].shape == (1, 5)


@pytest.mark.parametrize("index", [2**31 - 2, 2**31 - 1, 2**31, 2**63 - 2])
def test_index_types(index):
    X, _ = read(f"1 1:1\n1 {index}:3\n".encode())
    assert X.shape == (2, index) and X.indices[1] == index - 1
    assert X.indices.dtype == X.indptr.dtype == (np.int32 if index < 2**31 else np.int64)
    X, _ = read(f"1 0:1 {index}:3\n".encode())
    assert X.shape == (1, index + 1) and X.indices.dtype == (np.int32 if index + 1 < 2**31 else np.int64)


# -- errors ---------------------------------------------------------------------------------------------

FAULTS = {
    "x7 1:1": "label 'x7' is not a finite number",
    "1:2 3:4": "label '1:2' is not a finite number",
    "nan 1:1": "label 'nan' is not a finite number",
    "1e400": "label '1e400' is not a finite number",
    "1,2 1:1": "label '1,2' is not a finite number",
    "\0": r"label '\x00' is not a finite number",
    "1 x7:1": "feature index 'x7' is not a whole number",
    "1 7x:1": "feature index '7x' is not a whole number",
    "1 -3:1": "feature index '-3' is not a whole number",
    "1 1.5:1": "feature index '1.5' is not a whole number",
    "1 :1": "feature index '' is not a whole number",
    "1 1:1 qid:3": "feature index 'qid' is not a whole number",
    "1 q": "feature index 'q' is not a whole number",
    "1 7": "feature '7' is not of the form index:value",
    "1 7 :1": "feature '7' is not of the form index:value",
    "1 9223372036854775807:1": "feature index '9223372036854775807' is too large",
    "1 " + "9" * 60 + ":1": "feature index '" + "9" * 40 + "...' is too large",
    "1 qid:x 1:1": "query id 'x' is not a whole number",
    "1 1:": "value '' is not a finite number",
    "1 1: 2": "value '' is not a finite number",
    "1 1:2:3": "value '2:3' is not a finite number",
    "1 1:inf": "value 'inf' is not a finite number",
    "1 1:-1e309": "value '-1e309' is not a finite number",
    "1 1:0x10": "value '0x10' is not a finite number",
    "1 1:1_0": "value '1_0' is not a finite number",
    "1 1:1e": "value '1e' is not a finite number",
    "1 1:.": "value '.' is not a finite number",
    "1 1:1 2:\xe9": "value 'é' is not a finite number",
    "1 2:1 1:1 2:1": "a feature index is repeated in the row of label '1'",
    "1 2:1 2:1": "a feature index is repeated in the row of label '1'",
}


@pytest.mark.parametrize("line", FAULTS)
@pytest.mark.parametrize("block", [1, 1 << 20])
def test_faults_name_file_and_line(line, block, tmp_path, monkeypatch):
    monkeypatch.setattr(svmlight, "_BLOCK", block)
    path = tmp_path / "{bad}"
    path.write_bytes(f"1 1:1\n# comment\n\n-1 2:1\r\n{line}\n1 1:x\n".encode())
    with pytest.raises(ValueError) as caught:
        load_svmlight(path)
    assert str(caught.value) == f"{path}, line 5: {FAULTS[line]}"


@pytest.mark.parametrize("block", [1, 1 << 20])
@pytest.mark.parametrize(
    ("text", "zero_based", "message"),
    [
        (b"1\n1 5:1 6:1\n", "auto", "line 2: feature index 6 is beyond n_features=5"),
        (b"1\n1 5:1\n", True, "line 2: feature index 5 is beyond n_features=5"),
        (b"1\n1 5:1\n\n1 0:1\n", "auto", "line 2: feature index 5 is beyond n_features=5"),
        (b"1\n1 5:1\n\n1 0:1\n", False, "line 4: feature index 0, where indices count from 1"),
    ],
)
def test_range_of_indices(text, zero_based, message, block, monkeypatch):
    monkeypatch.setattr(svmlight, "_BLOCK", block)
    with pytest.raises(ValueError) as caught:
        read(text, 5, zero_based=zero_based)
    assert str(caught.value) == f"<stream>, {message}"


@pytest.mark.parametrize("text", [b"", b"\n\n", b"# only\r\n", b" "])
def test_no_samples(text):
    with pytest.raises(ValueError, match=r"^<stream>: no samples$"):
        read(text)


def test_bad_arguments(tmp_path):
    for options in ({"dtype": np.int32}, {"zero_based": "yes"}, {"n_features": -1}):
        with pytest.raises(ValueError, match=next(iter(options))):
            read(b"1\n", **options)
    with pytest.raises(ValueError, match="binary mode"):
        load_svmlight(io.StringIO("1\n"))
    with pytest.raises(FileNotFoundError):
        load_svmlight(tmp_path / "absent")


# -- compression and blocks -----------------------------------------------------------------------------

COMPRESSORS = {"plain": bytes, "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
TEXT = b"".join(b"%d %d:%r 7:1 # c\r\n\n" % (i % 3, i % 6 + 1, i / 7) for i in range(300)) + b"1 3:2"


@pytest.mark.parametrize("kind", COMPRESSORS)
@pytest.mark.parametrize("block", [1, 2, 3, 7, 64, 1 << 20])
def test_compression_and_blocks_change_nothing(kind, block, tmp_path, monkeypatch):
    expected = read(TEXT)
    monkeypatch.setattr(svmlight, "_BLOCK", block)
    packed = COMPRESSORS[kind](TEXT)
    path = tmp_path / "no-suffix"
    path.write_bytes(packed)
    with open(path, "rb") as opened:
        for source in (path, str(path), opened, io.BytesIO(packed)):
            assert same(load_svmlight(source), expected)
        assert not opened.closed
    assert expected[0].shape == (301, 7) and expected[0].nnz == 601


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
@pytest.mark.parametrize("harm", [lambda b: b[:-9], lambda b: b[:12] + b"\xff" * 40 + b[52:]])
def test_damaged_compression(kind, harm):
    with pytest.raises(ValueError, match=r"^<stream>: cannot decompress: "):
        read(harm(COMPRESSORS[kind](TEXT * 3)))


# -- hostile input --------------------------------------------------------------------------------------

PIECES = st.sampled_from([
    b"1", b"-1", b":", b" ", b"\n", b"\r\n", b"#", b"\0", b"qid:", b"q", b".", b"e", b"+", b"_", b"\t",
    b"\xff", b"inf", b"nan", b"1:1", b"2:0.5", b"1e5", b"0x1", b"4294967296:1", b"9" * 30, b"0" * 30,
    b"BZh", b"\x1f\x8b",
])  # fmt: skip


@settings(max_examples=400)
@given(st.one_of(st.binary(max_size=60), st.lists(PIECES, max_size=25).map(b"".join)))
def test_any_bytes_give_a_valid_matrix_or_a_value_error_of_one_line(text):
    try:
        X, y = read(text)
    except ValueError as error:
        assert str(error).startswith("<stream>") and "\n" not in str(error)
        return
    X.check_format(full_check=True)
    assert np.isfinite(X.data).all() and np.isfinite(y).all() and X.shape[0] == len(y)
    with tempfile.TemporaryDirectory() as folder:
        save_svmlight(Path(folder) / "again", X, y)
        Z, z = load_svmlight(Path(folder) / "again", X.shape[1], zero_based=False)
    X.sort_indices()
    assert same((X, y), (Z, z))


def test_every_truncation_of_a_good_text():
    """A row counts as soon as its label is there; what is refused ends in the middle of something, or has no row."""
    text = b"# c\n+1 qid:3 1:0.5 20:1e-3 # c\r\n-1.5 7:123456789012345678901234567890e-10\n"
    whole, n_refused = read(text), 0
    for stop in range(len(text)):
        try:
            X, y = read(text[:stop])
        except ValueError:
            n_refused += 1
            continue
        assert X.shape[0] == len(y) == 1 + (stop > text.index(b"\n-1") + 2)
        assert y[0] == 1 and (X.indptr[1] < 1 or X.data[0] in (0.0, 0.5))
    assert 0 < n_refused < len(text) / 2 and whole[1].tolist() == [1, -1.5]
