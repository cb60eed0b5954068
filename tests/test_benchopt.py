"""The benchopt folder: benchopt's own tests pass, and every solver solves the problem that the objective judges."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pragam

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks" / "benchopt"
benchopt = pytest.importorskip("benchopt.benchmark", reason="benchopt is not installed")
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="no checkout")


def test_benchopt_accepts_the_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-m", "benchopt", "test", str(FOLDER), "--skip-install", "-q"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize("C", [0.001, 1.0])
def test_every_solver_minimises_the_objective_with_its_c(C):
    """A solver that forgot C would be far from the optimum of one of the two."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4)) / 2
    y = np.where(X @ [1.0, -1.0, 0.5, 0.0] + rng.standard_normal(60) > 0, 1.0, -1.0)
    benchmark = benchopt.Benchmark(FOLDER)
    objective = benchmark.get_benchmark_objective().get_instance(C=C)
    objective.set_data(X, y)
    tried = set()
    for solver_class in benchmark.get_solvers():
        if not solver_class.is_installed() or solver_class.name == "skglm":  # which compiles for many seconds
            continue
        is_ours = solver_class.name == "pragam"
        for parameters in [{"algorithm": "auto"}, {"algorithm": "pragam"}] if is_ours else [{}]:
            solver = solver_class.get_instance(**parameters)
            solver.set_objective(**objective.get_objective())
            solver.run(_calls(300) if is_ours else 5000)
            assert objective.evaluate_result(**solver.get_result())["relative_gap"] < 1e-3, solver
        tried.add(solver_class.name)
    assert {"pragam", "liblinear"} <= tried


def _calls(n):
    """A callback that asks to go on n times."""
    left = iter(range(n))
    return lambda: next(left, None) is not None


def test_the_gap_is_that_of_certify():
    X, y = pragam.datasets.load_example()
    objective = benchopt.Benchmark(FOLDER).get_benchmark_objective().get_instance(C=1.0)
    objective.set_data(X, y)
    at_zero = objective.evaluate_result(np.zeros(X.shape[1]))
    assert at_zero["value"] == pytest.approx(1.0, rel=1e-12) and 0 < at_zero["gap"] < 1
    assert objective.evaluate_result(**objective.get_one_result())["relative_gap"] < 1e-6
