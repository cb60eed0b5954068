"""Text in fixed blocks, as several machines have it: rounds of merged ascent to 1e-1 .. 1e-4, and what travels.

    python benchmarks/text_on_blocks.py [SET...] [--groups 2 8] [--c 1.0] [--earlier 1] [--peer]

SET is news20-bow with its groups split in three ways (odd: the odd against the even ones; half: the first ten against
the others; one: the fourth against all), rcv1-small, news20-bigram, or text (the first tenth of ``make_large.py``'s).
Rows are in random order, in 64 blocks; values are tf-idf where the set has counts. Each line has the rounds that the
engine counts to each tolerance, certificates included, "-" where 300 do not do; and the bytes that a round sends and
gets back, with all that it shares sent to each group. ``--peer`` adds the rounds of qp-bmrm to 1e-3.
"""

from __future__ import annotations

import argparse
import os
import pickle
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import make_large
import pragam
from _common import one_thread, show
from pragam.datasets import load_named, load_svmlight
from pragam.engines import InTurn
from pragam.operators import check_data
from pragam.operators.storage import InMemory
from pragam.solvers import MergedAscent

TOLS = (1e-1, 1e-2, 1e-3, 1e-4)
#: How the twenty groups of news20 become two classes.
SPLITS = {
    "odd": lambda y: y % 2 == 1,
    "half": lambda y: y <= 10,
    "one": lambda y: y == 4,
}
SETS = (*(f"news20-{name}" for name in SPLITS), "rcv1-small", "news20-bigram", "text")
#: Blocks that each set is cut into.
BLOCKS = 64
#: Rounds after which a run ends.
MOST = 300
RISKS = {"hinge": pragam.hinge, "squared": pragam.squared_hinge}


class Counted(InTurn):
    """This process, and the bytes that other ones would be sent and send back."""

    sent = answered = 0

    def map(self, task: Any, blocks: Any, common: Any, own: Any = None) -> Iterator[Any]:
        self.sent += len(blocks) * len(pickle.dumps(common)) + len(pickle.dumps(own))
        for found in super().map(task, blocks, common, own):
            self.answered += len(pickle.dumps(found))
            yield found


def news20(split: str) -> tuple[Any, np.ndarray]:
    """tf-idf of the bags of words, rows of length 1."""
    X, y = load_svmlight(Path(os.environ["PRAGAM_DATA"]) / "news20-bow" / "news20.train.svm.xz", n_features=61188)
    X = sparse.csr_array(X)
    X.data = 1 + np.log(X.data)
    X = X @ sparse.diags_array(np.log((1 + X.shape[0]) / (1 + (X > 0).sum(axis=0))) + 1)
    return sparse.diags_array(1 / np.sqrt(X.multiply(X).sum(axis=1))) @ X, np.where(SPLITS[split](y), 1.0, -1.0)


def loaded(name: str) -> tuple[Any, np.ndarray] | None:
    """(X, y) in random order; None if the set is absent."""
    split = name.removeprefix("news20-")
    try:
        if name == "text":
            blocks = list(make_large.text(0.1))
            X, y = sparse.vstack([X for X, _ in blocks]), np.concatenate([y for _, y in blocks])
        else:
            X, y = news20(split) if split in SPLITS else load_named(name)
    except (FileNotFoundError, KeyError) as error:
        print(f"skipped: {error}", file=sys.stderr)
        return None
    order = np.random.default_rng(0).permutation(len(y))
    return sparse.csr_array(X)[order], np.where(y > 0, 1.0, -1.0)[order]


def measure(X: Any, y: np.ndarray, risk: str, bias: bool, C: float, solver: Any) -> tuple[list[str], str]:
    """(rounds to each tolerance, bytes sent and answered in a round)."""
    cuts = np.linspace(0, len(y), BLOCKS + 1).astype(int)
    storage = InMemory([check_data(X[a:b]) for a, b in pairwise(cuts)])
    storage.engine = engine = Counted()
    problem = RISKS[risk](storage, y, lam=1 / (C * len(y)), bias=bias)
    _ = storage.row_norms2, storage.counts  # known without a round where data are packed or spread
    rounds = []
    for tol in TOLS:
        before, engine.sent, engine.answered = engine.rounds, 0, 0
        found = pragam.solve(problem, solver, tol=tol, max_iter=MOST, random_state=0)
        count = engine.rounds - before
        rounds.append(str(count) if found.converged else "-")
    return rounds, f"{engine.sent / count / 1e6:.2f} + {engine.answered / count / 1e6:.2f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)}; default: all")
    parser.add_argument("--groups", nargs="+", type=int, default=[2, 8])
    parser.add_argument("--c", nargs="+", type=float, default=[1.0])
    parser.add_argument("--earlier", nargs="+", type=int, default=[MergedAscent.earlier])
    parser.add_argument("--risks", nargs="+", choices=RISKS, default=["hinge"])
    parser.add_argument("--peer", action="store_true", help="qp-bmrm too")
    args = parser.parse_args()
    rows = []
    with one_thread():
        for name in args.sets or SETS:
            data = loaded(name)
            if data is None:
                continue
            cases = [(risk, C, bias) for risk in args.risks for C in args.c for bias in (False, True)]
            solvers = {(k, m): MergedAscent(k, earlier=m) for k in args.groups for m in args.earlier}
            for risk, C, bias in cases:
                for (groups, earlier), solver in solvers.items():
                    rounds, travels = measure(*data, risk, bias, C, solver)
                    rows.append([name, risk, f"{C:g}", "yes" if bias else "no", groups, earlier, *rounds, travels])
                if args.peer:
                    rounds, travels = measure(*data, risk, bias, C, "qp-bmrm")
                    rows.append([name, risk, f"{C:g}", "yes" if bias else "no", "qp-bmrm", "", *rounds, travels])
    header = ["set", "risk", "C", "bias", "groups", "earlier", *(f"{tol:g}" for tol in TOLS), "sent + answered"]
    show("rounds to each tolerance", header, rows)


if __name__ == "__main__":
    main()
