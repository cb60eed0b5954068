"""A packed directory that is damaged or forged: a line that names the file, before a kernel sees a number."""

from __future__ import annotations

import json
import os
import shutil

import numpy as np
import pytest
from packed_data import small

import pragam
from pragam.cli import main


@pytest.fixture
def packed(tmp_path):
    X, y = small(200)
    return pragam.pack([(X, y, np.ones(200))], tmp_path / "set", chunk_bytes=2000)


def read_all(folder):
    """What a training reads."""
    packed = pragam.open_packed(folder)
    assert packed.y is not None and packed.weights is not None
    assert len(packed.known_squares) == len(packed) and packed.columns.mean.size and packed.weighted_columns
    for chunk in packed:
        chunk.matvec(np.ones(packed.shape[1]))


@pytest.mark.parametrize("name", ["data", "indices", "indptr", "norms2", "y", "weight", "columns"])
@pytest.mark.parametrize("place", [0, 70, -1])
def test_a_changed_bit_is_found_and_named(packed, name, place, capsys):
    read_all(packed.path)
    path = packed.path / ("columns.npy" if name == "columns" else f"chunks/000002.{name}.npy")
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"{path.name}: is damaged: its SHA-256 is not the manifest's; copy or pack"):
        read_all(packed.path)
    command = ["train", str(packed.path), "--lam", "0.1", *(["--standardize"] if name == "columns" else [])]
    assert main([*command, "--quiet"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and path.name in err


@pytest.mark.parametrize("change", ["cut", "longer", "gone", "link", "folder", "fifo"])
def test_a_file_of_another_size_or_kind_is_not_opened(packed, tmp_path, change):
    path = packed.path / "chunks" / "000001.indices.npy"
    content = path.read_bytes()
    path.unlink()
    if change in ("cut", "longer"):
        path.write_bytes(content[:-1] if change == "cut" else content + b"x")
    elif change == "link":
        (tmp_path / "elsewhere").write_bytes(content)
        path.symlink_to(tmp_path / "elsewhere")
    elif change == "folder":
        path.mkdir()
    elif change == "fifo":
        os.mkfifo(path)
    with pytest.raises((ValueError, FileNotFoundError), match=r"000001\.indices\.npy"):
        pragam.open_packed(packed.path)


def test_chunks_elsewhere_are_not_opened(packed, tmp_path):
    shutil.move(packed.path / "chunks", tmp_path / "elsewhere")
    (packed.path / "chunks").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="chunks: is a link"):
        pragam.open_packed(packed.path)


def forged(packed, change):
    path = packed.path / "manifest.json"
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))
    with pytest.raises(ValueError, match=r"manifest\.json: not a usable manifest: ") as caught:
        pragam.open_packed(packed.path)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 500
    return str(caught.value)


def test_a_newer_version_says_what_to_do(packed):
    said = forged(packed, lambda record: record.update(version=3))
    assert said.endswith("version 3 of the format, which is newer than this pragam: update pragam")


def rename(record):
    files = record["chunks"][0]["files"]
    files["../../../etc/passwd"] = files.pop("data")


def chunk(**fields):
    return lambda record: record["chunks"][1].update(fields)


def file(**fields):
    return lambda record: record["chunks"][1]["files"]["data"].update(fields)


FORGED = {
    "no format": lambda record: record.pop("format"),
    "another format": lambda record: record.update(format="zip"),
    "version 0": lambda record: record.update(version=0),
    "version true": lambda record: record.update(version=True),
    "no chunks": lambda record: record.update(chunks=[], n=0, stored=0),
    "d negative": lambda record: record.update(d=-1),
    "d huge": lambda record: record.update(d=2**64),
    "d larger": lambda record: record.update(d=record["d"] + 1),
    "n other": lambda record: record.update(n=record["n"] + 1),
    "stored other": lambda record: record.update(stored=2**70),
    "kind": lambda record: record.update(kind="coo"),
    "dense": lambda record: record.update(kind="dense", index_dtype=""),
    "dtype": lambda record: record.update(dtype="|O"),
    "y dtype": lambda record: record.update(y_dtype="|O8"),
    "y dtype odd": lambda record: record.update(y_dtype="<f3"),
    "index dtype": lambda record: record.update(index_dtype="<i2"),
    "weights": lambda record: record.update(weights=False),
    "rows 0": chunk(rows=0),
    "rows 2^62": chunk(rows=2**62),
    "entries negative": chunk(stored=-1),
    "longest": chunk(longest=10**400),
    "longest negative": chunk(longest=-1),
    "a name": rename,
    "a path": lambda record: record["chunks"][1]["files"].update({"/etc/passwd": {"bytes": 1, "sha256": "0" * 64}}),
    "file gone": lambda record: record["chunks"][1]["files"].pop("y"),
    "bytes": file(bytes=2**63),
    "bytes negative": file(bytes=-64),
    "sum": file(sha256="x" * 64),
    "sum short": file(sha256="ab"),
    "sum number": file(sha256=5),
    "a source": lambda record: record.update(sources=["rows.svm"]),
    "zero based": lambda record: record["sources"][0].update(zero_based=1),
    "columns": lambda record: record["columns"].update(bytes=2**62),
    "a list": lambda record: record.update(chunks=[[]]),
    "files a list": chunk(files=[]),
}


@pytest.mark.parametrize("what", FORGED)
def test_a_forged_manifest_is_refused(packed, what):
    forged(packed, FORGED[what])


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, '{"format": NaN}', "\xff"])
def test_what_is_no_manifest_is_refused(packed, text):
    (packed.path / "manifest.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=r"manifest\.json: not a usable manifest: "):
        pragam.open_packed(packed.path)


def resummed(packed, name, array):
    """Another array in a chunk, and the manifest tells its sum: a forger can count, too."""
    from pragam.packed.layout import chunk_path, write

    path = packed.path / "manifest.json"
    record = json.loads(path.read_text())
    record["chunks"][0]["files"][name] = write(chunk_path(packed.path, 0, name), array)._asdict()
    path.write_text(json.dumps(record))


def of(packed, name):
    return np.load(packed.path / "chunks" / f"000000.{name}.npy")


#: What is done to an array, and to which.
LIES = {
    "index": "indices", "negative index": "indices", "repeated": "indices", "indptr": "indptr", "nan": "data",
    "norms": "norms2", "longest": "data", "y": "y", "weight": "weight",
}  # fmt: skip


@pytest.mark.parametrize("what", LIES)
def test_arrays_that_lie_are_refused_though_their_sums_are_right(packed, what):
    """Kernels see no index out of bounds, and certificates no size that is not true."""
    array = of(packed, LIES[what]).copy()
    if what == "longest":
        path = packed.path / "manifest.json"
        path.write_text(path.read_text().replace('"longest": ', '"longest": 1, "other": '))
    else:
        assert int(of(packed, "indptr")[1]) >= 2
        array[1] = {"index": 9, "negative index": -1, "indptr": -5, "repeated": array[0]}.get(what, np.nan)
        if what == "norms":
            array[1] = of(packed, "norms2")[1] / 2
        resummed(packed, LIES[what], array)
    with pytest.raises(ValueError, match=r"0000..\.[a-z0-9]+\.npy: is damaged: "):
        read_all(packed.path)
