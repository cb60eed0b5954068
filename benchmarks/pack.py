"""How fast is svmlight text packed, and in how much memory? MB/s of text on one core, parsing to checksums.

Synthetic text of the kinds of ``_svmlight_texts.py``, four megabytes of each by the seed 0, one also as gzip, then real
sets where they are at hand, repeated to the size asked for. Each run is a process of its own on one thread. Beside
pragam.pack, in turns:

    numpy    sklearn.datasets.load_svmlight_file and numpy.savez: all in memory, in the order of the file, no checksums
    sha256   reads the text and sums it: the least that any reader with a checksum does

Times are seconds of CPU, user and system, the best of ``--repeats``; ``wall`` is by the clock, which other processes
and the disk disturb. Memory is the peak of resident memory above that after the imports. Text and output lie in
``--folder``: a file system in memory (/dev/shm) leaves out the disk.

    python benchmarks/pack.py [--megabytes 200] [--repeats 3] [--folder DIR]
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import _common
from _svmlight_texts import KINDS, page, tf_idf
from pragam.datasets import data_folder

REAL = (
    "a9a/a9a.xz",
    "w8a/w8a.xz",
    "covtype/covtype.binary.scale.svm.xz",
    "news20-bow/news20.train.svm.xz",
    "rcv1-small/rcv1_small.svm.xz",
)

#: What each process runs, and the imports that it does first.
WORK = {
    "pragam": ("import rich.console, scipy.sparse\nfrom pragam import pack", "pack(source, target)"),
    "numpy": (
        "import numpy\nfrom sklearn.datasets import load_svmlight_file",
        "X, y = load_svmlight_file(source)\n"
        "numpy.savez(target + '.npz', data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y)",
    ),
    "sha256": ("import hashlib", "hashlib.file_digest(open(source, 'rb'), 'sha256')"),
}
MEASURE = """
import json, os, re, sys, time
{imports}
source, target = sys.argv[1:]
peak = lambda: int(re.search("VmHWM:[^0-9]*([0-9]+)", open("/proc/self/status").read())[1]) * 1024 / 1e6
memory, begin, clock = peak(), os.times(), time.perf_counter()
{work}
end = os.times()
cpu = end.user - begin.user + end.system - begin.system
print(json.dumps([cpu, time.perf_counter() - clock, peak() - memory]))
"""


def texts(folder: Path, megabytes: float) -> Iterator[tuple[str, Path, float]]:
    """Name, file and megabytes of text."""
    for row in KINDS:
        yield row.__name__, *_repeated(folder / f"{row.__name__}.svm", page(row, 4_000_000), megabytes)
    plain = folder / f"{tf_idf.__name__}.svm"
    with gzip.open(folder / "tf_idf.svm.gz", "wb", 6) as packed:
        packed.write(plain.read_bytes())
    yield "tf_idf, gzip", folder / "tf_idf.svm.gz", plain.stat().st_size / 1e6
    source = data_folder()
    for name in REAL:
        if source is None or not (source / name).exists():
            print(f"skipped: no {name}; set PRAGAM_DATA to the folder of the data sets", file=sys.stderr)
            continue
        with lzma.open(source / name) as packed:
            yield Path(name).stem, *_repeated(folder / Path(name).stem, packed.read(), megabytes)


def _repeated(path: Path, page: bytes, megabytes: float) -> tuple[Path, float]:
    with open(path, "wb") as file:
        for _ in range(max(1, round(megabytes * 1e6 / len(page)))):
            file.write(page)
    return path, path.stat().st_size / 1e6


def measured(name: str, source: Path, folder: Path) -> list[float]:
    """Seconds of CPU, of the clock, and megabytes, in a process of its own."""
    imports, work = WORK[name]
    one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PRAGAM_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory(dir=folder) as target:
        done = subprocess.run(
            [sys.executable, "-c", MEASURE.format(imports=imports, work=work), str(source), f"{target}/set"],
            capture_output=True, text=True, check=True, env={**os.environ, **one},
        )  # fmt: skip
    found: list[float] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=200)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=None)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for name, path, size in texts(Path(folder), options.megabytes):
            runs: dict[str, list[list[float]]] = {each: [] for each in WORK}
            for _ in range(options.repeats):
                for each in WORK:
                    runs[each].append(measured(each, path, Path(folder)))
            best = {each: np.min(found, axis=0) for each, found in runs.items()}
            ours, theirs, least = (best[each] for each in WORK)
            speeds = [f"{size / seconds[0]:.0f}" for seconds in (ours, theirs, least)]
            ratios = [f"{theirs[0] / ours[0]:.1f}", f"{ours[0] / least[0]:.1f}"]
            more = [f"{number:.0f}" for number in (size / ours[1], ours[2], theirs[2])]
            rows.append([name, f"{size:.0f}", *speeds, *ratios, *more])
    header = ("text", "MB", "pragam", "numpy", "sha256", "numpy/pragam", "pragam/sha256", "wall", "memory", "numpy's")
    _common.show("MB/s of svmlight text (CPU; wall: pragam's by the clock), and MB of memory", header, rows)


if __name__ == "__main__":
    main()
