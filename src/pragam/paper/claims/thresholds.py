"""What the paper's words mean in numbers, once and for all claims."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """The paper gives no numbers for "faster", "competitive" or "similar"; these are ours.

    An accuracy eps is relative: err_t <= eps J*. The paper's err_t is absolute; its J* are between 0.1 and 1.

    Attributes
    ----------
    budget : float
        Seconds that each run of a comparison has at least. On less nothing is decided: a slow start is no slow solver.
    accuracies : tuple
        Where solvers are compared. "Faster" means sooner at more than half of those that one of them has reached:
        where none has, nothing is known.
    low : float
        The paper's own example of a low accuracy.
    high : tuple
        "When higher accuracy is desired".
    far : float
        "Much faster", "very slowly": a factor of 10.
    long : float
        "A long time": a factor of 3.
    competitive : float
        At most twice as long.
    standard_errors : float
        "Similar" accuracy: within this many binomial standard errors sqrt(p (1 - p) / n_test) of the reference's p.
    one_repeat : float
        A time measured once may be off by this factor; of several repeats the least and the largest are known.
    converged : float
        err_t / J* at which a run counts as having ended.
    fluctuation : float
        "Drastically": J(w_t) - J* is this many times the least so far.
    zero_value : float
        J(0) of the hinge loss. Weights with a larger J are worse than none.
    decades : float
        A rate is fitted only where err_t falls by at least this many powers of 10 after the start.
    start : float
        The start of a run is over when err_t has fallen by this factor.
    fit_points : int
        And only to at least this many points.
    linear_fit : float
        R^2 from which log err_t counts as linear in t.
    above_reference : float
        Rates and ratios are formed only of errors this many times the width of the interval that holds J*.
    correlation : float
        Rank correlation from which two quantities count as related.
    dense : float
        Share of the rows with alpha > 0 from which a solution has "no sparsity".
    milder : float
        A dependence k ~ (1/lam)^p is milder if p is less by at least this much.
    """

    budget: float = 3.0
    accuracies: tuple[float, ...] = (0.3, 0.1, 0.03, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
    low: float = 1e-3
    high: tuple[float, ...] = (1e-4, 1e-5, 1e-6)
    far: float = 10.0
    long: float = 3.0
    competitive: float = 2.0
    standard_errors: float = 1.0
    one_repeat: float = 1.2
    converged: float = 1e-3
    fluctuation: float = 10.0
    zero_value: float = 1.0
    decades: float = 2.0
    start: float = 10.0
    fit_points: int = 10
    linear_fit: float = 0.95
    above_reference: float = 10.0
    correlation: float = 0.5
    dense: float = 0.9
    milder: float = 0.1


THRESHOLDS = Thresholds()
