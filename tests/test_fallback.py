"""Without the compiled kernels: the same answers from the NumPy twins, after one warning."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from pragam import _kernels

PROGRAM = """
import json, warnings
import numpy as np
from scipy import sparse

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import pragam

    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 5))
    y = np.where(X[:, 0] + rng.standard_normal(30) > 0, 1, -1)
    pragam.LinearSVC().fit(X, y)
    certificates = []
    for data in (X, sparse.csr_array(X * (np.abs(X) > 1))):
        for bias in (False, True):
            for solver, max_iter in (("dcd", None), ("pragam", 50), ("pegasos-1", 5)):
                problem = pragam.hinge(data, y, lam=1e-2, bias=bias)
                if bias and solver == "pegasos-1":
                    continue
                c = pragam.solve(problem, solver, tol=1e-10, max_iter=max_iter).certificate
                certificates.append((c.primal, c.dual))
    ours = [w for w in caught if issubclass(w.category, RuntimeWarning) and "kernels" in str(w.message)]
files = [w.filename for w in ours]
print(json.dumps({"certificates": certificates, "warnings": files, "compiled": pragam._kernels.compiled}))
"""


def run(kernels):
    environment = {k: v for k, v in os.environ.items() if k != "PRAGAM_KERNELS"} | kernels
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_twins_solve_alone_and_say_so_once():
    answer = run({"PRAGAM_KERNELS": "numpy"})
    assert not answer["compiled"] and answer["warnings"] == ["<string>"]  # the program's own line, not one of ours


@pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built")
def test_the_twins_give_the_certificates_of_the_compiled_kernels():
    compiled, twins = run({}), run({"PRAGAM_KERNELS": "numpy"})
    assert compiled["compiled"] and compiled["warnings"] == []
    assert len(compiled["certificates"]) == 10
    for ours, theirs in zip(compiled["certificates"], twins["certificates"], strict=True):
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-12)
