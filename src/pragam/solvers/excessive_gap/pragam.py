r"""PRAGAM: primal-adjoint gap minimisation at the rate O(1/k^2).

Algorithm 1 of Saha, Zhang and Vishwanathan, "Lower bounds for BMRM and faster rates for training SVMs",
which is the excessive gap technique of Nesterov (2003) for a strongly convex primal. With the prox function
d(alpha) = 1/2 |alpha - centre|^2 on Q and D_2 = max over Q of d it keeps

    J_mu(w_k) <= D(alpha_k),   J_mu(w) = lam/2 |w|^2 + max over Q of <alpha, A w + c> - g(alpha) - mu d(alpha)

while mu goes to zero; since J <= J_mu + mu D_2, the gap J(w_k) - D(alpha_k) is at most mu_k D_2. One iteration:

    alpha_mu = argmax in the definition of J_mu(w_k)            a projection
    beta     = (1 - tau) alpha_k + tau alpha_mu
    w_{k+1}  = (1 - tau) w_k + tau w(beta)
    alpha_{k+1} = argmax over Q of <A w(beta) + c, v> - g(v) - L/2 |v - beta|^2      a projection
    mu_{k+1} = (1 - tau) mu_k

The step keeps the condition whenever tau^2 / (1 - tau) <= mu_k / L and

    F(alpha_{k+1}) >= F(beta) + <grad F(beta), alpha_{k+1} - beta> - L/2 |alpha_{k+1} - beta|^2,  F = D + g.    (*)

The conjugate term g is never linearised, so its curvature is not in L. Q is the set of feasible dual points: with
biases, the part of it on their planes (the paper's PRAGAM-b).

*L given*: mu_0 = 2 L, tau_k = 2/(k+3) as printed, so mu_k = 4 L / ((k+1)(k+2)).

*L adapted* (default, after Nesterov 2007): F is quadratic, so (*) reads |A'(alpha_{k+1} - beta)|^2 / lam
<= L |alpha_{k+1} - beta|^2 and costs one product with A'. If it fails, L doubles and the trial
is repeated as an iteration of its own; tau is the root of tau^2/(1-tau) = mu/L. L starts at the square of the
largest row norm over lam, a lower bound of the true constant, so at most log2(n) + 1 trials fail in all,
L never exceeds twice the true constant, and the rate is kept.

Projections: where Q keeps the multipliers of a projection (``Q.prox_from``: chains), the state carries those of both
projections to the next iteration, whose Newton methods start from them.

Products: grad F(beta) = c + A w(beta) serves both the step and, by linearity, A w_{k+1}; so an
iteration costs one product with A and one with A', plus one with A' if L is adapted.

Corrections to the paper: alpha_{-1} must be the centre of the prox function (a random start loses the
guarantee), and the Lipschitz constant of grad D is sigma_max(A)^2 / lam, with the 1/lam.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pragam.operators.base import Vector
from pragam.problem import AnyProblem
from pragam.solvers.base import Cost, Solver, Start, State, unbounded

#: Passes over the data in an iteration with adapted L; one less if L is given.
_PASSES = 3.0
#: How often the two projections of an iteration read the dual variables where planes of labels cut the set: 2 to 700
#: times in the label problems of ``benchmarks/ordinary.py``, most often where the bound is a few thousand passes.
_READS = 100.0
#: L is at least this share of |c| / (the largest |alpha| in Q): where A is next to nothing, v = c / L would have no
#: digits left to project. The gap mu D_2 is then at most this share of |c| |alpha|, the size of J(0), from the start.
_LEAST = 1e-8


_TINY = float(np.finfo(np.float64).tiny)


@dataclass
class PragamState(State):
    w: Vector
    alpha: Vector
    scores: Vector  # A w + c
    centre: Vector
    radius2: float
    lipschitz: float
    lipschitz_bound: float
    mu: float
    k: int
    warm: tuple[Any, Any] = (None, None)  # what the next projections start from: for alpha_mu, for alpha_{k+1}

    @property
    def bound(self) -> float:
        """The guarantee: J(w) - D(alpha) <= mu D_2."""
        return self.mu * self.radius2


@dataclass(frozen=True)
class Pragam(Solver[AnyProblem, PragamState]):
    """PRAGAM; on a polytope with an equality constraint it is the paper's PRAGAM-b.

    Parameters
    ----------
    lipschitz : "adaptive", "bound" or float
        The constant L of grad F: adapted on the way, or ``A.norm_bound()**2 / lam``, or a number no less than
        ``sigma_max(A)**2 / lam``.
    """

    lipschitz: str | float = "adaptive"

    def __post_init__(self) -> None:
        if not isinstance(self.lipschitz, str) and not 0 <= self.lipschitz < np.inf:
            raise ValueError(f"solver 'pragam' needs a finite Lipschitz constant >= 0, not {self.lipschitz!r}")

    name = "pragam"
    needs = ("Q.project",)

    @classmethod
    def misfits(cls, problem: AnyProblem) -> list[str]:
        """The rate is stated in D_2, which must be finite."""
        return unbounded(problem)

    def cost(self, problem: AnyProblem, tol: float) -> Cost:
        """Passes within which it is sure to certify ``tol``, from the bound on L, and J* of the order of J(0).

        A bound, not a guess, and never compared with one: only the counts are stated. Where a projection is a search of
        its own, what it reads counts as passes too.
        """
        is_long = problem.cut is not None and problem.cut.is_search_long
        biases = np.zeros(problem.n_biases) if is_long else None  # the best ones would take longer than many a solve
        eps = tol * abs(problem.primal(np.zeros(problem.n_weights), biases))
        bound = 4 * max(_curvature(problem, problem.A.norm_bound()), _least_lipschitz(problem)) * problem.Q.radius2()
        steps = float(np.sqrt(bound / eps)) if eps > 0 and np.isfinite(bound) else np.inf
        reads = _READS * problem.Q.size / max(problem.A.entries, 1) if is_long else 0.0
        return Cost((_PASSES + reads) * steps, steps)

    def init(self, problem: AnyProblem, rng: np.random.Generator, start: Start | None, tol: float) -> PragamState:
        centre = problem.start() if start is None else start.alpha
        w = problem.w_of_alpha(centre)
        scores = problem.A.matvec(w) + problem.c
        L, bound = self._first_lipschitz(problem)
        mu, passes = 2 * L, 2.0
        alpha, warm = _step_from(problem, centre, scores, L, None)
        if self._adaptive:
            passes += 1
            while not _is_upper_model(problem, alpha - centre, problem.A.rmatvec(alpha - centre), L, bound):
                L, passes = 2 * L, passes + 1
                alpha, warm = _step_from(problem, centre, scores, L, warm)
            mu = L
        radius2 = problem.Q.radius2(centre)
        return PragamState(passes, w, alpha, scores, centre, radius2, L, bound, mu, 0, (warm, warm))

    def step(self, problem: AnyProblem, state: PragamState) -> PragamState:
        return self._adaptive_step(problem, state) if self._adaptive else self._plain_step(problem, state)

    def candidate(self, problem: AnyProblem, state: PragamState) -> tuple[Vector, Vector]:
        return state.w, state.alpha

    @property
    def _adaptive(self) -> bool:
        return self.lipschitz == "adaptive"

    def _first_lipschitz(self, problem: AnyProblem) -> tuple[float, float]:
        """The first L, and a value beyond which it never needs to grow."""
        bound = _curvature(problem, problem.A.norm_bound())
        if self._adaptive:
            L = _curvature(problem, float(problem.A.row_norms().max(initial=0.0)))
        elif self.lipschitz == "bound":
            L = bound
        else:
            L = float(self.lipschitz)
        if not (np.isfinite(L) and L >= 0):
            raise ValueError(f"solver 'pragam' needs a finite Lipschitz constant, not {L!r}: scale X or lam")
        least = _least_lipschitz(problem)
        return max(L, least), max(bound, least)

    def _plain_step(self, problem: AnyProblem, state: PragamState) -> PragamState:
        L = state.lipschitz
        tau = 2 / (state.k + 3)
        alpha_mu, of_mu = _smoothed_maximiser(problem, state)
        beta = (1 - tau) * state.alpha + tau * alpha_mu
        w_beta = problem.w_of_alpha(beta)
        gradient = problem.A.matvec(w_beta) + problem.c
        alpha, of_alpha = _step_from(problem, beta, gradient, L, state.warm[1])
        return replace(
            state,
            passes=state.passes + 2,
            w=(1 - tau) * state.w + tau * w_beta,
            scores=(1 - tau) * state.scores + tau * gradient,
            alpha=alpha,
            mu=(1 - tau) * state.mu,
            k=state.k + 1,
            warm=(of_mu, of_alpha),
        )

    def _adaptive_step(self, problem: AnyProblem, state: PragamState) -> PragamState:
        L = state.lipschitz
        tau = largest_tau(state.mu / L)
        alpha_mu, of_mu = _smoothed_maximiser(problem, state)
        beta = (1 - tau) * state.alpha + tau * alpha_mu
        w_beta = problem.w_of_alpha(beta)
        gradient = problem.A.matvec(w_beta) + problem.c
        alpha, of_alpha = _step_from(problem, beta, gradient, L, state.warm[1])
        adjoint_step = problem.A.rmatvec(alpha - beta)
        passes = state.passes + 3
        if not _is_upper_model(problem, alpha - beta, adjoint_step, L, state.lipschitz_bound):
            return replace(state, passes=passes, lipschitz=2 * L, warm=(of_mu, of_alpha))
        return replace(
            state,
            passes=passes,
            w=(1 - tau) * state.w + tau * w_beta,
            scores=(1 - tau) * state.scores + tau * gradient,
            alpha=alpha,
            mu=(1 - tau) * state.mu,
            k=state.k + 1,
            warm=(of_mu, of_alpha),
        )


def _smoothed_maximiser(problem: AnyProblem, state: PragamState) -> tuple[Vector, Any]:
    """argmax over Q of <alpha, A w + c> - g(alpha) - mu/2 |alpha - centre|^2, and what the next can start from."""
    return _step_from(problem, state.centre, state.scores, state.mu, state.warm[0])


def _step_from(problem: AnyProblem, centre: Vector, slope: Vector, L: float, start: Any) -> tuple[Vector, Any]:
    """argmax over the feasible points of <alpha, slope> - g(alpha) - L/2 |alpha - centre|^2, and such a start."""
    return problem.prox_from(slope + L * centre, L, start)


def _is_upper_model(problem: AnyProblem, step: Vector, adjoint_step: Vector, L: float, bound: float) -> bool:
    """Condition (*); at L >= bound it is proven, so rounding cannot fail it there."""
    length2 = float(step @ step)
    curved = float(adjoint_step @ (adjoint_step / problem.lam))
    return bound <= L or curved <= L * length2


def _curvature(problem: AnyProblem, norm: float) -> float:
    """The Lipschitz constant of the gradient of D + g if A had this norm."""
    return norm * (norm / problem.lam)


def _least_lipschitz(problem: AnyProblem) -> float:
    """An L below which projections have no digits."""
    length = float(np.sqrt(2 * problem.Q.radius2()))
    return max(_LEAST * float(np.linalg.norm(problem.c)) / length if length > 0 else 0.0, _TINY)


def largest_tau(ratio: float) -> float:
    """The root in (0, 1) of tau^2 / (1 - tau) = ratio."""
    return 2 / (1 + float(np.sqrt(1 + 4 / ratio)))
