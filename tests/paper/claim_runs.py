"""Made runs of the paper's solvers, for the tests of the claims."""

from __future__ import annotations

import numpy as np

from made import made, made_run

DATA = "made"
PAPER = ("pragam", "ls-bmrm", "pegasos-n", "pegasos-1", "liblinear", "qp-bmrm")


SPEEDS = {"pragam": 10, "ls_bmrm": 40, "pegasos_n": 40, "pegasos_1": 400, "qp_bmrm": 8, "liblinear": 0.5}


def geometric(decade):
    """err_t / J* that falls tenfold every ``decade`` iterations."""
    return lambda t: 10.0 ** (-t / decade)


def of_speed(count=1000, **decades):
    """An experiment of the paper's solvers, each with its number of iterations to a tenth of the error."""
    return [made_run(DATA, name.replace("_", "-"), geometric(decade), count=count) for name, decade in decades.items()]


def arriving(at):
    """An accuracy of 0.5 before iteration ``at``, then that of the optimum."""
    return lambda t: np.where(t < at, 0.5, 0.9)


def constant(value):
    return lambda t: np.full_like(t, value)


def of_accuracy(count=200, **arrivals):
    """Runs of equal speed that arrive at these iterations."""
    return [
        made_run(DATA, name.replace("_", "-"), geometric(10), count=count, accuracy=arriving(at))
        for name, at in arrivals.items()
    ]


def answer(claim, runs, **facts):
    """The answer of the claim on the one made data set."""
    return claim.judge(made(runs, **facts), DATA).answer


def ended(error=1e-4, **accuracies):
    """Runs that end with these accuracies and this error. The standard error of 0.9 on 250 rows is 0.019."""
    return [
        made_run(DATA, name.replace("_", "-"), lambda t: 1 / t + error, accuracy=constant(a), count=2000)
        for name, a in accuracies.items()
    ]
