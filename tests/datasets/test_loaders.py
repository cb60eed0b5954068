"""The paper's nine data sets from a server: small files of their real formats, fetched, read and prepared."""

import bz2
import dataclasses
import gzip
import json
import os
import struct
import subprocess
import sys

import faulty_server as fault
import numpy as np
import pytest

try:
    import pty
except ImportError:  # not a Unix
    pty = None

from pragam import datasets
from pragam.datasets.catalogue import SETS
from pragam.datasets.record import Drawn

PAPER = ("adult9", "astro-ph", "aut-avn", "covertype", "news20", "real-sim", "reuters-c11", "reuters-ccat", "web8")
ROWS = 40
#: A document is in a topic if its number is a multiple of this.
TOPICS = {"CCAT": 2, "E21": 1, "C11": 4}


def text(seed, labels, empty=()):
    """svmlight text of columns 1 to 20, with some empty rows."""
    rng = np.random.default_rng(seed)
    lines = []
    for i, label in enumerate(labels):
        columns = [] if i in empty else np.sort(rng.choice(20, 3, replace=False)) + 1
        lines.append(" ".join([str(label), *(f"{j}:{rng.random():.6f}" for j in columns)]))
    return ("\n".join(lines) + "\n").encode()


def made(name, part):
    """The files of a part of a set, in the order of its pieces, and the number of rows."""
    n = ROWS if part == "train" else 10
    seed = PAPER.index(name) * 2 + (part == "test")
    if name.startswith("reuters"):
        documents = [1000 * (part == "test") + 3 * i for i in range(n)]
        topics = "".join(f"{topic} {d} 1\n" for d in documents for topic, each in TOPICS.items() if d % each == 0)
        vectors = text(seed, [f"{d} " for d in documents])  # two blanks behind the number, as published
        return [gzip.compress(vectors), gzip.compress(topics.encode() + b"C11 999999 1\n")]
    labels = ["+1" if i % 3 else "-1" for i in range(n)]
    if name == "covertype":
        labels = ["2" if i % 3 else "1" for i in range(n)]
    content = text(seed, labels, empty=(1, 5) if name == "web8" else ())
    return [bz2.compress(content) if name in {"covertype", "news20", "real-sim"} else content]


def served(name, server, monkeypatch):
    """Put a small set of the same kind on the server, and its record into the catalogue."""
    record = SETS[name]

    def pieces(part):
        chosen = []
        for piece, content in zip(getattr(record, part), made(name, part), strict=True):
            published = next((file for file in piece if file.url), piece[0])
            path = f"{part}/{published.path}"
            server.files[path] = content
            chosen.append((dataclasses.replace(published, path=path, sha256="", url=server.url(path)),))
        return tuple(chosen)

    drawn = isinstance(record.test, Drawn)
    n = 30 if drawn else ROWS - 2 * (name == "web8")
    test = Drawn(30, seed=0) if drawn else pieces("test")
    small = dataclasses.replace(record, n=n, train=pieces("train"), test=test)
    monkeypatch.setitem(SETS, name, small)
    return small


@pytest.mark.parametrize("name", PAPER)
def test_each_set_of_the_paper_is_fetched_and_read(name, server, monkeypatch, tmp_path, recwarn):
    monkeypatch.setenv("PRAGAM_CACHE", str(tmp_path))
    monkeypatch.delenv("PRAGAM_DATA", raising=False)
    small = served(name, server, monkeypatch)
    server.faults = [fault.breaks_after(50)]
    X, y = datasets.load_named(name)
    assert X.shape == (small.n, SETS[name].d) and set(y) == {-1.0, 1.0} and X.has_canonical_format
    assert (np.diff(X.indptr) == 3).all(), "web8 has lost its empty rows, and nobody else a row"
    split = datasets.load_split(name)
    assert (split.X != X).nnz == 0 and split.X_test.shape == (10, X.shape[1])
    assert ("seed 0" if isinstance(small.test, Drawn) else "the test set") in split.how
    requests = len(server.requests)
    datasets.fetch(name)
    assert len(server.requests) == requests, "what is in the cache is not fetched again"
    assert not recwarn.list


def test_topics_of_reuters(server, monkeypatch, tmp_path):
    monkeypatch.setenv("PRAGAM_CACHE", str(tmp_path))
    for topic in ("CCAT", "C11"):
        served(f"reuters-{topic.lower()}", server, monkeypatch)
        expected = np.where(3 * np.arange(ROWS) % TOPICS[topic] == 0, 1.0, -1.0)
        np.testing.assert_array_equal(datasets.load_named(f"reuters-{topic.lower()}")[1], expected)


def test_a_damaged_set_names_its_file(server, monkeypatch, tmp_path):
    monkeypatch.setenv("PRAGAM_CACHE", str(tmp_path))
    small = served("real-sim", server, monkeypatch)
    server.files[small.train[0][0].path] = server.files[small.train[0][0].path][:-20]
    with pytest.raises(ValueError, match=r"real-sim.bz2: cannot decompress"):
        datasets.load_named("real-sim")
    small = served("reuters-c11", server, monkeypatch)
    server.files[small.train[1][0].path] = b"C11 12\n"
    with pytest.raises(ValueError, match="TOPIC DOCUMENT 1"):
        datasets.load_named("reuters-c11")


