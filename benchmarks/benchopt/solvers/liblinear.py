"""LIBLINEAR's dual coordinate descent (Hsieh et al. 2008), by scikit-learn."""

import sklearn  # noqa: F401 (benchopt leaves a solver out if an import fails)
from benchmark_utils import PeerSolver


class Solver(PeerSolver):
    name = "liblinear"
    requirements = ["scikit-learn"]  # noqa: RUF012
