"""Every benchmark script runs, on data so small that its numbers mean nothing: an interface may change unseen else."""

from __future__ import annotations

import lzma
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import pragam

SCRIPTS = Path(__file__).resolve().parents[1] / "benchmarks"

#: What makes each of them short.
COMMANDS = {
    "before_after": f"{sys.executable} {sys.executable} --pairs 1",
    "calibration": "a9a --repeats 1",
    "certificate_slack": "--sets a9a --tols 1e-2 --seeds 2",
    "certificate_sums": "--sets a9a --rows 200 --tols 1e-2 --blocks 3",
    "chain_memory": "--sequences 300",
    "chain_projection": "--words 2 --iterations 3 --alternating 1",
    "chains": "--tasks ocr1-mean --tols 1e-1 --repeats 1",
    "checkpoint": "a9a --tol 1e-2 --solvers dcd --repeats 1 --text 50",
    "choice": "--seeds 5 --tols 1e-1 --repeats 1 --cap 1",
    "cluster": "--rows 3000 --engine processes",
    "cost_model": "--short",
    "dcd_per_pass": "a9a --sweeps 3 --repeats 1",
    "doors": "iris --repeats 1",
    "gp_sequences": "--rows fold0 landmarks --words 8 --repeats 1 --tol 1e-1",
    "graphs": "--trees 5 --grids 2 --side 3 --sweeps 2 --signals 1 --solvers block-ascent",
    "growth": "--series 1/lambda --tol 1e-1 --repeats 1 --quick",
    "index_order": "--rows 300 --columns 200 --words 20 --tols 1e-1 --repeats 1",
    "interrupt": "--runs 2 --rows 2000 --columns 20 --classes 3 --within 0.2",
    "kernels": "--repeats 1",
    "labels_choice": "--seeds 2 3 --sets iris --tols 1e-1 --repeats 1 --cap 0.5",
    "leave_one_out": "--cases a9a:-8:1",
    "make_large": "FOLDER --size 0.01",
    "memory_limit": "--rows 3000 --columns 50 --times 0.1 --folder FOLDER",
    "memory_order": "--shapes 30x20 --tols 1e-1 --repeats 1",
    "ordinary": "--problems 10",
    "other_risks": "--size 0.02 --repeats 1 --cap 0.5",
    "out_of_core": "FOLDER small:1e-3 --share 0.3 --tols 1e-1 --repeat 1",
    "out_of_core_choice": "--seeds 17 --cap 2",
    "out_of_core_text": "FOLDER --size 0.001 --tols 1e-1 --shares 0.2 --repeats 1",
    "pack": "--megabytes 1 --repeats 1",
    "path": "a9a --tols 1e-1 --smallest 3 --repeats 1",
    "pragam_bound": "a9a --iterations 20",
    "projections": "1e3",
    "proven_predictions": "a9a german --tols 1e-2",
    "proven_range": "german --eps 0.2 --classic --limit 2",
    "risks_versus_peers": "--rows svr-free-bias squared-hinge ordinal estimators --only a9a generated iris --size 0.01 "
    "--tols 1e-1 --repeats 1 --cap 1",
    "screening": "a9a --values 3 --repeats 1",
    "selection_truth": "noisy --lams 3 --rows 2 --seeds 0",
    "sequence_validation": "--labellers sum mean",
    "small_sets": "iris --repeats 1 --estimators LinearSVC",
    "start_up": "--repeats 1",
    "svmlight": "--megabytes 0.1 --repeats 1",
    "targets": "a9a --max-seconds 20",
    "text_on_blocks": "a9a --groups 2 --c 0.01",
    "threads": "--sets a9a --tols 1e-2 --repeats 1",
    "traced": "a9a --iterations 20 --repeats 2",
    "unpenalised_bias": "--sets a9a --tols 1e-1 --repeats 1 --cap 5",
    "versus_peers": "--sets a9a --tols 1e-1 --peers liblinear --repeats 1 --cap 5",
    "worker_dies": "--rows 2000 --columns 5 --limit 20 --trainings pragam xgboost-linear",
}

pytestmark = pytest.mark.skipif(not SCRIPTS.is_dir(), reason="no checkout")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A data folder with an a9a of 300 rows."""
    rng = np.random.default_rng(0)
    lines = []
    for _ in range(300):
        columns = np.sort(rng.choice(123, 14, replace=False)) + 1
        label = "+1" if rng.random() < (0.8 if columns[0] < 5 else 0.2) else "-1"
        lines.append(f"{label} " + " ".join(f"{j}:1" for j in columns))
    path = tmp_path_factory.mktemp("data")
    (path / "a9a").mkdir()
    (path / "a9a" / "a9a.xz").write_bytes(lzma.compress("\n".join(lines).encode() + b"\n"))
    return path


def pack_small(folder):
    """Sparse rows of two classes."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 8)) * (rng.random((3000, 8)) < 0.5)
    pragam.pack(
        [(sparse.csr_array(X), np.where(X[:, 0] > rng.standard_normal(3000), 1, -1))], folder, chunk_bytes=10_000
    )


def test_each_script_has_a_command():
    assert set(COMMANDS) == {path.stem for path in SCRIPTS.glob("*.py") if not path.stem.startswith("_")}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_script_runs_and_prints(name, folder, tmp_path):
    if name in {"risks_versus_peers", "unpenalised_bias", "versus_peers"} and not sys.platform.startswith("linux"):
        pytest.skip("the races watch their processes through /proc")
    if name in {"cost_model", "worker_dies"}:
        pytest.importorskip("distributed")
    command = [sys.executable, str(SCRIPTS / f"{name}.py"), *COMMANDS[name].replace("FOLDER", str(tmp_path)).split()]
    environment = {**os.environ, "PRAGAM_DATA": str(folder)}
    if name == "out_of_core":  # the sets of make_large are made from real ones
        pack_small(tmp_path / "small")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    if name in {"doors", "small_sets"} and "Traceback" not in done.stderr:
        assert done.returncode in (0, 1)  # 1: a time missed its target, as it may on a busy machine
    else:
        assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


WITHOUT = (
    "certificate_slack.py --sets a9a mnist-odd-even --tols 1e-2 --seeds 2",
    "choice.py --sets a9a",
    "dcd_per_pass.py",
    "pragam_bound.py",
    "risks_versus_peers.py --rows squared-hinge text --only a9a",
    "screening.py",
    "start_up.py --repeats 1",
    "svmlight.py --megabytes 0.1 --repeats 1",
    "targets.py",
    "threads.py --sets a9a",
    "traced.py a9a",
    "unpenalised_bias.py --full",
    "versus_peers.py --sets a9a w8a mnist-odd-even",
)


@pytest.mark.parametrize("command", WITHOUT)
def test_without_the_data_sets_a_printed_command_says_what_is_missing(command, tmp_path):
    done = subprocess.run(
        [sys.executable, *(str(SCRIPTS / word) if word.endswith(".py") else word for word in command.split())],
        env={**os.environ, "PRAGAM_DATA": str(tmp_path)}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    nothing = command.startswith("versus_peers")  # a comparison of which nothing was measured is none
    assert done.returncode == int(nothing) and "Traceback" not in done.stderr
    missing = "skipped: no a9a" if command.startswith("svmlight") else "skipped: a9a: no a9a/a9a.xz in"
    assert missing in done.stderr
    assert all("set PRAGAM_DATA" in line for line in done.stderr.splitlines() if line.startswith("skipped"))
