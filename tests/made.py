"""Experiments of known answer, made without running anything."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pragam.compare import DataFacts, Experiment, Reference, Run

#: J* of every made problem, known to 1e-12.
OPTIMUM = 0.25


def falling(rate: Callable[[np.ndarray], np.ndarray], count: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Iterations 1 .. count and J at them, where rate(t) is err_t / J*."""
    iteration = np.arange(1.0, count + 1)
    return iteration, OPTIMUM * (1 + rate(iteration))


def made_run(
    data: str,
    solver: str,
    rate: Callable[[np.ndarray], np.ndarray] = lambda t: 1 / t,
    *,
    per_iteration: float = 1e-3,
    repeats: int = 3,
    count: int = 200,
    accuracy: Callable[[np.ndarray], np.ndarray] = lambda t: 0.9 - 0.4 / t,
    support: Callable[[np.ndarray], np.ndarray] = lambda t: np.full_like(t, 100.0),
    is_peer: bool = False,
    problem: str = "hinge",
) -> Run:
    """A run whose error, accuracy and number of support vectors are functions of the iteration."""
    iteration, primal = falling(rate, count)
    slower = 1 + 0.05 * np.arange(repeats)[:, None]
    nothing = np.full(count, np.nan)
    return Run(
        data=data, solver=solver, problem=problem, is_peer=is_peer,
        status="The certified relative gap is within the tolerance.",
        iteration=iteration, seconds=slower * per_iteration * iteration, primal=primal, iterate=nothing,
        gap=nothing if is_peer else 2 * np.minimum.accumulate(primal / OPTIMUM - 1), accuracy=accuracy(iteration),
        support=nothing if is_peer else support(iteration),
    )  # fmt: skip


def made(runs: list[Run], **facts: object) -> Experiment:
    """An experiment of these runs, on sets of 1000 x 20."""
    names = list(dict.fromkeys(run.data for run in runs))
    problems = dict.fromkeys((run.data, run.problem) for run in runs)
    reference = Reference(OPTIMUM, OPTIMUM * (1 - 1e-12), 1e-12, 1e-10, 0.5, "auto (newton)", 0.9, 100)
    data = {name: DataFacts(name, 1000, 20, 20_000, 2.0**-10, n_test=250, test="file") for name in names}
    machine = {"processor": "a processor", "cores": 2, "threads": 1, "versions": {"pragam": "0.1.0"}}
    return Experiment({"seconds": 10.0}, machine, data, dict.fromkeys(problems, reference), tuple(runs), **facts)  # type: ignore[arg-type]
