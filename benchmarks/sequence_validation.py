"""Which lam is best for sequences, and which c2 for CRFsuite, each chosen on sequences that were left out?

CoNLL-2000 chunks (every fifth training sentence is left out, the score is the F1 of chunks) and nine folds of OCR
letters (one of them is left out, the score is the share of right letters), or random words if these data are not there.
Each labeller is trained at 1, 2 and 5 times powers of ten. While the best value lies at an end of those tried, the next
one is tried too. Then the labeller is trained on all sequences at the best value, and tested on the test set. Ours is
trained to a certified gap of 1e-2, from the largest lam to the smallest, each from the solution before it. CRFsuite
(L-BFGS) is trained anew for each c2. Printed: the score at each value, the best one, the score on the test set at that
value and at the default (lam = 0.01, c2 = 1), and CPU seconds of the whole search and of the fit at the best value, on
one thread.

``--store`` keeps every fit in a JSON file and reads what is already there; docs/make_sequences_validation.py draws it.

    python benchmarks/sequence_validation.py [--tasks conll ocr] [--labellers sum mean crfsuite] [--store FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import pragam
from _common import one_thread, show
from chains import OCR, Sequences, Task, conll, crfsuite_labels, labels_of, ocr, train_crfsuite
from pragam.sequences.evaluation import evaluate
from pragam.structured import chain_hinge

TOL = 1e-2
#: Values that are tried first, from .. to, in steps of :func:`value`.
GRIDS = {
    ("conll", "sum"): (-12, -6), ("conll", "mean"): (-8, -2), ("conll", "crfsuite"): (-2, 2),
    ("ocr", "sum"): (-12, -6), ("ocr", "mean"): (-8, -2), ("ocr", "crfsuite"): (-2, 2),
}  # fmt: skip
#: How often one more value is tried.
EXTENSIONS = 9
#: What ChainSVC and CRFsuite take if nothing is said.
DEFAULTS = {"sum": 0.01, "mean": 0.01, "crfsuite": 1.0}
LABELLERS = {"sum": "pragam, summed loss", "mean": "pragam, mean loss", "crfsuite": "CRFsuite"}


class Fit(NamedTuple):
    """A labeller at one value: score, CPU seconds, number of training sequences, and the certified gap of ours."""

    score: float
    seconds: float
    n: int
    gap: float | None


def value(step: int) -> float:
    """0.5, 1, 2, 5, ... at the steps -1, 0, 1, 2, ..."""
    return float(f"{(1, 2, 5)[step % 3]}e{step // 3}")


def parts(name: str) -> tuple[Sequences, Sequences, Any]:
    """Training and test sequences, and which of the training sequences are left out."""
    if name == "conll":
        train, test = conll()
        return train, test, np.arange(len(train.lengths)) % 5 == 4
    train, test = ocr(True), ocr(False)
    path = Path(os.environ.get("PRAGAM_DATA", "")) / OCR
    fold = np.load(path)["fold"] if path.is_file() else np.arange(len(train.lengths)) % 9 + 1
    return train, test, fold[fold != 0] == 1


def those(sequences: Sequences, keep: Any) -> Sequences:
    tokens = np.repeat(keep, sequences.lengths)
    return Sequences(sequences.X[tokens], sequences.y[tokens], np.asarray(sequences.lengths)[keep])


def score(task: Task, found: Any) -> float:
    """In per cent: F1 of chunks, or of labels that are no chunks the share of right tokens."""
    result = evaluate(task.test.y.astype(str), found.astype(str), task.test.lengths)
    return 100 * (result.chunks["all"].f1 if result.chunks else result.accuracy)


def ours(task: Task, lams: list[float]) -> Iterator[Fit]:
    result: Any = None
    for lam in sorted(lams, reverse=True):
        begin = time.process_time()
        problem = chain_hinge(*task.train, lam, task.loss)
        result = pragam.solve(problem, tol=TOL, start=result, random_state=0)
        seconds = time.process_time() - begin
        found = labels_of(task, result.w)
        yield Fit(score(task, found), seconds, len(task.train.lengths), result.certificate.relative_gap)


def crfsuite(task: Task, c2s: list[float]) -> Iterator[Fit]:
    for c2 in sorted(c2s, reverse=True):
        fit = train_crfsuite(task, c2=c2)
        begin = time.process_time()
        model = fit()
        seconds = time.process_time() - begin
        yield Fit(score(task, crfsuite_labels(model, task.test)), seconds, len(task.train.lengths), None)


class Store:
    """All fits so far, {"task labeller part": {value: Fit}}, in a file if there is one."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.fits: dict[str, dict[str, list[Any]]] = {}
        if path is not None and path.is_file():
            self.fits = json.loads(path.read_text())

    def at(self, key: str, values: list[float], fit: Callable[[list[float]], Iterator[Fit]]) -> dict[float, Fit]:
        """The fits at these values and at those tried before. What is missing is made, and written one by one."""
        known = self.fits.setdefault(key, {})
        missing = sorted((each for each in values if repr(each) not in known), reverse=True)
        for each, found in zip(missing, fit(missing), strict=True):
            known[repr(each)] = list(found)
            if self.path is not None:
                self.path.write_text(json.dumps(self.fits, indent=1))
        return {float(each): Fit(*found) for each, found in known.items()}


