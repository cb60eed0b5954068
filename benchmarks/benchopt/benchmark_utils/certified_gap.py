"""When a solver has arrived: the proof says so, not the size of its last steps."""

from math import log

from benchopt.stopping_criterion import StoppingCriterion


class CertifiedGap(StoppingCriterion):
    """Stop when the proven relative gap is at most ``tol``. Else ``--max-runs`` or ``--timeout`` end a solver.

    benchopt's own criteria stop where a curve is flat. That is where bundle and coordinate methods begin, and where a
    plateau looks like an optimum.
    """

    def __init__(self, tol=1e-9, strategy=None, key_to_monitor="relative_gap", minimize=True):
        self.tol = tol
        super().__init__(tol=tol, strategy=strategy, key_to_monitor=key_to_monitor, minimize=minimize)

    def check_convergence(self, objective_list):
        gap = objective_list[-1][self.key_to_monitor_]
        if gap <= self.tol:
            return True, 1
        return False, max(log(gap) / log(self.tol), 0) if gap < 1 else 0
