"""How long does sequence labelling take to a certified gap, and CRFsuite to the end of its training?

OCR letters (nine folds and one, 128 pixels and a bias) and CoNLL-2000 chunks (words and tags in a window), or random
words if these data are not there. Printed: CPU seconds of ``flow-ascent`` to each gap, certificates included, and what
its labels are worth on the other data: the share of right tokens, and the F1 of chunks. With ``--peer`` (which needs
python-crfsuite) the CPU seconds of CRFsuite's L-BFGS, or with ``--perceptron`` of ten iterations of its averaged
perceptron, timed once, and the ratio. One thread. With ``--threads 2`` also the seconds by the clock of one thread and
of two, in turns, and their ratio.

    python benchmarks/chains.py [--tasks ocr9-mean conll] [--tols 1e-2 1e-3] [--repeats 3] [--peer] [--threads 2]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

import pragam
from _common import interleaved, one_thread, show
from pragam.runtime.threads import using
from pragam.sequences.evaluation import evaluate
from pragam.structured import chain_hinge

OCR, CONLL = "structured/letters_ocr_taskar.npz", "sequence/conll2000.zip"
#: What is looked at around a token: (kind, place) of words and tags.
WINDOW = [
    *([("w", place)] for place in (-2, -1, 0, 1, 2)), [("w", -1), ("w", 0)], [("w", 0), ("w", 1)],
    *([("p", place)] for place in (-2, -1, 0, 1, 2)), *([("p", k), ("p", k + 1)] for k in (-2, -1, 0, 1)),
    *([("p", k), ("p", k + 1), ("p", k + 2)] for k in (-2, -1, 0)),
]  # fmt: skip


class Sequences(NamedTuple):
    X: Any
    y: Any
    lengths: Any


class Task(NamedTuple):
    train: Sequences
    test: Sequences
    loss: str
    lam: float


def ocr(nine: bool) -> Sequences:
    """Words of nine folds, or of the other one."""
    path = Path(os.environ.get("PRAGAM_DATA", "")) / OCR
    if not path.is_file():
        return random_words()
    data = np.load(path)
    words = (data["fold"] != 0) == nine
    tokens = np.repeat(words, data["length"])
    pixels = np.unpackbits(data["X"], axis=1)[tokens, :128]
    X = np.hstack([pixels, np.ones((len(pixels), 1))])
    return Sequences(X, data["y"][tokens].astype(int), data["length"][words])


def conll() -> tuple[Sequences, Sequences]:
    """Sentences to train and to test on, with a feature for each value of each part of the window."""
    path = Path(os.environ.get("PRAGAM_DATA", "")) / CONLL
    if not path.is_file():
        return random_words(), random_words()
    parts, place = [], {}
    for name in ("train", "test"):
        text = zipfile.ZipFile(path).read(f"conll2000/{name}.txt").decode()
        sentences = [[line.split() for line in part.split("\n")] for part in text.strip().split("\n\n")]
        named = [features(sentence, t) for sentence in sentences for t in range(len(sentence))]
        if name == "train":
            place = {feature: j for j, feature in enumerate(dict.fromkeys(each for own in named for each in own))}
        rows = [[place[each] for each in own if each in place] for own in named]
        indices, indptr = np.concatenate(rows).astype(np.int32), np.cumsum([0, *map(len, rows)])
        X = sparse.csr_array((np.ones(len(indices)), indices, indptr), shape=(len(rows), len(place)))
        y = np.array([token[2] for sentence in sentences for token in sentence])
        parts.append(Sequences(X, y, [len(sentence) for sentence in sentences]))
    return parts[0], parts[1]


def features(sentence: list[list[str]], t: int) -> list[str]:
    """The names of the features of a token."""
    names = []
    for part in WINDOW:
        if all(0 <= t + place < len(sentence) for _, place in part):
            names.append("|".join(f"{kind}{place}={sentence[t + place][kind == 'p']}" for kind, place in part))
    return names


def random_words() -> Sequences:
    rng = np.random.default_rng(0)
    lengths = rng.integers(2, 9, 60)
    y = rng.integers(0, 5, int(lengths.sum()))
    X = ((rng.random((len(y), 20)) < 0.2) | (rng.standard_normal((5, 20)) > 1)[y]).astype(float)
    return Sequences(X, y, lengths)


def chunks() -> Task:
    train, test = conll()
    return Task(train, test, "hamming_sum", 1 / (0.1 * len(train.lengths)))


def tasks() -> dict[str, Any]:
    return {
        "ocr9-mean": lambda: Task(ocr(True), ocr(False), "hamming_mean", 0.01),
        "ocr9-sum": lambda: Task(ocr(True), ocr(False), "hamming_sum", 5e-4),
        "ocr1-mean": lambda: Task(ocr(False), ocr(True), "hamming_mean", 0.1),
        "ocr1-sum": lambda: Task(ocr(False), ocr(True), "hamming_sum", 0.01),
        "conll": chunks,
    }


def items(sequences: Sequences) -> list[list[list[str]]]:
    """For each sequence and token the names of its features, as CRFsuite takes them. All values are one."""
    X = sparse.csr_array(sequences.X)
    rows = [[str(j) for j in X.indices[X.indptr[t] : X.indptr[t + 1]]] for t in range(X.shape[0])]
    ends = np.cumsum(sequences.lengths)
    return [rows[end - length : end] for end, length in zip(ends, sequences.lengths, strict=True)]


def train_crfsuite(task: Task, perceptron: bool = False, c2: float = 1.0) -> Callable[[], bytes]:
    """A call that trains CRFsuite and returns its model; the data are handed over beforehand.

    c2 = 1 is its default. On the letters it gets all possible states and transitions, as published results have it.
    """
    import pycrfsuite

    algorithm = "averaged-perceptron" if perceptron else "lbfgs"
    train, trainer = task.train, pycrfsuite.Trainer(algorithm=algorithm, verbose=False)
    ends = np.cumsum(train.lengths)
    for tokens, end in zip(items(train), ends, strict=True):
        trainer.append(tokens, [str(label) for label in train.y[end - len(tokens) : end]])
    if perceptron:
        trainer.set_params({"max_iterations": 10})
    else:
        everything = train.X.shape[1] < 1000  # pixels
        trainer.set_params({"c2": c2, "feature.possible_states": everything})
        trainer.set_params({"feature.possible_transitions": everything})

    def fit() -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            trainer.train(str(path))
            return path.read_bytes()

    return fit


def crfsuite_labels(model: bytes, sequences: Sequences) -> Any:
    """The labels, as strings, that CRFsuite's model gives to all tokens."""
    import pycrfsuite

    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(model)
    return np.array([label for tokens in items(sequences) for label in tagger.tag(tokens)])


