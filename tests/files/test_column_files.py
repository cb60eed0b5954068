"""Column files: what is read, what is refused, and that what was read can be written back."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pytest

from pragam.sequences import read_columns, with_column

TEXT = "Confidence NN B-NP\nin\tIN  B-PP\n\n\n  \t\nthe DT B-NP\n\xa0x\u3000 NN I-NP\n# DT O\n"


def read(text):
    return read_columns(io.BytesIO(text.encode() if isinstance(text, str) else text))


def test_reads_tokens_columns_and_lengths():
    data = read(TEXT)
    assert data.columns == [
        ["Confidence", "in", "the", "\xa0x\u3000", "#"], ["NN", "IN", "DT", "NN", "DT"],
        ["B-NP", "B-PP", "B-NP", "I-NP", "O"],
    ]  # fmt: skip
    assert data.lengths.tolist() == [2, 3] and data.n_tokens == 5


def test_line_ends_a_byte_order_mark_and_a_missing_last_line_do_not_matter():
    assert read("\ufeffa b\r\n\r\nc d").columns == [["a", "c"], ["b", "d"]]


def test_reads_compressed_files_by_name(tmp_path):
    path = tmp_path / "data.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    assert read_columns(path).columns == read(TEXT).columns


def test_writes_columns_back_and_reads_them_again():
    data = read(TEXT)
    text = "".join(with_column(data, ["v", "w", "x", "y", "z"]))
    again = read(text)
    assert again.columns == [*data.columns, ["v", "w", "x", "y", "z"]]
    assert np.array_equal(again.lengths, data.lengths)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b\n\nc\n", "line 3: 1 columns, and the lines before have 2"),
        ("\n \n", "no tokens"),
        (b"a b\n\xff c\n", "line 2: not UTF-8"),
    ],
)
def test_refuses_with_the_line(text, message):
    with pytest.raises(ValueError, match=message):
        read(text)
