"""Is a fit through an estimator or a command slower than it was? Two installed versions in alternating processes.

    python benchmarks/before_after.py OLD_PYTHON NEW_PYTHON [--pairs 9]

OLD_PYTHON and NEW_PYTHON are interpreters of environments in which the two versions are installed. CPU seconds on one
thread; the least of several runs in a process; the ratio new/old of each case with a 95 % bootstrap interval over the
pairs. `train` is a whole process, imports included. It needs nothing of either version but names that both have.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import resource
import subprocess
import tempfile
from pathlib import Path

WORKER = r"""
import json, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.preprocessing import StandardScaler
import pragam

def standard(load):
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y

def text(n=4000, d=20000, K=20, length=60):
    rng = np.random.default_rng(1)
    p = 1.0 / np.arange(3, d + 3); p /= p.sum()
    lens = np.maximum(3, rng.poisson(length, n)); j = rng.choice(d, lens.sum(), p=p)
    X = sparse.csr_matrix((np.ones(j.size), j, np.concatenate([[0], np.cumsum(lens)])), shape=(n, d))
    return X, np.asarray((X @ rng.standard_normal((d, K))).argmax(axis=1))

def words(n=400, d=30, K=8):
    rng = np.random.default_rng(2)
    lengths = rng.integers(4, 12, n); y = rng.integers(0, K, lengths.sum())
    return rng.standard_normal((lengths.sum(), d)) + 0.8 * rng.standard_normal((K, d))[y], y, lengths

CASES = {
    "LinearSVC, breast_cancer": lambda: (pragam.LinearSVC(), standard(load_breast_cancer)),
    "LinearSVC, iris": lambda: (pragam.LinearSVC(), standard(load_iris)),
    "LinearSVC, digits": lambda: (pragam.LinearSVC(tol=1e-2), standard(load_digits)),
    "LinearSVC, text of 20 classes": lambda: (pragam.LinearSVC(tol=1e-2), text()),
    "ChainSVC, words": lambda: (pragam.ChainSVC(), words()),
}
found = {}
for name, make in CASES.items():
    model, data = make()
    best, spent, runs = 9e9, 0.0, 0
    while runs < 3 or (spent < 0.5 and runs < 40):
        start = time.process_time(); model.fit(*data); seconds = time.process_time() - start
        best, spent, runs = min(best, seconds), spent + seconds, runs + 1
    found[name] = best
print(json.dumps(found))
"""


def measured(python: str, folder: Path) -> dict[str, float]:
    """CPU seconds of every case, and of ``pragam train`` in a process of its own."""
    one = {"PRAGAM_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment = os.environ | one
    run = {"env": environment, "cwd": folder, "check": True, "capture_output": True, "text": True}
    found: dict[str, float] = json.loads(subprocess.run([python, "-c", WORKER], **run).stdout)  # type: ignore[call-overload]
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([python, "-m", "pragam", "train", "--quiet", "-o", str(folder / "model")], **run)  # type: ignore[call-overload]
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {**found, "pragam train, whole process": min(times)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", metavar="OLD_PYTHON")
    parser.add_argument("new", metavar="NEW_PYTHON")
    parser.add_argument("--pairs", type=int, default=9)
    args = parser.parse_args()
    folder, logs, rng = Path(tempfile.mkdtemp()), {}, random.Random(0)
    least: dict[str, float] = {}
    for k in range(args.pairs):
        sides = rng.sample(["old", "new"], 2)
        found = {side: measured(getattr(args, side), folder) for side in sides}
        for name, seconds in found["old"].items():
            logs.setdefault(name, []).append(math.log(found["new"][name] / seconds))
            least[name] = min(least.get(name, math.inf), seconds)
        print(f"pair {k + 1} of {args.pairs}", flush=True)
    print(f"{'case':32s} {'old ms':>9s} {'new/old':>8s}  95 % interval")
    for name, own in logs.items():
        means = sorted(sum(rng.choices(own, k=len(own))) / len(own) for _ in range(1000))
        mean, low, high = (math.exp(x) for x in (sum(own) / len(own), means[25], means[974]))
        print(f"{name:32s} {1e3 * least[name]:9.2f} {mean:8.3f}  {low:.3f} .. {high:.3f}")


if __name__ == "__main__":
    main()
