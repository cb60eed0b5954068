"""A search that was killed gives the same answer as one that was not."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from pragam.selection import tune

SCRIPT = """
import sys
import numpy as np
from pragam.selection import tune

rng = np.random.default_rng(0)
X = rng.standard_normal((400, 5))
y = np.where(X @ rng.standard_normal(5) + 2 * rng.standard_normal(400) > 0, 1, 0)

def slowly(step):
    print(step.n_points, flush=True)

tune(X, y, (2.0**-10, 0.125), prove=0, cv=2, checkpoint=sys.argv[1], callback=slowly)
"""


def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 5))
    return X, np.where(X @ rng.standard_normal(5) + 2 * rng.standard_normal(400) > 0, 1, 0)


def same(one, other):
    """All but the seconds, to the last bit."""
    for name in ("cells", "points"):
        for a, b in zip(getattr(one, name), getattr(other, name), strict=True):
            np.testing.assert_array_equal(a, b)
    for name in ("lam", "error", "proven", "asked", "standard_error", "n_rows", "n_solves", "status", "measure"):
        assert getattr(one, name) == getattr(other, name), name
    for a, b in zip(one.results, other.results, strict=True):
        assert a.certificate == b.certificate and (a.w == b.w).all() and (a.alpha == b.alpha).all()
    return True


def test_sigkill(tmp_path):
    """At some line of its output, four times; what goes on has solved nothing twice, and finds the same to the bit."""
    deaths, path = 0, tmp_path / "range"
    for lines in (3, 12, 20, 30):
        script = [sys.executable, "-c", textwrap.dedent(SCRIPT), path]
        with subprocess.Popen(script, stdout=subprocess.PIPE, text=True) as run:
            for _ in range(lines):
                run.stdout.readline()
            run.send_signal(signal.SIGKILL)
            deaths += run.wait() == -signal.SIGKILL
    assert deaths > 0
    kept = sorted(path.rglob("lam-*"))
    assert len(kept) > 4
    written = {file: file.stat().st_mtime_ns for file in kept}
    found = tune(*data(), (2.0**-10, 0.125), prove=0, cv=2, checkpoint=path)
    assert same(tune(*data(), (2.0**-10, 0.125), prove=0, cv=2), found) and found.is_proven
    assert sum(file.stat().st_mtime_ns == at for file, at in written.items()) >= len(kept) - 2  # but one of each fold


def test_a_search_that_a_budget_cut_goes_on(tmp_path):
    X, y = data()
    options = {"prove": 0.0, "checkpoint": tmp_path / "c"}
    cut = tune(X, y, (2.0**-10, 0.125), **options, callback=lambda step: step.n_points == 6)
    assert not cut.is_proven
    assert same(tune(X, y, (2.0**-10, 0.125), prove=0.0), tune(X, y, (2.0**-10, 0.125), **options))


def test_what_was_solved_serves_another_question(tmp_path):
    X, y = data()
    tune(X, y, (2.0**-10, 0.125), prove=0.02, checkpoint=tmp_path / "c")
    before = len(list((tmp_path / "c").rglob("lam-*")))
    found = tune(X, y, (2.0**-10, 0.125), prove=0.0, checkpoint=tmp_path / "c")
    assert found.is_proven and len(list((tmp_path / "c").rglob("lam-*"))) < before + found.n_solves


def test_one_of_other_data_is_refused(tmp_path):
    X, y = data()
    tune(X, y, (2.0**-10, 0.125), prove=0.2, checkpoint=tmp_path / "c")
    with pytest.raises(ValueError, match="is a checkpoint of other data"):
        tune(2 * X, y, (2.0**-10, 0.125), prove=0.2, checkpoint=tmp_path / "c")
