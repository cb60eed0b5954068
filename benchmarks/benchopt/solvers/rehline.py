"""ReHLine: coordinate descent for piecewise linear-quadratic losses (Dai and Qiu 2023)."""

import rehline  # noqa: F401 (benchopt leaves a solver out if an import fails)
from benchmark_utils import PeerSolver


class Solver(PeerSolver):
    name = "rehline"
    requirements = ["pip::rehline"]  # noqa: RUF012