class Chosen(NamedTuple):
    """The fits on the sequences that were not left out, the best value, and the fits on all at it and the default."""

    tried: dict[float, Fit]
    best: float
    final: Fit
    default: Fit


def choose(task: str, labeller: str, store: Store) -> Chosen:
    """The first values, then one more at an end as long as that end is the best. Of equal scores the larger value."""
    train, test, is_out = parts(task)
    loss = "hamming_mean" if labeller == "mean" else "hamming_sum"
    fit = crfsuite if labeller == "crfsuite" else ours
    some = Task(those(train, ~is_out), those(train, is_out), loss, 0.0)
    low, high = GRIDS[task, labeller]
    for _ in range(EXTENSIONS):
        steps = [value(step) for step in range(low, high + 1)]
        tried = store.at(f"{task} {labeller} left out", steps, lambda values: fit(some, values))
        best = max(tried, key=lambda each: (tried[each].score, each))
        if best not in (min(tried), max(tried)):
            break
        low, high = low - (best == min(tried)), high + (best == max(tried))
    whole, default = Task(train, test, loss, 0.0), DEFAULTS[labeller]
    for each in (best, default):  # one by one: neither starts from the other
        tested = store.at(f"{task} {labeller} test", [each], lambda values: fit(whole, values))
    return Chosen(tried, best, tested[best], tested[default])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", nargs="+", default=["conll", "ocr"], choices=["conll", "ocr"])
    parser.add_argument("--labellers", nargs="+", default=list(LABELLERS), choices=list(LABELLERS))
    parser.add_argument("--store", type=Path, help="keep the fits in this file, and go on from it")
    args = parser.parse_args()
    store, rows = Store(args.store), []
    with one_thread():
        for task in args.tasks:
            for labeller in args.labellers:
                chosen = choose(task, labeller, store)
                points = [f"{each:g}: {fit.score:.2f}" for each, fit in sorted(chosen.tried.items())]
                print(f"{task}, {LABELLERS[labeller]}:", ", ".join(points), flush=True)
                rows.append(row(task, labeller, chosen))
    header = ["task", "labeller", "chosen", "left out", "test", "default, test", "search, CPU s", "fit, CPU s"]
    show("Chosen on sequences that were left out", header, rows)


def row(task: str, labeller: str, chosen: Chosen) -> list[str]:
    name = "c2" if labeller == "crfsuite" else "lam"
    search = sum(fit.seconds for fit in chosen.tried.values())
    return [
        task, LABELLERS[labeller], f"{name} = {chosen.best:g}", f"{chosen.tried[chosen.best].score:.2f}",
        f"{chosen.final.score:.2f}", f"{chosen.default.score:.2f}", f"{search:.1f}", f"{chosen.final.seconds:.2f}",
    ]  # fmt: skip


if __name__ == "__main__":
    main()
