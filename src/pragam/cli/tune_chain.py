r"""``pragam tune --task chain DATA -o MODEL``: choose lam on sequences that were left out, then train at the best lam.

For each lam a labeller is trained on the other sequences, to a certified gap, each from the solution at the next larger
lam. Its score is the F1 of chunks on the sequences that were left out if all labels are IOB tags, else the share of
tokens whose label is right. The best lam has the highest score; of several such, it is the largest.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from pragam.cli.output import show_json
from pragam.cli.status import CERTIFIED, NOT_CERTIFIED
from pragam.cli.terminate import Termination
from pragam.cli.train_chain import Trained, named, pose, read, risk_of, train
from pragam.cli.training import progress
from pragam.driver.result import Result, Status

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pragam.cli.chain_data import ChainData
    from pragam.sequences import Evaluation


class Point(NamedTuple):
    """A labeller at one lam, and what its labels of the sequences that were left out are worth."""

    lam: float
    result: Result
    evaluation: Evaluation

    @property
    def score(self) -> float:
        chunks = self.evaluation.chunks
        return chunks[""].f1 if chunks else self.evaluation.accuracy

    @property
    def is_certified(self) -> bool:
        return self.result.converged and self.result.certificate.rigorous


class Tuned(NamedTuple):
    """The points by rising lam."""

    points: list[Point]
    n_train: int
    n_held: int

    @property
    def best(self) -> Point:
        return max(self.points, key=lambda point: (point.score, point.lam))

    @property
    def is_interrupted(self) -> bool:
        return any(point.result.status is Status.INTERRUPTED for point in self.points)

    @property
    def is_at_an_end(self) -> bool:
        """Whether a lam beyond those tried may be better."""
        return len(self.points) > 1 and self.best in (self.points[0], self.points[-1])


def run(args: argparse.Namespace) -> int:
    """Tune, train, write, report. The status is 0 only if every gap was certified, on the path and of the model."""
    data = read(args)
    some, held = _parts(data, args)
    begin = time.perf_counter()
    with Termination() as termination:
        tuned = _tune(some, held, data, args, termination)
        trained: Trained | None = None
        if args.output:
            left = None if args.max_seconds is None else max(args.max_seconds - (time.perf_counter() - begin), 0.0)
            posed = pose(data, risk_of(args, tuned.best.lam), args)
            start = None
            if tuned.is_interrupted:  # the model is then the best of the path, and its gap on all sequences
                left, start = 0.0, (tuned.best.result.w, posed.problem.start())
            trained = train(posed, args, termination, left, start)
        is_certified = all(point.is_certified for point in tuned.points) and (trained is None or trained.certified)
        (_report_json if args.json else _report)(tuned, trained, len(data.lengths), args, is_certified)
    return CERTIFIED if is_certified else NOT_CERTIFIED


def _parts(data: ChainData, args: argparse.Namespace) -> tuple[ChainData, ChainData]:
    """The sequences to train on, and those to validate on."""
    import numpy as np

    from pragam.cli.chain_data import data_like

    if args.validation is not None:
        return data, data_like(data, args.validation)
    n = len(data.lengths)
    if not 0 < args.share < 1:
        raise ValueError(f"--share must be above 0 and below 1, not {args.share:g}")
    n_held = round(args.share * n)
    if not 0 < n_held < n:
        raise ValueError(f"--share {args.share:g} of {n} sequences leaves none to train on, or none to validate on")
    is_held = np.zeros(n, dtype=bool)
    is_held[np.random.default_rng(args.seed).choice(n, n_held, replace=False)] = True
    return _those(data, ~is_held), _those(data, is_held)


def _those(data: ChainData, keep: NDArray[Any]) -> ChainData:
    import numpy as np

    tokens = np.repeat(keep, data.lengths)
    return data._replace(X=data.X[tokens], y=data.y[tokens], lengths=data.lengths[keep])


def _tune(
    some: ChainData, held: ChainData, data: ChainData, args: argparse.Namespace, termination: Termination
) -> Tuned:
    import numpy as np

    from pragam.driver.path import path
    from pragam.models.chain_weights import ChainWeights
    from pragam.sequences import evaluate
    from pragam.sequences.problem import chain_problem
    from pragam.structured.rules import Rules

    classes = np.unique(data.y)
    lams = sorted(set(args.lams))
    problem = named(
        args.data, lambda: chain_problem(risk_of(args, lams[-1]), some.X, some.y, some.lengths, classes.tolist())
    )
    seconds = args.max_seconds
    if seconds is not None and args.output:  # the model is one point more
        seconds *= len(lams) / (len(lams) + 1)
    with progress(args.quiet, "") as line:
        results = termination.run(
            lambda left: path(problem, lams, args.tol, args.solver, left, line, args.seed), seconds
        )
    rules = Rules.named(args.transitions, classes.tolist())
    points = []
    for lam, result in zip(lams, results, strict=True):
        found = classes[ChainWeights.from_vector(result.w, len(classes), rules).labels(held.X, held.lengths)]
        points.append(Point(lam, result, evaluate(held.y, found, held.lengths)))
    return Tuned(points, len(some.lengths), len(held.lengths))


def _report(tuned: Tuned, trained: Trained | None, n: int, args: argparse.Namespace, is_certified: bool) -> None:
    """A row for each lam, by rising lam, then what was chosen. C is that of all n sequences of the data."""
    from pragam.cli.table import show
    from pragam.risks.scaling import c_of

    best = tuned.best
    header = ("lam", "C", "tokens, %", "chunk F1", "gap", "iter.", "seconds", "")
    show(f"pragam tune: {tuned.n_train} sequences trained on, {tuned.n_held} validated on", header, (
        (f"{lam:.4g}", f"{c_of(lam, n):.3g}", f"{100 * found.accuracy:.2f}",
         f"{100 * found.chunks[''].f1:.2f}" if found.chunks else "", f"{result.certificate.relative_gap:.1e}",
         str(result.n_iter), f"{result.history.seconds[-1:].sum():.2g}", "best" if lam == best.lam else "")
        for lam, result, found in tuned.points
    ))  # fmt: skip
    missed = sum(not point.is_certified for point in tuned.points)
    end = "; at an end of --lams: one beyond it may be better" if tuned.is_at_an_end else ""
    rows = [
        ("best lam", f"{best.lam:.6g}  (C = {c_of(best.lam, n):.6g}){end}"),
        ("tolerance", f"{args.tol:g}, " + (f"not certified at {missed} lams" if missed else "certified at every lam")),
    ]
    if trained is None:
        rows += [("model", "not written (-o MODEL writes it)")]
    else:
        gap = trained.result.certificate.relative_gap
        rows += [("model", f"{args.output}: {n} sequences at the best lam, relative gap {gap:.2e}")]
    show("chosen", (), rows)


def _report_json(tuned: Tuned, trained: Trained | None, n: int, args: argparse.Namespace, is_certified: bool) -> None:
    """All of it as one JSON object, with every number in full."""
    from pragam.risks.scaling import c_of

    points = [
        {
            "lam": lam,
            "C": c_of(lam, n),
            "accuracy": found.accuracy,
            "chunk_f1": found.chunks[""].f1 if found.chunks else None,
            "relative_gap": result.certificate.relative_gap,
            "iterations": result.n_iter,
            "seconds": float(result.history.seconds[-1:].sum()),
            "status": result.status.name,
        }
        for lam, result, found in tuned.points
    ]
    show_json({
        "certified": is_certified,
        "data": args.data,
        "loss": args.loss or "hamming_mean",
        "transitions": args.transitions,
        "n_train": tuned.n_train,
        "n_validation": tuned.n_held,
        "tol": args.tol,
        "best_lam": tuned.best.lam,
        "is_at_an_end": tuned.is_at_an_end,
        "points": points,
        "model": args.output,
        "model_relative_gap": None if trained is None else trained.result.certificate.relative_gap,
    })  # fmt: skip
