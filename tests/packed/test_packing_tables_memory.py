"""What packing a table holds does not depend on the number of its rows: Python, NumPy and pyarrow together."""

from __future__ import annotations

import numpy as np
import pytest
from made_tables import table, write

import pragam
from peaks import peak_memory
from pragam.files import table_parts
from pragam.packed import dealing, runs

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")


def peak_of(source, folder):
    """Bytes that are allocated at a time."""
    pool = pa.proxy_memory_pool(pa.default_memory_pool())
    before = pa.default_memory_pool()
    pa.set_memory_pool(pool)
    try:
        with peak_memory() as peak:
            pragam.pack(source, folder, chunk_bytes=200_000, target="y", drop=["id"], missing="indicator")
    finally:
        pa.set_memory_pool(before)
    return peak.bytes + pool.max_memory()


@pytest.mark.filterwarnings("ignore:.* is a category, one column a level")
def test_four_times_the_rows_take_as_much(tmp_path, monkeypatch):
    monkeypatch.setattr(table_parts, "_BLOCK", 100_000)
    monkeypatch.setattr(runs, "RUN", 300_000)
    monkeypatch.setattr(dealing, "RUN", 400_000)
    columns = table(3000, seed=0)
    columns["size"] = [repr(x) for x in np.random.default_rng(0).standard_normal(3000).round(2).tolist()]
    names = [write(tmp_path / str(k), columns) for k in range(24)]
    peak_of(names[:1], tmp_path / "warm")
    few, many = (peak_of(names[:count], tmp_path / f"set-{count}") for count in (6, 24))
    written = sum(path.stat().st_size for path in names)
    assert many < 1.25 * few and many < written, (few, many, written)
