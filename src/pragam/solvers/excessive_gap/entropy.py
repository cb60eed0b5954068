r"""PRAGAM with the entropy as prox function: a Gibbs distribution in each iteration instead of a projection.

Zhang, Saha and Vishwanathan, "Accelerated training of max-margin Markov networks with kernels" (2011): the excessive
gap technique of Nesterov (2005) with a Bregman divergence. The prox function is

    d(alpha) = sum_i totals_i KL(p_i | uniform),     alpha_i = totals_i times the expectations under p_i,

on the product of the examples' polytopes, with the Bregman divergence B(v, u) = sum_i totals_i KL(p_i^v | p_i^u), and
D_1 = max over Q of d = sum_i totals_i log(number of labellings of i). As in :mod:`pragam.solvers.excessive_gap.pragam`,
it keeps

    J_mu(w_k) <= D(alpha_k),   J_mu(w) = lam/2 |w|^2 + max over Q of <alpha, A w + c> - mu d(alpha),

so the gap is at most mu_k D_1. With a_k the maximiser in the definition of J_mu(w_k), one iteration is

    beta        = (1 - tau) alpha_k + tau a_k
    w_{k+1}     = (1 - tau) w_k + tau w(beta),     mu_{k+1} = (1 - tau) mu_k
    a_{k+1}     = argmax over Q of <v, A w_{k+1} + c> - mu_{k+1} d(v)                    one forward-backward
    alpha_{k+1} = (1 - tau) alpha_k + tau a_{k+1}.

The literature computes the last point by a Bregman projection of a_k along tau grad D(beta) / ((1 - tau) mu_k). The
parameters of that Gibbs distribution are (A w_{k+1} + c) / mu_{k+1}: it is a_{k+1}, and a second forward-backward is
not needed. The step keeps the condition whenever

    tau^2 / (1 - tau) <= mu_k / L   and   |A'(a_{k+1} - a_k)|^2 / lam <= 2 L B(a_{k+1}, a_k).    (*)

Pinsker's inequality and Cauchy's prove (*) for L = sum_i totals_i r_i^2 / lam, r_i = max |A' v| over the labellings v
of example i. As totals_i is weight_i / n, this L does not grow with n.

*L given*: mu_0 = L and tau is the root of tau^2 / (1 - tau) = mu / L, so mu_k <= 4 L / (k+2)^2.

*L adapted* (default): L starts far below that bound. A trial at which (*) fails is an iteration of its own,
after which L has doubled. L never exceeds twice the bound, and mu_k <= 8 L / (k+2)^2.

An iteration costs one product with A and one with A', by linearity: A' alpha_k is a combination of the A' a_k.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pragam.operators.base import Operator, Vector
from pragam.problem import Problem
from pragam.solvers.base import Solver, Start, State, curved
from pragam.solvers.excessive_gap.pragam import largest_tau
from pragam.structured.chains.marginals import ChainMarginals

#: The first L, as a share of its bound. The adapted L ends between 2^-7 and 2^-11 of the bound on small random chains.
_FIRST = 2.0**-16
_EPS = float(np.finfo(np.float64).eps)


class Gibbs(NamedTuple):
    """The Gibbs distributions of the parameters theta: their point of Q, A' of it, and max of <v, theta> - d(v)."""

    theta: Vector
    point: Vector
    adjoint: Vector
    value: float


#: Sets that a sum of entropies is strongly convex on, with a closed maximum.
EntropyProblem = Problem[Operator, ChainMarginals]


@dataclass
class PragamEntropyState(State):
    w: Vector
    alpha: Vector
    adjoint: Vector  # A' alpha + tilt
    scores: Vector  # A w + c
    soft: Gibbs  # a, the maximiser in J_mu(w)
    radius: float
    lipschitz: float
    lipschitz_bound: float
    mu: float
    k: int

    @property
    def bound(self) -> float:
        """The guarantee: J(w) - D(alpha) <= mu D_1."""
        return self.mu * self.radius


