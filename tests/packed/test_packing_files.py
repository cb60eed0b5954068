"""Files become the packed directory that their rows make as blocks; what is wrong with one is a line that names it."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from packed_data import content_of, rows_of, small
from scipy import sparse

import pragam
from pragam.datasets import load_svmlight, save_svmlight
from pragam.packed import text_rows


def rows_in(folder):
    """The chunks' files: all but the manifest, which names the sources."""
    return {name: content for name, content in content_of(folder).items() if name != "manifest.json"}


@pytest.fixture
def text(tmp_path):
    X, y = small(300)
    save_svmlight(tmp_path / "rows.svm", X, y)
    return tmp_path / "rows.svm"


@pytest.mark.parametrize("compress", [None, gzip.compress, bz2.compress, lzma.compress])
def test_svmlight_text_is_packed_as_its_rows(tmp_path, text, compress, monkeypatch):
    X, y = load_svmlight(text)
    pragam.pack([(X, y)], tmp_path / "blocks")
    file = tmp_path / "file"
    file.write_bytes(text.read_bytes() if compress is None else compress(text.read_bytes()))
    monkeypatch.setattr(text_rows, "_BLOCK", 1000)
    packed = pragam.pack(file, tmp_path / "set")
    assert rows_in(tmp_path / "set") == rows_in(tmp_path / "blocks") and packed.dtype == np.float64


@given(
    st.lists(st.sampled_from(["1 2:1", "-1 5:0.5 3:2 # 7:1", "", "# x", "2 qid:4 1:1e-3\r", "0 0:0", "3"])),
    st.integers(1, 40),
)
def test_any_text_in_blocks_of_any_size_is_what_the_reader_reads(tmp_path_factory, lines, size):
    folder = tmp_path_factory.mktemp("text")
    (folder / "rows.svm").write_text("\n".join(lines), newline="")
    try:
        X, y = load_svmlight(folder / "rows.svm")
    except ValueError as error:
        with pytest.raises(ValueError, match=r"rows\.svm") as caught:
            pragam.pack(folder / "rows.svm", folder / "set")
        assert str(caught.value) == str(error) and not (folder / "set").exists()
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_rows, "_BLOCK", size)
        packed = pragam.pack(folder / "rows.svm", folder / "set")
    pragam.pack([(X, y)], folder / "blocks", dtype=packed.dtype)
    assert rows_in(folder / "set") == rows_in(folder / "blocks")


def test_text_is_single_precision_where_that_is_exact(tmp_path):
    (tmp_path / "exact.svm").write_text("1 1:0.5 2:3\n-1 2:-0\n")
    packed = pragam.pack(tmp_path / "exact.svm", tmp_path / "exact")
    assert packed.dtype == np.float32
    (tmp_path / "tenth.svm").write_text("1 1:0.1\n")
    packed = pragam.pack([tmp_path / "exact.svm", tmp_path / "tenth.svm"], tmp_path / "both")
    assert packed.dtype == np.float64 and sorted(rows_of(packed).data.tolist()) == [-0.0, 0.1, 0.5, 3]
    (tmp_path / "tiny.svm").write_text("1 1:1e-40\n")
    assert pragam.pack(tmp_path / "tiny.svm", tmp_path / "tiny").dtype == np.float64


def test_several_files_count_their_indices_alike(tmp_path):
    (tmp_path / "a-1.svm").write_text("1 1:1 3:3\n")
    (tmp_path / "a-2.svm").write_text("-1 0:5\n")
    whole = pragam.pack(str(tmp_path / "a-*.svm"), tmp_path / "whole")
    assert whole.shape == (2, 4) and sorted(map(tuple, rows_of(whole).toarray().tolist())) == [
        (0, 1, 0, 3),
        (5, 0, 0, 0),
    ]
    assert pragam.pack(tmp_path / "a-1.svm", tmp_path / "one").shape == (1, 3)
    assert pragam.pack(tmp_path / "a-1.svm", tmp_path / "zero", zero_based=True).shape == (1, 4)
    assert pragam.pack(tmp_path / "a-1.svm", tmp_path / "wide", n_features=9).shape == (1, 9)
    names = [source["name"] for source in whole._chunks.manifest.sources]
    assert names == [str(tmp_path / "a-1.svm"), str(tmp_path / "a-2.svm")]
    with pytest.raises(ValueError, match=r"a-2\.svm, line 1: feature index 0, where indices count from 1"):
        pragam.pack([tmp_path / "a-1.svm", tmp_path / "a-2.svm"], tmp_path / "no", zero_based=False)
    with pytest.raises(ValueError, match="have 4 columns, as their indices count from 0, where n_features=3"):
        pragam.pack([tmp_path / "a-1.svm", tmp_path / "a-2.svm"], tmp_path / "no", n_features=3)
    with pytest.raises(ValueError, match=r"a-1.svm, lines 1 to 1: X has 3 columns, where n_features=2"):
        pragam.pack(tmp_path / "a-1.svm", tmp_path / "no", n_features=2)
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("save", [sparse.save_npz, lambda path, X: sparse.save_npz(path, X, compressed=False)])
def test_npz(tmp_path, save):
    X, y = small(100)
    X.indices[:2] = X.indices[1::-1]  # not in order
    X.data[:2] = X.data[1::-1]
    arrays = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape, "format": b"csr", "y": y}
    (np.savez_compressed if save is sparse.save_npz else np.savez)(tmp_path / "rows.npz", **arrays)
    pragam.pack(tmp_path / "rows.npz", tmp_path / "set")
    pragam.pack([(X, y)], tmp_path / "blocks")
    assert rows_in(tmp_path / "set") == rows_in(tmp_path / "blocks")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f2", "f4", ">f8", "i2", "bool"])
