"""Generated tables of numbers, categories and missing values, and the numbers that a table in memory becomes."""

from __future__ import annotations

import csv

import numpy as np

from pragam.files import source
from pragam.files.frames import PARQUET, read_parquet
from pragam.files.tables import read_text
from pragam.models.encoding import Encoding

JOBS = ["clerk", 'the "smith"', "baker, head", "two\nlines", "émigré", " a", "007", "nan"]
#: What of a generated table is asked for.
ASKED = {"target": "y", "drop": ["id"], "categorical": ["zip"], "missing": "indicator"}


def table(n, seed):
    """Columns of every kind, as texts: whole and broken numbers, categories of few and many levels, gaps."""
    rng = np.random.default_rng(seed)
    size = rng.standard_normal(n) * 10.0 ** rng.integers(-12, 12, n)
    job, age = rng.integers(0, len(JOBS), n), rng.integers(18, 80, n)
    score = 0.1 * (age - 49) + 0.5 * (job - 4) + 0.1 * rng.standard_normal(n)
    columns = {
        "id": [f"row {k}" for k in range(n)],
        "age": [str(x) for x in age],
        "size": ["" if rng.random() < 0.05 else repr(x) for x in size.tolist()],
        "job": [JOBS[k] for k in job],
        "zip": [f"{x:04d}" for x in rng.integers(0, 50, n)],
        "mixed": ["n/a" if rng.random() < 0.1 else str(x) for x in rng.integers(0, 9, n)],
        "shop": [rng.choice(["", " ", "north", "south"]) for _ in range(n)],
        "odd": [rng.choice(["1", " 2", "+3", "1e2", "nan", "4.", " "]) for _ in range(n)],
        "y": np.where(score > 0, "high", "low").tolist(),
    }
    return columns


def write(path, columns, separator=",", rows=slice(None), end="\n"):
    """The table as text."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        quoting = csv.QUOTE_ALL if end == "\r" else csv.QUOTE_MINIMAL  # which then forgets to quote a \n
        own = csv.writer(file, delimiter=separator, lineterminator=end, quoting=quoting)
        own.writerow(columns)
        own.writerows(list(zip(*columns.values(), strict=True))[rows])
    return path


def in_memory(path, target, **asked):
    """(encoding, X) of a whole file, by the way that a table in memory goes."""
    with source.opened(path) as opened:
        whole = read_parquet(opened) if opened.head.startswith(PARQUET) else read_text(opened)
    encoding = Encoding.learn(whole, target, say=lambda _: None, **asked)
    return encoding, encoding.encode(whole)[0].toarray()