def labels_of(task: Task, w: Any) -> Any:
    """The labels that these weights give to the tokens of the test data."""
    classes, test = np.unique(task.train.y), task.test
    known = np.where(np.isin(test.y, classes), test.y, classes[0])  # a label unknown in training is never right
    model = chain_hinge(test.X, known, test.lengths, labels=classes).Q.structure
    return classes[np.asarray(model.decode(w, 0.0).labels[0])]


def quality(task: Task, w: Any) -> str:
    """What the labels of these weights are worth on the test data."""
    score = evaluate(task.test.y, labels_of(task, w), task.test.lengths)
    return f"{score.accuracy:.4f}" + (f", F1 {100 * score.chunks['all'].f1:.2f}" if score.chunks else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", nargs="+", default=list(tasks()), choices=list(tasks()))
    parser.add_argument("--tols", nargs="+", type=float, default=[1e-2, 1e-3])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--peer", action="store_true", help="time CRFsuite too")
    parser.add_argument("--perceptron", action="store_true", help="the same with its averaged perceptron")
    parser.add_argument("--threads", type=int, help="time one thread against as many by the clock")
    args = parser.parse_args()
    if args.threads:
        return by_threads(args.tasks, args.tols, args.repeats, args.threads)
    rows = []
    with one_thread():
        for name in args.tasks:
            task = tasks()[name]()
            peer = None
            if args.peer or args.perceptron:
                peer = interleaved({"crf": train_crfsuite(task, args.perceptron)}, 1, cpu=True)["crf"].best
            for tol in args.tols:
                rows.append(row(name, task, tol, args.repeats, peer))
    show("To a certified gap", ["task", "gap", "CPU s", "passes", "certified", "right", "CRFsuite s", "ratio"], rows)


def by_threads(names: list[str], tols: list[float], repeats: int, threads: int) -> None:
    """Seconds by the clock of one thread and of several."""
    rows = []
    for name in names:
        task = tasks()[name]()

        def solve(count: int, tol: float, task: Task = task) -> None:
            with one_thread(), using(count):
                pragam.solve(chain_hinge(*task.train, task.lam, task.loss), "flow-ascent", tol=tol)

        for tol in tols:
            calls = {str(count): partial(solve, count, tol) for count in (1, threads)}
            one, several = (times.median for times in interleaved(calls, repeats).values())
            rows.append([name, f"{tol:g}", f"{one:.3f}", f"{several:.3f}", f"{one / several:.2f}"])
    show("By the clock", ["task", "gap", "one thread", f"{threads} threads", "ratio"], rows)


def row(name: str, task: Task, tol: float, repeats: int, peer: float | None) -> list[str]:
    results: list[Any] = []

    def solve() -> None:
        problem = chain_hinge(*task.train, task.lam, task.loss)
        results.append(pragam.solve(problem, "flow-ascent", tol=tol, random_state=len(results)))

    seconds = interleaved({"flows": solve}, repeats, cpu=True)["flows"].median
    worst = max(result.certificate.relative_gap for result in results)
    passes = np.median([result.history.passes[-1] for result in results])
    others = ["", ""] if peer is None else [f"{peer:.2f}", f"{peer / seconds:.0f}"]
    right = quality(task, results[0].w)
    return [name, f"{tol:g}", f"{seconds:.3f}", f"{passes:.0f}", f"{worst:.1e}", right, *others]


if __name__ == "__main__":
    main()
