"""What a training on a Dask cluster does when one of two workers is killed in its middle: ours, xgboost's, LightGBM's.

    python benchmarks/worker_dies.py [--rows 400000] [--columns 30] [--limit 60]

Each training has processes of its own: a cluster of two workers on this machine, and the same dense rows, generated on
them from stated seeds. It runs undisturbed, and then again with a SIGKILL for one worker after half of that time.
Printed: the seconds of the first run, what came of the second one, and how long after the kill. A training that has not
ended ``--limit`` seconds after the kill hangs, for all that a user can see, and is ended. xgboost trains its linear
booster, and trees; LightGBM trees. What is not installed says so (pip install xgboost-cpu lightgbm).
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

#: Blocks of rows.
BLOCKS = 16
#: An undisturbed training may take this many times the limit.
_CALM = 5.0
#: Characters of an error that are shown.
_WORDS = 200


def block(k: int, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows with noisy labels, 0 or 1, of a linear function."""
    rng = np.random.default_rng([0, k])
    X = rng.standard_normal((rows, columns), dtype=np.float32)
    score = X @ np.random.default_rng(1).standard_normal(columns)
    return X, (score + 3 * rng.standard_normal(rows) > 0).astype(np.float32)


def collections(rows: int, columns: int) -> tuple[Any, Any]:
    """They as dask arrays, which workers make again by themselves if they are lost."""
    import dask.array as da
    from dask import delayed

    each = rows // BLOCKS
    made = [delayed(block, nout=2)(k, each, columns) for k in range(BLOCKS)]
    X = da.concatenate([da.from_delayed(x, (each, columns), np.float32) for x, _ in made])
    y = da.concatenate([da.from_delayed(y, (each,), np.float32) for _, y in made])
    return X, y


def pragam(client: Any, X: Any, y: Any) -> bytes:
    from pragam.distributed import LinearSVC

    model = LinearSVC(client=client, C=1e4 / len(y), tol=1e-6).fit(X, y)  # lam = 1e-4
    return bytes(model.coef_.tobytes() + model.intercept_.tobytes())


def xgboost(client: Any, X: Any, y: Any, **settings: Any) -> bytes:
    import xgboost.dask as there

    settings = {"objective": "binary:logistic", "tree_method": "hist", "verbosity": 0} | settings
    found = there.train(client, settings, there.DaskDMatrix(client, X, y), num_boost_round=40)
    return bytes(found["booster"].save_raw("json"))


def linear_xgboost(client: Any, X: Any, y: Any) -> bytes:
    return xgboost(client, X, y, booster="gblinear")


def lightgbm(client: Any, X: Any, y: Any) -> bytes:
    import lightgbm as there

    model = there.DaskLGBMClassifier(client=client, n_estimators=40, verbosity=-1).fit(X, y)
    return str(model.booster_.model_to_string()).encode()


TRAININGS: dict[str, tuple[str, Callable[..., bytes]]] = {
    "pragam": ("pragam", pragam), "xgboost-linear": ("xgboost", linear_xgboost), "xgboost": ("xgboost", xgboost),
    "lightgbm": ("lightgbm", lightgbm),
}  # fmt: skip


def child(name: str, rows: int, columns: int, after: float, limit: float) -> None:
    """One training; a worker is killed after so many seconds, if they are not 0. Says what it has come to."""
    from distributed import Client, LocalCluster, wait

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    options = {"host": "127.0.0.1", "dashboard_address": None, "silence_logs": 60, "memory_limit": 0}
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **options)
    client = Client(cluster)
    X, y = client.persist(collections(rows, columns))
    wait([X, y])
    victim = min(client.run(os.getpid).values())
    begun = time.perf_counter()
    if after:
        threading.Timer(after, os.kill, (victim, signal.SIGKILL)).start()
    threading.Timer(after + limit if after else _CALM * limit, end, ({"hangs": limit},)).start()
    try:
        model = TRAININGS[name][1](client, X, y)
    except Exception as error:
        end({"error": f"{type(error).__name__}: {error}", "seconds": time.perf_counter() - begun})
    end({"model": hashlib.sha256(model).hexdigest(), "seconds": time.perf_counter() - begun})


def end(said: dict[str, Any]) -> None:
    """Say it, and leave nobody behind."""
    print(json.dumps(said), flush=True)
    os.killpg(os.getpgrp(), signal.SIGKILL)


def run(name: str, args: Any, after: float = 0.0) -> dict[str, Any]:
    """A training in a session of its own."""
    command = [
        sys.executable,
        __file__,
        "--child",
        name,
        str(args.rows),
        str(args.columns),
        str(after),
        str(args.limit),
    ]
    environment = {**os.environ, **dict.fromkeys(("OMP_NUM_THREADS", "PRAGAM_NUM_THREADS"), "1")}
    asked = {"capture_output": True, "text": True, "env": environment, "start_new_session": True}
    done = subprocess.run(command, **asked, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return dict(json.loads(lines[-1])) if lines else {"error": done.stderr.strip().splitlines()[-1], "seconds": 0.0}


def row(name: str, args: Any) -> list[str]:
    """A line of the table."""
    if importlib.util.find_spec(TRAININGS[name][0]) is None:
        return [name, "not installed", "", ""]
    calm = run(name, args)
    if "model" not in calm:
        return [name, outcome(calm, calm, 0.0), "", ""]
    after = calm["seconds"] / 2
    killed = run(name, args, after)
    since = "" if "hangs" in killed else f"{killed['seconds'] - after:.1f}"
    return [name, f"{calm['seconds']:.1f}", outcome(calm, killed, args.limit), since]


def outcome(calm: dict[str, Any], killed: dict[str, Any], limit: float) -> str:
    """In words."""
    if "hangs" in killed:
        return f"no answer in {limit:g} s"
    if "error" in killed:
        return " ".join(killed["error"].split())[:_WORDS]
    return "the same model, to the bit" if killed["model"] == calm["model"] else "another model"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds after the kill")
    parser.add_argument("--trainings", nargs="+", choices=TRAININGS, default=list(TRAININGS))
    args = parser.parse_args()
    print("| trained by | undisturbed, s | after the kill of a worker | after s |\n|---|---|---|---|")
    for name in args.trainings:
        print("|", " | ".join(row(name, args)), "|", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        of, *numbers = sys.argv[2:]
        child(of, int(numbers[0]), int(numbers[1]), float(numbers[2]), float(numbers[3]))
    else:
        main()
