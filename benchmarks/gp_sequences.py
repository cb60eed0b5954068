"""How fast and how good is Gaussian-process sequence labelling beside CRFsuite?

OCR letters (Taskar's folds), RBF kernel: one fold for training and nine for testing ("fold 0"), or the other way round
("nine folds"), exactly or with landmarks. Printed: seconds of ``fit`` with its Gram matrix, CRFsuite's training call on
the same words (L-BFGS, c2 = 1, all states and transitions), the ratio of both, the certified gap, letters and words
right, calibration error of the marginals (ECE), and the peak of memory. Every fit runs in a process of its own.

    python benchmarks/gp_sequences.py [--rows fold0 landmarks exact] [--words N] [--repeats R] [--tol T] [--cpu]

``--cpu`` counts CPU seconds of all threads, which other processes disturb less: CRFsuite has one thread.
CRFsuite is skipped where python-crfsuite is not installed. "exact" needs 10 GB and some minutes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.gaussian_process.kernels import RBF

import pragam
from _common import show

GAMMA, TAU = 0.04, 0.3


class Row(NamedTuple):
    """One line of the table."""

    name: str
    is_one_fold: bool
    lam: float
    tol: float
    options: dict[str, Any]


ROWS = {
    "fold0": Row("fold 0, exact", True, 3e-5, 1e-4, {}),
    "landmarks": Row("nine, landmarks", False, 1e-5, 1e-2, {"n_landmarks": 1000}),
    "exact": Row("nine, exact", False, 1e-5, 1e-2, {}),
}


class Words(NamedTuple):
    X: Any
    y: Any
    lengths: Any


def words(is_one_fold: bool, limit: int | None) -> tuple[Words, Words]:
    """The training and the test words."""
    stored = np.load(Path(os.environ.get("PRAGAM_DATA", ".")) / "structured" / "letters_ocr_taskar.npz")
    X = np.unpackbits(stored["X"], axis=1)[:, :128].astype(np.float64)
    y, lengths = stored["y"].astype(np.int64), stored["length"].astype(np.int64)
    trains = (stored["fold"] == 0) == is_one_fold
    parts = []
    for flags in (trains, ~trains):
        chosen = np.flatnonzero(flags)[:limit]
        token = np.repeat(np.isin(np.arange(len(lengths)), chosen), lengths)
        parts.append(Words(X[token], y[token], lengths[chosen]))
    return parts[0], parts[1]


def fit(row: Row, tol: float, limit: int | None, cpu: bool = False) -> dict[str, float]:
    """Train, and measure on the test words."""
    train, test = words(row.is_one_fold, limit)
    model = pragam.GPSequenceClassifier(
        RBF(np.sqrt(0.5 / GAMMA)), lam=row.lam, transition_scale=TAU, tol=tol, **row.options
    )
    clock = time.process_time if cpu else time.perf_counter
    begin = clock()
    model.fit(*train)
    seconds = clock() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    right = model.predict(test.X, test.lengths) == test.y
    P = model.predict_proba(test.X, test.lengths)
    ends = np.cumsum(test.lengths)
    return {
        "seconds": seconds, "gap": model.certificate_.relative_gap, "letters": float(right.mean()),
        "words": float(np.logical_and.reduceat(right, ends - test.lengths).mean()),
        "calibration": calibration_error(P, test.y), "MB": peak,
    }  # fmt: skip


def calibration_error(P: Any, y: Any, bins: int = 15) -> float:
    """The mean of |confidence - share right| over bins of confidence."""
    confidence, right = P.max(axis=1), P.argmax(axis=1) == y
    which = np.minimum((bins * confidence).astype(int), bins - 1)
    parts = [which == k for k in range(bins) if (which == k).any()]
    return float(sum(abs(confidence[part].mean() - right[part].mean()) * part.mean() for part in parts))


def crfsuite(is_one_fold: bool, limit: int | None, cpu: bool = False) -> dict[str, float]:
    """CRFsuite's training call, and its letters."""
    import pycrfsuite

    train, test = words(is_one_fold, limit)
    trainer, folded = pycrfsuite.Trainer(verbose=False), _items(train)
    for items, labels in zip(folded, np.split(train.y, np.cumsum(train.lengths)[:-1]), strict=True):
        trainer.append(items, labels.astype(str).tolist())
    trainer.select("lbfgs")
    trainer.set_params({"c2": 1.0, "feature.possible_states": True, "feature.possible_transitions": True})
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "model")
        clock = time.process_time if cpu else time.perf_counter
        begin = clock()
        trainer.train(path)
        seconds = clock() - begin
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        predicted = np.concatenate([np.array(tagger.tag(items), dtype=np.int64) for items in _items(test)])
    return {"seconds": seconds, "letters": float((predicted == test.y).mean())}


def _items(data: Words) -> list[Any]:
    import pycrfsuite

    rows = [{"bias": 1.0, **{f"p{j}": 1.0 for j in np.flatnonzero(row)}} for row in data.X]
    ends = np.cumsum(data.lengths).tolist()
    pairs = zip(ends, data.lengths.tolist(), strict=True)
    return [pycrfsuite.ItemSequence(rows[end - length : end]) for end, length in pairs]


def apart(call: Any, *arguments: Any) -> dict[str, float]:
    """The result of a call in a new process, so that its peak of memory is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_alone, (call, arguments))


def _alone(call: Any, arguments: Any) -> dict[str, float]:
    """Threads are for the main process as a rule; this one stands for it."""
    multiprocessing.process._parent_process = None  # type: ignore[attr-defined]
    return call(*arguments)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=["fold0", "landmarks"])
    parser.add_argument("--words", type=int, help="at most so many of either part, to try the script")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tol", type=float, help="instead of each row's own")
    parser.add_argument("--cpu", action="store_true", help="CPU seconds")
    args = parser.parse_args()
    try:
        words(True, 1)
    except FileNotFoundError as error:
        print(f"skipped: {error}; set PRAGAM_DATA", file=sys.stderr)
        print("no data")
        return
    table = []
    for name in args.rows:
        row = ROWS[name]
        tol = row.tol if args.tol is None else args.tol
        ours, theirs = [], []
        for _ in range(1 if name == "exact" else args.repeats):
            ours.append(apart(fit, row, tol, args.words, args.cpu))
            try:
                theirs.append(apart(crfsuite, row.is_one_fold, args.words, args.cpu))
            except ImportError:
                theirs.append({"seconds": float("nan"), "letters": float("nan")})
        seconds, others = (statistics.median(run["seconds"] for run in runs) for runs in (ours, theirs))
        last = ours[-1]
        measured = (last[key] for key in ("gap", "letters", "words", "calibration", "MB"))
        table.append((row.name, row.lam, tol, seconds, others, seconds / others, *measured, theirs[-1]["letters"]))
    header = (
        "folds", "lam", "tol", "s", "s*", "ratio", "gap", "letters", "words", "ECE", "MB", "letters*",
    )  # fmt: skip
    show(f"OCR letters: RBF gamma {GAMMA}, transition scale {TAU}; * of CRFsuite", header, table)


if __name__ == "__main__":
    main()
