"""Data files for the tests of the command line, and a way to run it in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pragam
from pragam.datasets import save_svmlight

needs_signals = pytest.mark.skipif(os.name == "nt", reason="POSIX signals")


def make_data(path: Path, n_classes: int = 2, n: int = 60, d: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Write overlapping Gaussian classes as svmlight text; the last column is never zero."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes).astype(float)
    X = rng.standard_normal((n, d)) + rng.standard_normal((n_classes, d))[y.astype(int)]
    save_svmlight(path, X, y)
    return X, y


def is_refused(capsys: Any, *argv: str) -> bool:
    """Whether ``pragam ARGV`` ends with status 2 and one line on the standard error."""
    from pragam.cli import main

    try:
        status = main(list(argv))
    except SystemExit as error:  # argparse
        status = error.code
    captured = capsys.readouterr()
    return status == 2 and captured.err.count("\n") == 1 and not captured.out


def start(*argv: object, before: str = "", **streams: Any) -> subprocess.Popen[str]:
    """``pragam ARGV`` in a new process, after the Python statements ``before``. Its outputs are pipes."""
    code = f"import sys\nfrom pragam.cli import main\n{before}\nsys.exit(main(sys.argv[1:]))"
    source = str(Path(pragam.__file__).parents[1])
    path = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, argv)],
        text=True, env={**os.environ, "PYTHONPATH": path},
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams},
    )  # fmt: skip
