"""Experiments to draw: made ones with every difficulty that a real one may have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from made import OPTIMUM, made, made_run
from pragam.compare import Experiment, Reference, Run

HOSTILE = '<script>alert(1)</script> "quoted" & $x^2$ </style>'
SOLVERS = ("auto", "dcd", "newton", "pragam", "qp-bmrm", "ls-bmrm", "pegasos-n", "pegasos-1", "liblinear", "sgd")
EMPTY = Experiment({}, {}, {}, {}, ())


def small() -> Experiment:
    """Two sets, a peer, a solver of another problem, one that failed and one that was stopped."""
    rates = {"dcd": lambda t: np.exp(-t / 8), "pragam": lambda t: 1 / t}
    runs = [made_run(data, solver, rate) for data in ("one", "two") for solver, rate in rates.items()]
    runs += [made_run(data, "liblinear", lambda t: np.exp(-t / 20), is_peer=True) for data in ("one", "two")]
    runs += [made_run(data, "pragam-b", problem="hinge with a bias") for data in ("one", "two")]
    runs.append(Run("one", "snapml", is_peer=True, status="snapml is not installed"))
    runs.append(replace(made_run("two", "ls-bmrm"), status="The time budget ended."))
    return made(runs)


def nine_by_ten(points: int = 1500) -> Experiment:
    """As large as the paper's comparison."""
    runs = []
    for k in range(9):
        for i, solver in enumerate(SOLVERS):
            speed, wave = (i + 1) / 300, 0.3 + 0.1 * k

            def rate(t: np.ndarray, speed: float = speed, wave: float = wave) -> np.ndarray:
                return np.exp(-t * speed + wave * np.sin(t)) / (1 + t)

            runs.append(made_run(f"set{k}", solver, rate, count=points, is_peer=solver in ("liblinear", "sgd")))
    return made(runs)


def hostile() -> Experiment:
    """Names, reasons and options that try to be HTML, CSS, a script or mathematics."""
    run = replace(made_run(HOSTILE, HOSTILE), status=HOSTILE)
    return replace(
        made([run, Run(HOSTILE, "x" + HOSTILE, status=HOSTILE)], failures={HOSTILE: HOSTILE}),
        options={HOSTILE: HOSTILE}, machine={HOSTILE: [HOSTILE]},
    )  # fmt: skip


def single_point() -> Experiment:
    """One iteration, one repeat, no accuracy."""
    return made([made_run("one", "dcd", count=1, repeats=1, accuracy=lambda t: np.full_like(t, np.nan))])


def at_zero() -> Experiment:
    """Points at iteration 0 and second 0, which no logarithmic axis has."""
    run = made_run("one", "dcd", count=5)
    return made([replace(run, iteration=run.iteration - 1, seconds=run.seconds - run.seconds[:, :1])])


def without_clock() -> Experiment:
    """A repeat that was not timed."""
    run = made_run("one", "dcd", count=5)
    return made([replace(run, seconds=np.vstack([run.seconds, np.full(5, np.nan)]))])


def all_failed() -> Experiment:
    return made([Run("one", "dcd", status="killed"), Run("one", "liblinear", is_peer=True)])


def not_proved() -> Experiment:
    """A reference that has not reached its tolerance: err is an interval."""
    experiment = small()
    rough = Reference(OPTIMUM, OPTIMUM * 0.99, 1e-2, 1e-10, 5.0, "auto (newton)")
    return replace(experiment, references=dict.fromkeys(experiment.references, rough))


def without_reference() -> Experiment:
    return replace(small(), references={})


def tuned() -> Experiment:
    lam = [2.0**k for k in range(-8, 1)]
    accuracy = [0.9 - 0.01 * abs(k + 4) for k in range(-8, 1)]
    columns = {"lam": lam, "accuracy": accuracy, "error": [0.01] * 9, "gap": [1e-6] * 9}
    return replace(small(), tuning={"one": columns})


def stand_in() -> Experiment:
    experiment = small()
    return replace(experiment, data={**experiment.data, "one": replace(experiment.data["one"], stand_in_for="news20")})


ALL = {
    "empty": lambda: EMPTY, "small": small, "hostile": hostile, "single point": single_point, "at zero": at_zero,
    "without clock": without_clock, "all failed": all_failed, "not proved": not_proved,
    "without reference": without_reference, "tuned": tuned, "stand-in": stand_in,
}  # fmt: skip
