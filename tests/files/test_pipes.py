"""What comes through a pipe, a FIFO or a file object is what the file holds, to the last bit."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import threading

import numpy as np
import pytest
from scipy import sparse

from pragam.datasets import load, load_svmlight

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")

PACKED = {"plain": bytes, "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
ROWS = 30_000
TEXT = "".join(
    f"{'+1' if i % 3 else '-1'} {i % 7 + 1}:{i / 7!r} {9 + i % 5}:{-i} # {i}\n" for i in range(ROWS)
).encode()


class Feed(threading.Thread):
    """Writes some bytes into a file descriptor, in pieces of the given sizes and then the rest."""

    def __init__(self, descriptor: int, content: bytes, pieces: tuple[int, ...] = ()) -> None:
        super().__init__()
        self.descriptor, self.content, self.pieces = descriptor, content, pieces
        self.start()

    def run(self) -> None:
        with os.fdopen(self.descriptor, "wb", buffering=0) as pipe:
            left = memoryview(self.content)
            for size in self.pieces:
                pipe.write(left[:size])
                left = left[size:]
            while left:
                left = left[pipe.write(left) :]


def through_pipe(content: bytes, pieces: tuple[int, ...] = (), read=load):
    """What ``read`` makes of a pipe's name, as the shell gives it for <(...)."""
    out, into = os.pipe()
    feed = Feed(into, content, pieces)
    try:
        return read(f"/dev/fd/{out}")
    finally:
        os.close(out)
        feed.join()


def assert_same(a, b):
    for name in ("data", "indices", "indptr"):
        x, y = getattr(a[0], name), getattr(b[0], name)
        assert x.dtype == y.dtype and x.tobytes() == y.tobytes()
    assert a[0].shape == b[0].shape and a[1].tobytes() == b[1].tobytes()


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "a.svm"
    path.write_bytes(TEXT)
    X, y = load(path)
    assert X.shape == (ROWS, 13)
    return X, y


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("pieces", [(), (1, 1, 1, 1, 1, 1, 1), (3, 40_000, 1)])
def test_svmlight_through_a_pipe(kind, pieces, expected):
    assert_same(through_pipe(PACKED[kind](TEXT), pieces), expected)


@pytest.mark.parametrize("kind", PACKED)
def test_svmlight_through_a_fifo(kind, expected, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    writer = threading.Thread(target=lambda: (tmp_path / "fifo").write_bytes(PACKED[kind](TEXT)))
    writer.start()
    assert_same(load(tmp_path / "fifo"), expected)
    writer.join()


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("buffering", [0, -1])
def test_svmlight_from_a_file_object(kind, buffering, expected):
    out, into = os.pipe()
    feed = Feed(into, PACKED[kind](TEXT), (1, 2))
    with open(out, "rb", buffering=buffering) as stream:
        assert_same(load_svmlight(stream), expected)
        assert not stream.closed
    feed.join()


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
def test_streams_one_after_the_other(kind, expected):
    half = TEXT.index(b"\n", len(TEXT) // 2) + 10
    parts = [PACKED[kind](TEXT[:half]), PACKED[kind](TEXT[half:])]
    assert_same(through_pipe(b"".join(parts)), expected)
    assert_same(through_pipe(b"\0\0\0\0".join(parts) + b"\0" * 8), expected)


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
@pytest.mark.parametrize("tail", [b"1 1:1\n", b"\0junk", b"\x1f\x8b"])
def test_what_follows_a_compressed_stream_is_not_lost_in_silence(kind, tail):
    with pytest.raises(ValueError, match="cannot decompress"):
        load(io.BytesIO(PACKED[kind](TEXT) + tail))


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
def test_a_cut_stream_is_refused(kind):
    packed = PACKED[kind](TEXT)
    for stop in (8, len(packed) // 2, len(packed) - 1):
        with pytest.raises(ValueError, match="cannot decompress"):
            through_pipe(packed[:stop])


@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("pieces", [(), (1, 1, 1)])
def test_npz_through_a_pipe(write, pieces):
    X = sparse.random_array((500, 40), density=0.2, rng=np.random.default_rng(0), format="csr")
    y = np.arange(500.0) % 2
    file = io.BytesIO()
    write(file, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y)
    assert_same(through_pipe(file.getvalue(), pieces), (X, y))
    assert_same(load(io.BytesIO(file.getvalue())), (X, y))


def test_npy_through_a_pipe_is_refused_in_one_line():
    file = io.BytesIO()
    np.save(file, np.ones((3, 2)))
    with pytest.raises(ValueError, match=r"^/dev/fd/\d+: an \.npy matrix cannot come through a pipe: .*$"):
        through_pipe(file.getvalue())