def test_a_file_with_fewer_rows_than_its_split_needs_is_refused(server, monkeypatch, tmp_path):
    monkeypatch.setenv("PRAGAM_CACHE", str(tmp_path))
    small = served("real-sim", server, monkeypatch)
    monkeypatch.setitem(SETS, "real-sim", dataclasses.replace(small, test=Drawn(57_763, seed=0)))
    with pytest.raises(ValueError, match="real-sim: 57763 of the rows are for training, but there are 40 in all"):
        datasets.load_named("real-sim")


def test_digits(tmp_path, monkeypatch):
    monkeypatch.setenv("PRAGAM_CACHE", str(tmp_path / "cache"))
    pixels = np.random.default_rng(0).integers(0, 3, (5, 2, 2), dtype=np.uint8) * 100
    (tmp_path / "mnist").mkdir()
    images, labels = (tmp_path / "mnist" / f"train-{name}-ubyte.gz" for name in ("images-idx3", "labels-idx1"))
    images.write_bytes(gzip.compress(struct.pack(">HBB3I", 0, 8, 3, 5, 2, 2) + pixels.tobytes()))
    labels.write_bytes(gzip.compress(struct.pack(">HBBI", 0, 8, 1, 5) + bytes([3, 0, 4, 9, 7])))
    with pytest.warns(UserWarning, match="not the file on record"):
        X, y = datasets.load_named("mnist-odd-even", data_dir=tmp_path)
    np.testing.assert_array_equal(X.toarray(), pixels.reshape(5, 4) / 255.0)
    assert y.tolist() == [1, -1, -1, 1, 1]
    labels.write_bytes(gzip.compress(struct.pack(">HBBI", 0, 8, 1, 9) + bytes(5)))
    with (
        pytest.raises(ValueError, match=r"labels-idx1-ubyte\.gz: not an IDX file"),
        pytest.warns(UserWarning, match="not the file on record"),
    ):
        datasets.load_named("mnist-odd-even", data_dir=tmp_path)


def test_a_failed_download_is_one_line_that_says_what_to_do(server, monkeypatch, tmp_path):
    monkeypatch.setenv("PRAGAM_CACHE", str(tmp_path))
    monkeypatch.delenv("PRAGAM_DATA", raising=False)
    served("real-sim", server, monkeypatch)
    server.always = fault.answers(404)
    with pytest.raises(FileNotFoundError, match=f"answers 404.*put .* into {tmp_path}.*set PRAGAM_DATA") as failure:
        datasets.load_named("real-sim")
    assert "\n" not in str(failure.value)


def test_offline_never_touches_the_network(server, monkeypatch, tmp_path):
    monkeypatch.setenv("PRAGAM_CACHE", str(tmp_path))
    monkeypatch.setenv("PRAGAM_OFFLINE", "1")
    served("real-sim", server, monkeypatch)
    with pytest.raises(FileNotFoundError, match="PRAGAM_OFFLINE is set"):
        datasets.load_named("real-sim")
    assert not server.requests


COMMAND = """
import dataclasses, sys
from pragam.cli import main
from pragam.datasets.catalogue import SETS
from pragam.datasets.record import File
url, size, sha256 = sys.argv[1], int(sys.argv[2]), sys.argv[3]
SETS["real-sim"] = dataclasses.replace(SETS["real-sim"], train=((File("real-sim/x", size, sha256, url),),))
sys.exit(main(sys.argv[4:]))
"""


def command(server, sha256, *words, stderr=subprocess.PIPE):
    content = server.files["x"]
    call = [sys.executable, "-c", COMMAND, server.url("x"), str(len(content)), sha256, "datasets", "real-sim", *words]
    return subprocess.run(call, stdout=subprocess.PIPE, stderr=stderr, text=True, timeout=60)


def test_fetch_on_the_command_line(server, monkeypatch, tmp_path):
    monkeypatch.setenv("PRAGAM_CACHE", str(tmp_path))
    monkeypatch.delenv("PRAGAM_DATA", raising=False)
    server.files["x"] = content = bz2.compress(text(0, [1, 2]))
    done = command(server, "0" * 64, "--fetch")
    assert done.returncode == 2 and "sha256 of what came is" in done.stderr
    assert done.stderr.count("\n") == 1, "one line, and no progress in a pipe"
    if pty is None:
        done = command(server, "", "--fetch", "--json")
    else:
        screen, terminal = pty.openpty()
        done = command(server, "", "--fetch", "--json", stderr=terminal)
        assert b"real-sim/x" in os.read(screen, 1 << 16), "progress on a terminal"
        os.close(screen)
        os.close(terminal)
    assert done.returncode == 0
    record = json.loads(done.stdout)["datasets"][0]
    assert record["where"] == "cache" and record["files"][0]["found"] == str(tmp_path / "files" / "real-sim" / "x")
    assert (tmp_path / "files" / "real-sim" / "x").read_bytes() == content