def test_npy(tmp_path, order, dtype):
    rng = np.random.default_rng(0)
    X, y = np.asarray(rng.integers(0, 3, (50, 4)), dtype=dtype, order=order), rng.integers(0, 3, 50)
    np.save(tmp_path / "rows.npy", X)
    np.save(tmp_path / "rows.y.npy", y)
    packed = pragam.pack(tmp_path / "rows.npy", tmp_path / "set")
    pragam.pack([(X, y.astype(float))], tmp_path / "blocks")
    assert rows_in(tmp_path / "set") == rows_in(tmp_path / "blocks")
    assert packed.dtype == (np.float32 if dtype == "f4" else np.float64)


def test_pipes_and_open_files(tmp_path, text):
    whole = pragam.pack(text, tmp_path / "whole")
    with open(text, "rb") as file:
        assert pragam.pack(file, tmp_path / "open").fingerprint() == whole.fingerprint()
    assert pragam.pack(io.BytesIO(text.read_bytes()), tmp_path / "bytes").fingerprint() == whole.fingerprint()
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "fifo")
        writer = threading.Thread(target=lambda: (tmp_path / "fifo").write_bytes(text.read_bytes()))
        writer.start()
        assert pragam.pack(tmp_path / "fifo", tmp_path / "piped").fingerprint() == whole.fingerprint()
        writer.join()


BAD = {
    "absent.svm": "absent.svm",
    "empty.svm": "empty.svm: no samples",
    "letters.svm": "letters.svm, line 2: value 'x' is not a finite number",
    "cut.gz": "cut.gz: cannot decompress: the data end early",
    "cut.npz": "cut.npz: ",
    "short.npy": "short.npy: the file does not have the size it states",
    "nan.npy": r"nan.npy: X contains NaN or infinity \(first found in row 1\)",
    "unlabelled.npy": "unlabelled.npy: there are no labels; put them into .*unlabelled.y.npy",
    "none-*.svm": r"none-\*.svm: no file has such a name",
    ".": "is a folder: name its files, as in",
    "table.csv": "table.csv, line 1: label .* is not a finite number; it looks like a table",
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_one_line_and_leave_nothing(tmp_path, name):
    X, y = small(20)
    (tmp_path / "empty.svm").touch()
    (tmp_path / "letters.svm").write_text("1 1:1\n1 2:x\n")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"1 1:1\n" * 1000)[:-20])
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    sparse.save_npz(tmp_path / "cut.npz", X)
    (tmp_path / "cut.npz").write_bytes((tmp_path / "cut.npz").read_bytes()[:-30])
    np.save(tmp_path / "short.npy", X.toarray())
    (tmp_path / "short.npy").write_bytes((tmp_path / "short.npy").read_bytes()[:-8])
    np.save(tmp_path / "nan.npy", [[0.0], [np.nan]])
    np.save(tmp_path / "nan.y.npy", [0, 1])
    np.save(tmp_path / "unlabelled.npy", X.toarray())
    save_svmlight(tmp_path / "good.svm", X, y)
    with pytest.raises((ValueError, FileNotFoundError), match=BAD[name]) as caught:
        pragam.pack(tmp_path / name, tmp_path / "set")
    assert "\n" not in str(caught.value) and not (tmp_path / "set").exists()
    if name.endswith(("svm", "gz")):
        with pytest.raises((ValueError, FileNotFoundError), match=BAD[name]):
            pragam.pack([tmp_path / "good.svm", tmp_path / name], tmp_path / "set")
        assert not (tmp_path / "set").exists()


def test_files_of_one_format_each_once(tmp_path, text):
    X, _ = small(5)
    np.save(tmp_path / "a.npy", X.toarray())
    np.save(tmp_path / "a.y.npy", np.ones(5))
    with pytest.raises(ValueError, match=r"a\.npy: is a matrix of NumPy, and the files before are svmlight text"):
        pragam.pack([text, tmp_path / "a.npy"], tmp_path / "set")
    with pytest.raises(ValueError, match=r"rows\.svm: is named twice"):
        pragam.pack([text, tmp_path / "." / "rows.svm"], tmp_path / "set")
    for more, said in (({"zero_based": 1}, "zero_based must be"), ({"drop": ["a"]}, "drop is for tables")):
        with pytest.raises(ValueError, match=said):
            pragam.pack(text, tmp_path / "set", **more)
    with pytest.raises(ValueError, match="are for files, and these are blocks"):
        pragam.pack([(X, np.ones(5))], tmp_path / "set", target="a")
    assert not (tmp_path / "set").exists()
