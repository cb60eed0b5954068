"""What objective and solvers share."""

from benchmark_utils.certified_gap import CertifiedGap
from benchmark_utils.peer_solver import PeerSolver

__all__ = ["CertifiedGap", "PeerSolver"]
