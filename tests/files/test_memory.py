"""Reading takes at most 2.5 times the memory of the arrays that it returns, and 64 MB, whatever the text looks like."""

from __future__ import annotations

import gzip
import io
import itertools
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from peaks import peak_memory
from pragam.datasets import compact_columns, load, load_svmlight
from pragam.files import blocks, svmlight

MEGABYTE = 1 << 20

#: Prints the peak of the resident memory above that of the imports, and the memory of what was returned.
MEASURE = """
import resource, sys, numpy
from pragam.datasets import load
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
begin = peak()
X, y = load(sys.argv[1])
arrays = (X.data, X.indices, X.indptr, y)
print(peak() - begin, sum(a.nbytes for a in arrays))
"""


def rows_without_entries(file):
    file.write(b"1\n" * (10 * MEGABYTE))


def one_long_line(file):
    file.write(b"1")
    for j in range(1, 2 * MEGABYTE):
        file.write(b" %d:0.12345678901234567" % j)


def many_entries(file):
    line = b" ".join(b"%d:1" % j for j in range(1, 1000))
    for _ in range(5000):
        file.write(b"-1 " + line + b"\n")


def a_long_comment(file):
    file.write(b"1 1:1 #" + b"x" * (100 * MEGABYTE))


def blanks(file):
    file.write(b"1" + b" " * (100 * MEGABYTE) + b"1:1\n" + b"\t" * (50 * MEGABYTE))


TEXTS = [rows_without_entries, one_long_line, many_entries, a_long_comment, blanks]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ru_maxrss in kilobytes")
@pytest.mark.parametrize("write", TEXTS, ids=lambda write: write.__name__)
def test_peak_while_reading(write, tmp_path):
    with gzip.open(tmp_path / "text.gz", "wb", compresslevel=1) as file:
        write(file)
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(tmp_path / "text.gz")], capture_output=True, text=True, check=True
    )
    peak, returned = map(int, done.stdout.split())
    assert peak <= 2.5 * returned + 64 * MEGABYTE


@pytest.mark.parametrize("content", [b"\0", b"1", b"1 1:", b"x"])
def test_a_stream_without_line_ends_is_refused_and_not_gathered(content):
    class Endless:
        name = "endless"

        def read(self, size=-1):
            return (content + content[-1:] * size)[:size]

    with peak_memory() as peak, pytest.raises(ValueError, match=r"^endless, line 1: "):
        load_svmlight(Endless())
    assert peak.bytes < 16 * MEGABYTE


def test_cuts_in_lines_change_nothing(monkeypatch):
    """A text is parsed alike whole and cut between any two words; so are its faults."""
    words = [b"1", b"qid:3", b"2:5", b"7:1", b"#", b"\n", b"\r\n", b" ", b"3:1"]
    rng = np.random.default_rng(0)
    outcomes = set()
    for _ in range(3000):
        text = b" ".join(words[k] for k in rng.integers(len(words), size=rng.integers(1, 25)))
        results = []
        for block in (1, 4, 10**6):
            monkeypatch.setattr(svmlight, "_BLOCK", block)
            results.append(outcome(text))
        assert results[0] == results[1] == results[2]
        outcomes.add(results[0][:1])
    assert len(outcomes) > 1  # some are good, others are not


def outcome(text):
    try:
        X, y = load_svmlight(io.BytesIO(text))
    except ValueError as error:
        return ("refused", str(error).partition("; it looks like")[0])
    return "read", X.shape, *(a.tobytes() for a in (X.data, X.indices, X.indptr, y))


def test_blocks_hold_whole_lines_or_parts_of_one():
    text = b"1 1:1\n" * 3 + b"1 " + b" ".join(b"%d:1" % j for j in range(1, 200)) + b" # comment" * 50 + b"\n2 1:1"
    pieces = list(blocks.blocks(io.BytesIO(text), 64))
    assert all(len(piece.text) < 200 and piece.text.endswith(b"\n") for piece in pieces)
    assert all(a.unfinished == b.continued for a, b in itertools.pairwise(pieces))
    assert not pieces[0].continued and not pieces[-1].unfinished


# -- columns --------------------------------------------------------------------------------------------


def test_an_index_beyond_reason_is_refused_with_a_remedy(tmp_path):
    (tmp_path / "wide.svm").write_text("# a comment\n\n+1 1:1 2147483647:2\n-1 1:1\n")
    with pytest.raises(ValueError) as caught:
        load(tmp_path / "wide.svm")
    assert str(caught.value) == (
        f"{tmp_path / 'wide.svm'}, line 3: feature index 2147483647 makes 2147483647 columns, where 3 entries are "
        "stored: every vector would take 17.2 GB; --compact-columns (in Python datasets.compact_columns) keeps those "
        "that occur"
    )
    with pytest.raises(ValueError, match=r"wide\.svm: n_features=3000000000 makes 3000000000 columns"):
        load(tmp_path / "wide.svm", 3_000_000_000)


def test_a_wide_npz_is_refused_with_a_remedy(tmp_path):
    sparse.save_npz(tmp_path / "wide.npz", sparse.csr_array(([1.0], [5], [0, 1]), shape=(1, 2**40)))
    with pytest.raises(ValueError, match=r"wide\.npz: the shape \(1, 1099511627776\) makes .* --compact-columns"):
        load(tmp_path / "wide.npz")


def test_columns_that_are_many_but_used_are_not_refused(tmp_path):
    d = 130_000_000
    columns = np.arange(0, d, 100)
    X = sparse.csr_array((np.ones(len(columns)), columns, [0, len(columns)]), shape=(1, d))
    sparse.save_npz(tmp_path / "wide.npz", X, compressed=False)
    assert load(tmp_path / "wide.npz")[0].shape == (1, d)


def test_compact_columns():
    X = sparse.csr_array(([1.0, 2, 3, 4], [10**12, 7, 0, 7], [0, 2, 2, 4]), shape=(3, 10**12 + 1))
    Z, columns = compact_columns(X)
    assert columns.tolist() == [0, 7, 10**12]
    assert Z.toarray().tolist() == [[0, 2, 1], [0, 0, 0], [3, 4, 0]]
    assert compact_columns(sparse.csr_array((2, 5)))[0].shape == (2, 0)
