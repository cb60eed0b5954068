"""The compiled parser equals its twin, byte for byte, on good and on bad text."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pragam._kernels import twins

compiled = pytest.importorskip("pragam._kernels._compiled")

TOKENS = st.sampled_from([
    b"1", b"-2.5", b"+1e-3", b" ", b"  ", b"\n", b"\r\n", b"#", b"\0", b"qid:3", b"qid:", b" q", b":",
    b"\x0b", b"1:1", b"3:.5", b"2:1e400", b"2:1e39", b"5:0.1234567890123456789", b"5:5e-324", b"6:1e-400",
    b"7:-0", b"3:3.4028235677973366e38", b"4:3.4028235677973362e38", b"-1:2", b"8:1_0",
    b"\xff", b" 4294967296:1",
    b"9223372036854775806:1", b"9223372036854775807:1", b"0" * 25 + b"7:1", b"9" * 25 + b":1",
])  # fmt: skip
TEXTS = st.one_of(
    st.lists(TOKENS, max_size=30).map(b"".join),
    st.lists(TOKENS, max_size=30).map(b" ".join),
    st.binary(max_size=80),
)


def run(parse, text, index_type, value_type, continued=False):
    rows, entries = text.count(b"\n"), text.count(b":")
    arrays = (
        np.zeros(rows),
        np.zeros(rows, np.int64),
        np.zeros(entries, index_type),
        np.zeros(entries, value_type),
    )
    report = parse(np.frombuffer(text, np.uint8), *arrays, continued)
    rows, entries = report[:2]
    labels, ends, indices, values = arrays
    return report, *(a.tobytes() for a in (labels[:rows], ends[:rows], indices[:entries], values[:entries]))


@pytest.mark.parametrize("index_type", [np.int32, np.int64])
@pytest.mark.parametrize("value_type", [np.float32, np.float64])
@settings(max_examples=400)
@given(text=TEXTS, continued=st.booleans())
def test_kernel_equals_twin(index_type, value_type, text, continued):
    text += b"\n"
    expected = run(twins.svmlight_parse, text, index_type, value_type, continued)
    assert run(compiled.svmlight_parse, text, index_type, value_type, continued) == expected


@pytest.mark.parametrize("parse", [compiled.svmlight_parse, twins.svmlight_parse])
def test_text_without_newline_and_small_arrays_are_refused(parse):
    good = (np.empty(9), np.empty(9, np.int64), np.empty(9, np.int32), np.empty(9))
    with pytest.raises(ValueError, match="newline"):
        parse(np.frombuffer(b"1 1:1", np.uint8), *good)
    with pytest.raises(ValueError, match="newline"):
        parse(np.empty(0, np.uint8), *good)
    enough = [a[:1] for a in good]
    assert parse(np.frombuffer(b"1 1:1\n", np.uint8), *enough)[:3] == (1, 1, 0)
    for i, word in enumerate(("labels", "ends", "indices", "values")):
        arrays = [a[:0] if i == j else a for j, a in enumerate(good)]
        with pytest.raises(ValueError, match=word):
            parse(np.frombuffer(b"1 1:1\n", np.uint8), *arrays)


@pytest.mark.parametrize("parse", [compiled.svmlight_parse, twins.svmlight_parse])
def test_a_continued_row_has_no_label_and_is_there_even_if_empty(parse):
    report, _, ends, indices, _ = run(parse, b"2:5 3:1\n1 1:1\n", np.int32, np.float64, continued=True)
    assert report[:3] == (2, 3, 0) and np.frombuffer(ends, np.int64).tolist() == [2, 3]
    assert np.frombuffer(indices, np.int32).tolist() == [2, 3, 1]
    for text in (b"\n", b" # comment\n"):
        assert run(parse, text, np.int32, np.float64, continued=True)[0][:3] == (1, 0, 0)
    assert run(parse, b"qid:3 1:1\n", np.int32, np.float64, continued=True)[0][2:4] == (3, 0)
