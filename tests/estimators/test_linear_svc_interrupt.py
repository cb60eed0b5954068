"""Ctrl-C during fit, with a real signal to a real process.

The process says when it is in the middle of a solve, so that nothing depends on timing.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import pragam

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX signals")

#: Fits for ever (the tolerance is beyond reach of a sublinear solver), announces each iteration, reports on the end.
FIT = """
import json, os, sys, warnings
import numpy as np
from pragam import LinearSVC
from pragam.driver.progress import ProgressLine

ProgressLine._show = lambda self, text: os.write(1, b"solving\\n")
n_classes, n_jobs = map(int, sys.argv[1:])
rng = np.random.default_rng(0)
X, y = rng.standard_normal((60, 5)), np.arange(60) % n_classes
model = LinearSVC(solver="pegasos-1", fit_intercept=False, tol=1e-13, n_jobs=n_jobs, verbose=1)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model.fit(X, y)
print(json.dumps({
    "status": [s.name for s in model.statuses_],
    "gaps": [c.relative_gap for c in model.certificates_],
    "warnings": [w.category.__name__ for w in caught],
    "text": str(caught[0].message) if caught else "",
    "finite": bool(np.isfinite(model.decision_function(X)).all()),
}))
"""


def interrupted(program: str, n_classes: int, n_jobs: int) -> str:
    source = str(Path(pragam.__file__).parents[1])
    path = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(n_classes), str(n_jobs)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    watchdog = threading.Timer(60, process.kill)
    watchdog.start()
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "solving\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        watchdog.cancel()
    assert process.returncode == 0, err
    return out


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_ctrl_c_keeps_a_certified_model(n_classes, n_jobs):
    report = json.loads(interrupted(FIT, n_classes, n_jobs).splitlines()[-1])
    assert report["status"] == ["INTERRUPTED"] * (1 if n_classes == 2 else n_classes)
    assert all(1e-13 < gap < np.inf for gap in report["gaps"])
    assert report["warnings"] == ["ConvergenceWarning"]
    assert "interrupted" in report["text"]
    assert report["finite"]


#: Says so when all threads are in the middle of their first Hessians, and compares what fit returns with a certificate
#: from the data.
LARGE = """
import os, sys, threading, warnings
import numpy as np
import pragam
from pragam import LinearSVC
from pragam.operators.storage import dense as storage
from pragam.risks import Hinge, OneVsRest
from pragam.samples import Rows

n, d, n_classes, n_jobs = 20_000, 100, *map(int, sys.argv[1:])
rng = np.random.default_rng(0)
X = rng.standard_normal((n, d))
y = (X[:, :n_classes] + rng.standard_normal((n, n_classes))).argmax(axis=1)
inside, computed = set(), storage.computed

def slowly_computed(product, slabs, count):
    def slow_product(slab):
        here = threading.get_ident()
        if here not in inside:
            inside.add(here)
            if len(inside) == n_jobs:
                os.write(1, b"solving\\n")
        threading.Event().wait(0.01)
        return product(slab)
    return computed(slow_product, slabs, count)

storage.computed = slowly_computed
warnings.simplefilter("ignore")
model = LinearSVC(solver="newton", tol=1e-13, n_jobs=n_jobs).fit(X, y)
assert {s.name for s in model.statuses_} == {"INTERRUPTED"}, model.statuses_
problems = OneVsRest(each=Hinge(lam=1 / n)).pose(Rows.of(X, y), model.classes_)
duals = [proof.dual for proof in model.model_.proofs]
for problem, w, alpha, proof in zip(problems, model.coef_, duals, model.certificates_, strict=True):
    assert pragam.certify(problem, w, alpha) == proof
    assert 0 < proof.relative_gap <= 1
bounds, values = model.decision_bounds(X[:50]), X[:50] @ model.coef_.T + model.intercept_
assert ((bounds[..., 0] <= values) & (values <= bounds[..., 1])).all()
print("certified")
"""


@pytest.mark.parametrize("n_classes", [3, 5])
def test_ctrl_c_ends_the_hessians_of_all_threads(n_classes):
    """BLAS cannot be interrupted, and signals reach the main thread only: the others look for themselves."""
    assert interrupted(LARGE, n_classes, 2).splitlines()[-1] == "certified"
