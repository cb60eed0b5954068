"""C chosen by tune, in Python and by the command. From docs/path.md."""

from __future__ import annotations

import json

import numpy as np

import pragam
from pragam import models
from printed import needs_bash, needs_docs, run_python, run_shell, taken

SCRIPT = """\
import numpy as np
import pragam

X, y = pragam.datasets.load_example()
lams = [2.0**-k for k in range(0, 13, 2)]
from pragam.selection import tune

found = tune(X, y, lams, share=0.2, seed=0)
C = 1 / (len(y) * found.best)
model = pragam.LinearSVC(C=C).fit(X, y)
"""
COMMANDS = """\
pragam tune --lams 2^-12..2^0 -o cancer.model --quiet      # the built-in example
pragam tune --share 0.3 --seed 1 --json --quiet > tuning.json
pragam certify cancer.model
"""


@needs_docs
def test_the_model_is_that_of_the_best_lam():
    names = run_python(taken(SCRIPT, "path.md"))
    found, model = names["found"], names["model"]
    assert found.best in names["lams"] and found.accuracy.max() == found.accuracy[found.lam == found.best].max()
    np.testing.assert_allclose(model.model_.risk.lam, found.best, rtol=1e-15)
    problem = pragam.hinge(names["X"], names["y"], lam=found.best)
    least = pragam.solve(problem, tol=1e-9).certificate
    assert least.dual <= model.certificate_.primal <= least.primal * (1 + model.tol)


@needs_docs
@needs_bash
def test_the_command_writes_the_model_of_the_best_lam(tmp_path):
    done = run_shell(taken(COMMANDS, "path.md"), tmp_path)
    assert done.returncode == 0, done.stderr
    best = next(line for line in done.stdout.splitlines() if line.endswith("best"))
    model = models.load(tmp_path / "cancer.model")
    assert f"{model.risk.lam:.4g}" == best.split()[0]
    record = json.loads((tmp_path / "tuning.json").read_text())
    accuracy = {point["lam"]: point["accuracy"] for point in record["points"]}
    assert accuracy[record["best_lam"]] == max(accuracy.values())
