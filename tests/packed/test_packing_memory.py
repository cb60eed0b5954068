"""Packing holds less than 200 MB, however many rows there are."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

#: Prints by how much the peak of the resident memory grew while a file was packed, in megabytes.
MEASURE = """
import re, sys
import pragam, scipy.sparse
peak = lambda: int(re.search("VmHWM:[^0-9]*([0-9]+)", open("/proc/self/status").read())[1]) * 1024 / 1e6
begin = peak()
packed = pragam.pack(sys.argv[1], sys.argv[2])
print(peak() - begin, packed.bytes / 1e6)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc/self/status")
def test_peak_while_packing(tmp_path):
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permuted(np.tile(np.arange(1, 200), (1000, 1)), axis=1)[:, :14], axis=1)
    page = "".join("1 " + " ".join(f"{j}:1.5" for j in row) + "\n" for row in rows.tolist()).encode()
    with open(tmp_path / "rows.svm", "wb") as file:
        for _ in range(100_000_000 // len(page)):
            file.write(page)
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(tmp_path / "rows.svm"), str(tmp_path / "set")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    peak, size = map(float, done.stdout.split())
    assert peak < 200 and size > 100
    (tmp_path / "rows.svm").unlink()
