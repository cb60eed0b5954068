"""The paper's solvers, by the names of their runs, and what one iteration of each is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pragam.compare.experiment import Experiment, Floats, Reference, Run

PRAGAM = "pragam"
PRAGAM_B = "pragam-b"
LS_BMRM = "ls-bmrm"
QP_BMRM = "qp-bmrm"
PEGASOS_N = "pegasos-n"
PEGASOS_1 = "pegasos-1"
LIBLINEAR = "liblinear"

#: Those without a bias, in the order of the paper's figures.
PAPER = (PRAGAM, LS_BMRM, PEGASOS_N, PEGASOS_1, LIBLINEAR, QP_BMRM)
#: Those in its figures over iterations: one iteration reads all examples (of LIBLINEAR: one pass of coordinate steps).
BY_ITERATIONS = (PRAGAM, LS_BMRM, PEGASOS_N, LIBLINEAR, QP_BMRM)

WITHOUT_BIAS, WITH_BIAS = "hinge", "hinge with a bias"


def run_of(experiment: Experiment, data: str, solver: str) -> Run | None:
    """The run of one of the paper's solvers on the problem that the paper gave it; None if there are no points."""
    problem = WITH_BIAS if solver == PRAGAM_B else WITHOUT_BIAS
    run = experiment.run(data, solver)
    return complete(run) if run is not None and run.has_points and run.problem == problem else None


def complete(run: Run) -> Run:
    """The run with NaN in the columns that were not recorded."""

    def known(column: Floats) -> Floats:
        return column if len(column) == len(run.iteration) else np.full(len(run.iteration), np.nan)

    return replace(run, iterate=known(run.iterate), accuracy=known(run.accuracy), support=known(run.support))


def run_and_reference(experiment: Experiment, data: str, solver: str) -> tuple[Run, Reference] | None:
    """The run with the optimum of its problem; None if either is missing."""
    run = run_of(experiment, data, solver)
    reference = None if run is None else experiment.reference(run)
    return None if run is None or reference is None else (run, reference)


def others(solver: str, among: tuple[str, ...] = PAPER) -> tuple[str, ...]:
    return tuple(name for name in among if name != solver)
