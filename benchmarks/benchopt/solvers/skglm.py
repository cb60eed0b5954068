"""skglm's LinearSVC: working sets and Anderson acceleration on the dual, compiled by numba off the clock."""

import skglm  # noqa: F401 (benchopt leaves a solver out if an import fails)
from benchmark_utils import PeerSolver


class Solver(PeerSolver):
    name = "skglm"
    requirements = ["pip::skglm"]  # noqa: RUF012

    def warm_up(self):
        self.run_once(1)