@dataclass(frozen=True)
class PragamEntropy(Solver[EntropyProblem, PragamEntropyState]):
    """PRAGAM with the entropy prox. A warm start is not used: the rate needs the uniform distribution as centre.

    Parameters
    ----------
    lipschitz : "adaptive", "bound" or float
        The constant L of (*): adapted on the way, or the bound that is proved above, or a number no less than needed.
    """

    lipschitz: str | float = "adaptive"

    name = "pragam-entropy"
    needs = ("Q.soft_maximise", "Q.entropy_radius", "Q.squared_reach")

    def __post_init__(self) -> None:
        is_known = self.lipschitz in ("adaptive", "bound")
        if not is_known and (isinstance(self.lipschitz, str) or not 0 <= self.lipschitz < np.inf):
            raise ValueError(
                f"solver 'pragam-entropy' needs a finite Lipschitz constant >= 0, 'adaptive' or 'bound', "
                f"not {self.lipschitz!r}"
            )

    @classmethod
    def misfits(cls, problem: EntropyProblem) -> list[str]:
        biases = ["knows no planes, and this problem has biases"] if problem.n_biases else []
        return [*curved(problem), *biases]

    def init(
        self, problem: EntropyProblem, rng: np.random.Generator, start: Start | None, tol: float
    ) -> PragamEntropyState:
        L, bound = self._first_lipschitz(problem)
        centre = _gibbs(problem, np.zeros(problem.Q.size))
        w = centre.adjoint / -problem.lam
        scores = problem.A.matvec(w) + problem.c
        soft, passes = _gibbs(problem, scores / L), 3.0
        while self._adaptive and not _is_upper_model(problem, soft, centre, L, bound):
            L, passes = 2 * L, passes + 1
            soft = _gibbs(problem, scores / L)
        radius = problem.Q.entropy_radius()
        return PragamEntropyState(passes, w, soft.point, soft.adjoint, scores, soft, radius, L, bound, L, 0)

    def step(self, problem: EntropyProblem, state: PragamEntropyState) -> PragamEntropyState:
        L = state.lipschitz
        tau = largest_tau(state.mu / L)
        w_beta = _between(tau, state.adjoint, state.soft.adjoint) / -problem.lam
        scores = _between(tau, state.scores, problem.A.matvec(w_beta) + problem.c)
        mu = (1 - tau) * state.mu
        soft = _gibbs(problem, scores / mu)
        passes = state.passes + 2
        if self._adaptive and not _is_upper_model(problem, soft, state.soft, L, state.lipschitz_bound):
            return replace(state, passes=passes, lipschitz=2 * L)
        return replace(
            state,
            passes=passes,
            w=_between(tau, state.w, w_beta),
            alpha=_between(tau, state.alpha, soft.point),
            adjoint=_between(tau, state.adjoint, soft.adjoint),
            scores=scores,
            soft=soft,
            mu=mu,
            k=state.k + 1,
        )

    def candidate(self, problem: EntropyProblem, state: PragamEntropyState) -> tuple[Vector, Vector]:
        return state.w, state.alpha

    @property
    def _adaptive(self) -> bool:
        return self.lipschitz == "adaptive"

    def _first_lipschitz(self, problem: EntropyProblem) -> tuple[float, float]:
        """The first L, and the bound beyond which it never needs to grow."""
        bound = problem.Q.squared_reach(problem.A.row_norms()) / problem.lam
        L = _FIRST * bound if self._adaptive else bound if self.lipschitz == "bound" else float(self.lipschitz)
        if not np.isfinite(L):
            raise ValueError(f"solver 'pragam-entropy' needs a finite Lipschitz constant, not {L!r}: scale X or lam")
        tiny = float(np.finfo(np.float64).tiny)
        return max(L, tiny), max(bound, tiny)


def _gibbs(problem: EntropyProblem, theta: Vector) -> Gibbs:
    point, value = problem.Q.soft_maximise(theta)
    return Gibbs(theta, point, problem.adjoint(point), value)


def _is_upper_model(problem: EntropyProblem, new: Gibbs, old: Gibbs, L: float, bound: float) -> bool:
    """Condition (*), up to the rounding of B(new, old) = <theta_new - theta_old, new> - value_new + value_old.

    At L >= bound it is proven, so rounding cannot fail it there.
    """
    rounding = _EPS * (abs(new.value) + abs(old.value))
    divergence = float((new.theta - old.theta) @ new.point) - new.value + old.value + rounding
    step = new.adjoint - old.adjoint
    return bound <= L or float(step @ (step / problem.lam)) <= 2 * L * divergence


def _between(tau: float, old: Vector, new: Vector) -> Vector:
    return (1 - tau) * old + tau * new
