"""What ``train`` and ``tune`` share: their options, reading DATA, training at one lam, writing the model."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pragam import solvers
from pragam.cli.arguments import number
from pragam.cli.terminate import Termination
from pragam.driver.result import Result
from pragam.driver.solve import solve
from pragam.problem import Problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pragam.io import Model
    from pragam.operators.storage import Storage


def add_data_options(parser: argparse.ArgumentParser) -> None:
    """DATA, how to read it, and where the model goes."""
    formats = "svmlight text (also .gz .bz2 .xz), .npz (CSR) or .npy; - is the standard input"
    add = parser.add_argument
    add("data", metavar="DATA", nargs="?", help=f"{formats}; default: a built-in example")
    add("-o", "--output", metavar="MODEL", help="write the model and the proof of its gap here")
    add("--n-features", type=int, metavar="D", help="columns of DATA; default: what its highest index needs")
    add(
        "--zero-based",
        action="store_true",
        default=None,
        help="indices of svmlight text count from 0; default: if 0 occurs",
    )
    add("--compact-columns", action="store_true", help="keep only the columns that occur; the model remembers which")
    add("--classes", action="store_true", help="labels are classes, even fractions or more than 100 values")


def add_training_options(parser: argparse.ArgumentParser) -> None:
    """The model, the solver, its budget, and what is shown."""
    names = solvers.names()
    add = parser.add_argument
    add("--no-bias", action="store_true", help="train without an intercept; else there is one, not penalised")
    add("--class-weight", choices=["balanced"], help="give every class the same total weight")
    add("--tol", type=number, help="relative duality gap to certify; default: 1e-6, of sequences 1e-2")
    add("--solver", choices=names, default="auto", metavar="NAME", help=f"{', '.join(names)}; default: auto")
    add("--max-seconds", type=number, metavar="S", help="stop after about S seconds, shared by all problems")
    add("--seed", type=int, default=0, metavar="N", help="seed of everything that is random; default: 0")
    add("--quiet", action="store_true", help="show no progress, only the final table")
    add("--json", action="store_true", help="print one JSON object instead of tables")


class Trained(NamedTuple):
    """A model, and how its problems ended."""

    model: Model
    results: list[Result]

    @property
    def certified(self) -> bool:
        return all(result.converged and result.certificate.rigorous for result in self.results)


class TrainingData(NamedTuple):
    """What DATA holds, checked, and how it was read."""

    X: Storage
    y: NDArray[np.float64]
    classes: list[Any]
    columns: NDArray[np.int64] | None
    zero_based: bool | None


def training_data(args: argparse.Namespace) -> TrainingData:
    """Read DATA."""
    from pragam.cli.data import classes_of, compacted, labels_of, read
    from pragam.operators import check_data

    samples = read(args.data, args.n_features, args.zero_based)
    y = labels_of(samples, args.data)
    classes = classes_of(y, args.data, args.classes)
    X, columns = compacted(samples, args.compact_columns)
    return TrainingData(check_data(X, args.data or "the built-in example"), y, classes, columns, samples.zero_based)


def train(
    data: TrainingData,
    lam: float,
    args: argparse.Namespace,
    termination: Termination,
    max_seconds: float | None,
    starts: Sequence[Any] | None = None,
) -> Trained:
    """The model at this lam; ``starts`` are warm starts, one for each problem."""
    from pragam.certificate.optimum import neighbourhood
    from pragam.risks.by_name import problems_of

    risk = {"name": "hinge", "lam": lam, "bias": not args.no_bias, "class_weight": args.class_weight}
    problems = problems_of(risk, data.X, data.y, data.classes)
    results = _solve_all(problems, data.classes, args, termination, max_seconds, starts or [None] * len(problems))
    pairs = zip(problems, results, strict=True)
    optima = [neighbourhood(problem, one.w, one.certificate).to_record() for problem, one in pairs]
    return Trained(_model(data, risk, results, optima, args), results)


def check_target(path: Path) -> None:
    """Fail before training, not after it."""
    if path.is_dir():
        raise ValueError(f"{path}: is a folder, and the model is one file")
    target = Path(os.path.realpath(path))
    if path.exists() and not os.access(path, os.W_OK):
        raise ValueError(f"{path}: cannot be written to")
    through = path.exists() and not path.is_file()  # a device or a FIFO
    if not through and not os.access(target.parent, os.W_OK | os.X_OK):
        raise ValueError(f"{path}: its folder does not exist or cannot be written to")


def _solve_all(
    problems: list[Problem],
    classes: list[Any],
    args: argparse.Namespace,
    termination: Termination,
    max_seconds: float | None,
    starts: Sequence[Any],
) -> list[Result]:
    """One after the other, so that each has its line of progress. Ctrl-C ends the rest at its start."""
    from pragam.driver.solve_all import Job, Stop, solve_all

    def job(problem: Problem, label: str, start: Any) -> Job:
        def run(share: float | None, stop: Stop) -> Result:
            with progress(args.quiet, label) as line:
                return termination.run(
                    lambda seconds: solve(
                        problem, args.solver, tol=args.tol, max_iter=args.max_iter, max_seconds=seconds,
                        start=start, callback=line, random_state=args.seed,
                    ),
                    share,
                )  # fmt: skip

        return run

    labels = [f"class {label}:" for label in classes] if len(problems) > 1 else [""]
    jobs = [job(*each) for each in zip(problems, labels, starts, strict=True)]
    return solve_all(jobs, max_seconds, n_threads=1)


def progress(quiet: bool, label: str) -> Any:
    """A line of progress, unless nobody wants it."""
    from pragam.driver.progress import ProgressLine

    return nullcontext() if quiet else ProgressLine(label)


def _model(
    data: TrainingData, risk: dict[str, Any], results: list[Result], optima: list[Any], args: argparse.Namespace
) -> Model:
    import numpy as np

    from pragam import __version__
    from pragam.io import Model, data_fingerprint
    from pragam.risks.scaling import c_of

    return Model(
        coef=np.array([result.w for result in results]),
        intercept=np.array([result.bias for result in results]),
        classes=data.classes,
        alpha=np.array([result.alpha for result in results]),
        certificates=[result.certificate for result in results],
        risk=risk,
        parameters={
            "C": c_of(risk["lam"], len(data.y)),
            "tol": args.tol,
            "solver": results[0].solver,
            "seed": args.seed,
            "status": [result.status.name for result in results],
            "n_iter": [result.n_iter for result in results],
            "pragam": __version__,
            "zero_based": data.zero_based,
            "optima": optima,
        },
        fingerprint=data_fingerprint(data.X, data.y),
        columns=data.columns,
    )


def write(model: Model, args: argparse.Namespace) -> None:
    """The files that were asked for."""
    from pragam.io import save_liblinear, save_model

    if args.output:
        save_model(args.output, model)
    if args.liblinear:
        save_liblinear(args.liblinear, model)
