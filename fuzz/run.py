"""Fuzz every parser against a slow reference.

    python fuzz/run.py [--seconds 60 | --runs 1000000] [--seed N] [--targets svmlight npy npz model liblinear]

Each run mutates a good file, or joins pieces that files are made of, and reads it. Wrong are: an exception other than a
ValueError of one line, arrays other than the reference's, a run of more than ten seconds, and more than 200 MB; for
svmlight text also a file that only one of the two refuses. The seed and the run are printed, and the file is kept.
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import references
from scipy import sparse

from pragam import Certificate, Status, datasets, models
from pragam.files import svmlight
from pragam.risks import Hinge, OneVsRest

WORDS = [
    b"1", b"-1", b"+1", b"0", b":", b" ", b"\n", b"\r\n", b"\r", b"#", b"\0", b"qid:3", b"qid:", b"1:1", b"2:0.5",
    b"3:-1e-3", b"0:1", b"7:1e400", b"5:0x1", b"4294967296:1", b"9223372036854775806:1", b"9" * 30, b"1_0", b"nan",
    b"inf", b".", b"\t", b"\xff", b"\xef\xbb\xbf", b"1:", b"5:1234567890123456789012e-5",
]  # fmt: skip
HEADERS = [
    b"'shape': (",
    b"'<f8'",
    b"'|O'",
    b"True",
    b"(",
    b")",
    b"-1",
    b"10000000000000000000000",
    b"0",
    b"'",
    b",",
    b"{",
]
JSON = [b"1e999", b"NaN", b"-1", b"null", b"[]", b"{}", b'"', b"1" + b"0" * 400, b"true", b"2", b"\\ud800", b"[[[["]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--runs", type=int, help="runs of each target, instead of a time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--targets", nargs="+", choices=list(TARGETS), default=list(TARGETS))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _hang)
    begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for name in args.targets:
        done = _fuzz(name, args.seed, args.runs, args.seconds / len(args.targets))
        print(f"{name}: {done} runs, nothing wrong", flush=True)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - begin) / 1024
    print(f"memory grew by {grown:.0f} MB")
    return 0 if grown < 200 else 1


def _hang(number: int, frame: Any) -> None:
    raise TimeoutError("more than ten seconds")


def _fuzz(name: str, seed: int, runs: int | None, seconds: float) -> int:
    good, words, check = TARGETS[name]
    seeds = good()
    end = time.monotonic() + seconds
    for run in itertools.count():
        if run == runs or (runs is None and time.monotonic() > end):
            return run
        rng = random.Random(f"{name} {seed} {run}")
        content = _mutated(rng, rng.choice(seeds), words)
        signal.alarm(10)
        try:
            check(content, rng)
        except BaseException:
            kept = Path(tempfile.gettempdir()) / f"fuzz-{name}-{seed}-{run}"
            kept.write_bytes(content)
            print(f"{name}, seed {seed}, run {run}: kept as {kept}", file=sys.stderr)
            raise
        finally:
            signal.alarm(0)
    raise AssertionError


def _mutated(rng: random.Random, content: bytes, words: list[bytes]) -> bytes:
    """Some bytes changed, words put in, pieces removed, doubled or moved."""
    if rng.random() < 0.2:
        return b"".join(rng.choice([b" ", b"", b"\n"]) + rng.choice(words) for _ in range(rng.randrange(30)))
    data = bytearray(content)
    for _ in range(rng.randrange(4)):
        at, to = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        kind = rng.randrange(5)
        if kind == 0 and at < len(data):
            data[at] = rng.randrange(256)
        elif kind == 1:
            data[at:at] = rng.choice(words)
        elif kind == 2:
            del data[at : min(to, at + 8)]
        elif kind == 3:
            data[at:at] = data[at : min(to, at + 20)]
        elif rng.random() < 0.3:
            del data[at:]
    return bytes(data)


def _outcome(read: Callable[[], Any]) -> Any:
    """What was read, or None if it was refused in one line."""
    try:
        return read()
    except ValueError as error:
        assert "\n" not in str(error) or isinstance(error, UnicodeError), str(error)
        return None


class Dribble(io.RawIOBase):
    """A stream that gives a few bytes at a time, as a pipe may."""

    def __init__(self, content: bytes, rng: random.Random) -> None:
        self._rest, self._rng = content, rng

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._rest[: min(len(buffer), self._rng.randrange(1, 40))]
        buffer[: len(piece)] = piece
        self._rest = self._rest[len(piece) :]
        return len(piece)


def _check_svmlight(content: bytes, rng: random.Random) -> None:
    svmlight._BLOCK = rng.choice([1, 3, 17, 1 << 20])
    if content[:2] == b"\x1f\x8b" or content[:3] == b"BZh" or content[:6] == b"\xfd7zXZ\0":
        _outcome(lambda: datasets.load_svmlight(Dribble(content, rng)))
        return
    found = _outcome(lambda: datasets.load_svmlight(Dribble(content, rng)))
    expected = _outcome(lambda: references.svmlight(content))
    assert (found is None) == (expected is None), (found, expected)
    if found is None or expected is None:
        return
    X, y = found
    labels, rows, d = expected
    assert X.shape == (len(labels), d) and y.tobytes() == np.array(labels).tobytes()
    assert np.diff(X.indptr).tolist() == [len(row) for row in rows]
    assert X.indices.tolist() == [j for row in rows for j, _ in row]
    assert X.data.tobytes() == np.array([v for row in rows for _, v in row], dtype=float).tobytes()


def _load(content: bytes, suffix: str) -> Any:
    path = Path(_FOLDER.name) / f"data{suffix}"
    path.write_bytes(content)
    return datasets.load(path)


def _check_npy(content: bytes, rng: random.Random) -> None:
    if content[:6] != b"\x93NUMPY":
        return
    found = _outcome(lambda: _load(content, ".npy"))
    if found is not None:
        expected = references.npy(content)
        assert np.array_equal(found[0], expected, equal_nan=True)


def _check_npz(content: bytes, rng: random.Random) -> None:
    if content[:4] not in (b"PK\3\4", b"PK\5\6"):
        return
    found = _outcome(lambda: _load(content, ".npz"))
    if found is not None:
        X, y = references.npz(content)
        assert X.shape == found[0].shape and np.array_equal(X.data, found[0].data, equal_nan=True)
        assert np.array_equal(X.indices, found[0].indices) and np.array_equal(X.indptr, found[0].indptr)
        assert (y is None) == (found[1] is None) and (y is None or np.array_equal(y, found[1]))


def _check_model(content: bytes, rng: random.Random) -> None:
    found = _outcome(lambda: models.load(Dribble(content, rng)))
    if found is not None:
        expected = references.model(content)
        for name in ("coef", "intercept"):
            assert found.tensors[name].tobytes() == expected[name].tobytes()
        record = expected["record"]
        assert found.labels.tolist() == record["labels" if "labels" in record else "classes"]
        assert found.fingerprint == record["fingerprint"]


def _check_liblinear(content: bytes, rng: random.Random) -> None:
    found = _outcome(lambda: models.load_liblinear(Dribble(content, rng)))
    if found is not None:
        labels, rows, intercepts = references.liblinear(content)
        coef, intercept = found.weights()
        assert found.labels.tolist() == labels
        assert coef.T.tobytes() == np.array(rows).reshape(-1, len(coef)).tobytes()
        assert np.array_equal(intercept, intercepts)


def _good_svmlight() -> list[bytes]:
    return [b"+1 1:0.5 3:1e-3 # c\n-1 qid:2 2:7\r\n\n0\n1.5 9:1 4:2\n", b"1 0:1 5:.5\n2\n", b"1 1:1"]


def _good_npy() -> list[bytes]:
    files = []
    for array in (np.arange(6.0).reshape(2, 3), np.ones((3, 2), np.float32, order="F"), np.ones((2, 2), np.int16)):
        stream = io.BytesIO()
        np.save(stream, array)
        files.append(stream.getvalue())
    return files


def _good_npz() -> list[bytes]:
    X = sparse.csr_array(np.array([[1.0, 0, 2], [0, 0, 3]]))
    files = []
    for save in (np.savez, np.savez_compressed):
        stream = io.BytesIO()
        save(stream, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=np.array([0, 1]))
        files.append(stream.getvalue())
    return files


def _good_models() -> list[bytes]:
    path = Path(_FOLDER.name) / "model"
    certificate = Certificate(1.0, 0.5, np.zeros(1), rigorous=True)
    proof = models.Proof(certificate, np.zeros(2), Status.CONVERGED)
    risk, fingerprint = OneVsRest(each=Hinge(lam=0.1)), {"n": 2, "d": 3}
    model = models.LinearModel.of_weights(
        risk, np.array([0, 1]), np.ones((1, 3)), np.zeros(1), proofs=(proof,), fingerprint=fingerprint
    )
    models.save(path, model)
    folder = Path(__file__).parents[1] / "tests/files/old"
    old = [file.read_bytes() for file in sorted(folder.glob("version*/two.model"))]
    return [path.read_bytes(), path.read_bytes().replace(json.dumps("rigorous").encode(), b'"rigid"'), *old]


def _good_liblinear() -> list[bytes]:
    """A file of each form: two classes, three, two in one problem, a regression, and one class."""
    two = b"solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias 1\nw\n1\n2.5\n3e-2\n4\n"
    three = two.replace(b"class 2", b"class 3").replace(b"1 -1", b"1 2 3").replace(b"bias 1", b"bias -1")
    three = three.replace(b"1\n2.5\n3e-2\n4\n", b"1 2 3\n4 5 6\n7 8 9\n")
    joint = three.replace(b"L2R_L1LOSS_SVC_DUAL", b"MCSVM_CS").replace(b"class 3", b"class 2")
    joint = joint.replace(b"1 2 3\n4 5 6\n7 8 9\n", b"1 -1\n4 -4\n7 -7\n").replace(b"label 1 2 3", b"label 1 2")
    numbers = two.replace(b"SVC", b"SVR").replace(b"label 1 -1\n", b"")
    one_class = numbers.replace(b"L2R_L1LOSS_SVR_DUAL", b"ONECLASS_SVM").replace(b"w\n", b"rho 0.5\nw\n")
    return [two, three, joint, numbers, one_class]


_FOLDER = tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
TARGETS: dict[str, tuple[Callable[[], list[bytes]], list[bytes], Callable[[bytes, random.Random], None]]] = {
    "svmlight": (_good_svmlight, WORDS, _check_svmlight),
    "npy": (_good_npy, HEADERS, _check_npy),
    "npz": (_good_npz, HEADERS, _check_npz),
    "model": (_good_models, JSON, _check_model),
    "liblinear": (_good_liblinear, WORDS, _check_liblinear),
}

if __name__ == "__main__":
    sys.exit(main())
