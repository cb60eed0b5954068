"""A comparison that is killed, at any moment and as often as you like, ends as an undisturbed one does.

``PRAGAM_KILLS=20 pytest tests/compare/test_killed.py`` kills it twenty times.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pytest

from pragam.compare import load
from pragam.compare.journal import NAME, read
from pragam.datasets import save_svmlight

KILLS = int(os.environ.get("PRAGAM_KILLS", "3"))
SOLVERS = ("pegasos-1", "liblinear")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((300, 6))
    path = tmp_path_factory.mktemp("data") / "made.svm"
    save_svmlight(path, X, np.where(X[:, 0] + rng.standard_normal(300) > 0, 1, -1))
    return str(path)


def command(data, folder, *more):
    options = ["--seconds", "60", "--repeats", "2", "--max-iter", "15", "--no-page", "-o", str(folder), *more]
    return [sys.executable, "-m", "pragam", "compare", data, "--solvers", *SOLVERS, *options]


def begun(data, folder):
    return subprocess.Popen(command(data, folder), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finished(data, folder):
    with begun(data, folder) as process:
        complaints = process.stderr.read()
    assert process.returncode == 0, complaints


def records(folder):
    path = folder / NAME
    return read(path) if path.exists() else []


def columns(run):
    """All of a run but its seconds."""
    return [run.iteration, run.primal, run.iterate, run.gap, run.accuracy, run.support]


def test_killed_at_random_moments_it_goes_on_to_the_same_points(data, tmp_path):
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    begin = time.monotonic()
    finished(data, whole)
    lasts = time.monotonic() - begin
    rng = np.random.default_rng(int.from_bytes(os.urandom(4), "little"))
    before = []
    for _ in range(KILLS):
        with begun(data, torn) as process:
            time.sleep(rng.uniform(0.1, 0.7) * lasts)
            process.send_signal(signal.SIGKILL)
        after = records(torn)
        assert after[: len(before)] == before
        before = after
    finished(data, torn)
    assert records(torn)[: len(before)] == before
    assert max(Counter(map(identity, records(torn))).values()) == 1  # nothing was measured twice
    expected, found = load(whole), load(torn)
    assert found.references.keys() == expected.references.keys() and len(found.runs) == len(SOLVERS)
    for one, other in zip(expected.runs, found.runs, strict=True):
        assert one.seconds.shape == other.seconds.shape and one.status == other.status
        for column, same in zip(columns(one), columns(other), strict=True):
            np.testing.assert_array_equal(column, same)
    assert not (torn / "data").exists()


def identity(record):
    return tuple(record.get(key) for key in ("type", "data", "problem", "solver", "repeat", "limit"))


def test_ctrl_c_writes_what_there_is_and_ends_the_worker(data, tmp_path):
    folder = tmp_path / "out"
    with begun(data, folder) as process:
        while not any(record["type"] == "traced" for record in records(folder)):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        complaints = process.stderr.read()
    assert process.returncode == 130 and "aborted" in complaints and "Traceback" not in complaints
    assert (folder / "points.csv").exists() and not (folder / "data").exists()
    assert any(run.has_points for run in load(folder).runs)
