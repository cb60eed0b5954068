"""What is said to be held in memory is not exceeded, from posing the problem to its certificate."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pragam
from driver.solve_peaks import rows
from pragam.driver.expectation import announcement, expectation

CHUNK = 1e6  # of the file, which is looked at a few times
PEAKS = Path(__file__).with_name("solve_peaks.py")


@pytest.mark.parametrize("solver", ["working-set", "windows", "block-newton", "merged-ascent"])
def test_vectors_and_rows_are_all_that_is_held(solver, tmp_path):
    """And for the plain hinge the number that is said is no larger than it has to be."""
    done = subprocess.run([sys.executable, PEAKS, tmp_path, solver], check=True, capture_output=True, text=True)
    peaks = json.loads(done.stdout)
    assert len(peaks) == 14
    for name, bias, gap, peak, memory, said in peaks:
        assert gap < np.inf, (name, bias)
        assert peak <= memory + said + CHUNK, (name, bias)
        assert name != "hinge" or not bias or peak >= 0.75 * said


def test_what_is_said(tmp_path):
    packed = pragam.pack([rows(2000, 5, np.asarray)], tmp_path / "packed")
    problem = pragam.hinge(packed, lam=1e-3)
    said = expectation(problem, "working-set", 1e-3, memory=1e6)
    assert said.startswith("2,000 x 5, 10,000 entries, ") and "; working-set should take about 2 readings and " in said
    assert said.endswith("; about 224 KB of vectors and at most 1 MB of rows are held")
    assert expectation(problem, "working-set", 1e-3).endswith(" and a fifth of the rows are held")
    assert announcement([problem] * 3, "auto", 1e-3).endswith("are held; 3 problems like this one")
