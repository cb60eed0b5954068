"""Ctrl-C, kill and broken pipes, with real signals to real processes.

Each process says when it has come to the point of interest, so that nothing depends on timing. It says so
with os.write, which a signal cannot cut in two.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading

import numpy as np
import pytest
from cli_data import make_data, needs_signals, start

from pragam.cli import main
from pragam.models import load

pytestmark = needs_signals

#: Announces every iteration of the solver.
ANNOUNCE_SOLVING = """
import os
from pragam.driver.progress import ProgressLine
ProgressLine.__call__ = lambda self, progress: os.write(1, b"solving\\n") < 0  # True would stop the solve
"""

#: Announces that the model's bytes are in the temporary file, and waits there.
WAIT_BEFORE_REPLACING = """
import os, time
os.fsync = lambda number: (os.write(1, b"writing\\n"), time.sleep(600))
"""

HOOKS = {"solving": ANNOUNCE_SOLVING, "writing": WAIT_BEFORE_REPLACING}

#: Slow on purpose: sublinear convergence, and a tolerance beyond reach.
HARD = ("--solver", "pegasos-1", "--no-bias", "--tol", "1e-13")


def _wait_for(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdout is not None
    watchdog = threading.Timer(60, process.kill)
    watchdog.start()
    try:
        if any(line.strip() == word for line in process.stdout):
            return
    finally:
        watchdog.cancel()
    raise AssertionError(f"the process ended before it said {word!r}: {process.communicate()[1]}")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_ctrl_c_keeps_the_model_and_its_gap(tmp_path, n_classes):
    path, file = tmp_path / "data.svm", tmp_path / "model"
    make_data(path, n_classes)
    process = start("train", path, "-o", file, *HARD, before=ANNOUNCE_SOLVING)
    _wait_for(process, "solving")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3, err
    assert "interrupted" in out and "Traceback" not in err
    model = load(file)
    assert [proof.status.name for proof in model.proofs] == ["INTERRUPTED"] * len(model.tensors["coef"])
    assert all(1e-13 < proof.certificate.relative_gap < np.inf for proof in model.proofs)
    assert main(["certify", str(file), str(path), "--tol", "2"]) == 0


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("times", [1, 4])
def test_sigterm_keeps_the_model_and_its_gap(tmp_path, n_classes, times):
    path, file = tmp_path / "data.svm", tmp_path / "model"
    make_data(path, n_classes)
    process = start("train", path, "-o", file, *HARD, before=ANNOUNCE_SOLVING)
    _wait_for(process, "solving")
    for _ in range(times):
        process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3, err
    assert "interrupted" in out and "Traceback" not in err
    assert [proof.status.name for proof in load(file).proofs] == ["INTERRUPTED"] * (1 if n_classes == 2 else 3)
    assert main(["certify", str(file), str(path), "--tol", "2"]) == 0


def test_sigterm_while_the_model_is_written_does_not_lose_it(tmp_path):
    make_data(tmp_path / "data.svm")
    hook = "import os, time\nos.fsync = lambda number: (os.write(1, b'writing\\n'), time.sleep(0.5))"
    process = start("train", tmp_path / "data.svm", "-o", tmp_path / "model", before=hook)
    _wait_for(process, "writing")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert load(tmp_path / "model").status.name == "CONVERGED"


def test_a_second_ctrl_c_aborts(tmp_path):
    make_data(tmp_path / "data.svm")
    hooks = ANNOUNCE_SOLVING + WAIT_BEFORE_REPLACING
    process = start("train", tmp_path / "data.svm", "-o", tmp_path / "model", *HARD, before=hooks)
    for word in ("solving", "writing"):
        _wait_for(process, word)
        process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "pragam: aborted" and "Traceback" not in err
    assert os.listdir(tmp_path) == ["data.svm"]


@pytest.mark.parametrize("old", [True, False])
@pytest.mark.parametrize("word", HOOKS)
def test_a_killed_process_leaves_no_partial_model(tmp_path, old, word):
    path, file = tmp_path / "data.svm", tmp_path / "model"
    make_data(path)
    if old:
        assert main(["train", str(path), "-o", str(file)]) == 0
        before = file.read_bytes()
    process = start("train", path, "-o", file, *(HARD if word == "solving" else ()), before=HOOKS[word])
    _wait_for(process, word)
    process.kill()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert file.read_bytes() == before if old else not file.exists()
    left = set(os.listdir(tmp_path)) - {"data.svm", "model"}
    assert len(left) == (word == "writing")  # nobody could remove the draft
    assert main(["train", str(path), "-o", str(file)]) == 0
    assert sorted(os.listdir(tmp_path)) == ["data.svm", "model"]
    load(file)


def test_ctrl_c_while_writing_leaves_nothing_behind(tmp_path):
    make_data(tmp_path / "data.svm")
    process = start("train", tmp_path / "data.svm", "-o", tmp_path / "model", before=WAIT_BEFORE_REPLACING)
    _wait_for(process, "writing")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert os.listdir(tmp_path) == ["data.svm"]


@pytest.mark.parametrize("command", ["predict", "certify", "train"])
def test_a_reader_that_leaves_is_no_error(tmp_path, command):
    path, file = tmp_path / "data.svm", tmp_path / "model"
    make_data(path)
    assert main(["train", str(path), "-o", str(file)]) == 0
    argv = ("train", path, "-o", file) if command == "train" else (command, file, path)
    process = start(*argv)
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=60)
    assert process.returncode == 141
    assert "Traceback" not in err and "BrokenPipe" not in err
    load(file)
