"""Training: a record, samples and settings become a model. Estimators, commands and selection all come through here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from numpy.typing import NDArray

from pragam.driver.checkpoint.place import AnyPath, Checkpoints
from pragam.driver.expectation import announcement
from pragam.driver.jobs import Guard, Listener, Settings, nobody, solve_problems, unguarded
from pragam.driver.path import paths
from pragam.driver.result import Result
from pragam.models.base import Model, Proof, Solves
from pragam.models.features import Features
from pragam.models.kinds import KINDS
from pragam.problem import AnyProblem
from pragam.risks import Risk
from pragam.runtime.threads import using


class Fitted(NamedTuple):
    """A model, and the solves that it came from, with the seconds at which they began."""

    model: Any
    problems: list[AnyProblem]
    results: list[Result]
    begun: list[float]


def fit(
    risk: Risk,
    samples: Any,
    settings: Settings,
    features: Features | None = None,
    labels: NDArray[Any] | None = None,
    starts: Sequence[Any] | None = None,
    listener: Listener = nobody,
    guard: Guard = unguarded,
    fingerprint: bool = True,
    checkpoint: AnyPath | Checkpoints | None = None,
    say: Callable[[str], None] | None = None,
) -> Fitted:
    """Pose, solve and keep. What data in blocks should take is said before, to whoever listens by ``say``.

    ``starts`` are (w, dual) of each problem, used if they are those of problems of the same sizes; for a dual of None
    the point is taken from which solvers start. A fingerprint reads
    the data once more, which is a fifth of a small fit: without it the model knows their size alone.
    """
    features = features or Features()
    numbers = features.numbers(samples)
    features = features.learnt(numbers)
    labels = risk.learn(numbers) if labels is None else labels
    own = features.mapped(numbers)
    problems = risk.pose(own, labels)
    if say is not None and samples.in_blocks:
        say(announcement(problems, settings.solver, settings.tol, settings.memory))
    results, begun = solve_problems(problems, settings, _fitting(starts, problems), listener, guard, checkpoint)
    identity = numbers.fingerprint() if fingerprint else numbers.size()
    solves = list(zip(problems, results, strict=True))
    model = model_of(risk, labels, solves, own, features, settings, identity)
    return Fitted(model, problems, results, begun)


def fit_path(
    risk: Risk,
    samples: Any,
    lams: Iterable[float],
    settings: Settings,
    features: Features,
    labels: NDArray[Any],
    checkpoint: AnyPath | Checkpoints | None = None,
) -> list[Fitted]:
    """A model for each lam, in their order; each solve starts from the solution at the next larger lam."""
    lams = list(lams)
    numbers = features.numbers(samples)
    features = features.learnt(numbers)
    own = features.mapped(numbers)
    problems = risk.pose(own, labels)
    with using(settings.n_jobs):
        found = paths(
            problems, lams, settings.tol, settings.solver, settings.max_seconds, random_state=settings.seed(0),
            max_iter=settings.max_iter, checkpoint=checkpoint, exact_end=settings.exact_end, memory=settings.memory,
        )  # fmt: skip
    fitted = []
    for lam, results in zip(lams, zip(*found, strict=True), strict=True):
        solves = list(zip(problems, results, strict=True))
        model = model_of(risk.at(lam), labels, solves, own, features, settings, numbers.size())
        fitted.append(Fitted(model, problems, list(results), [0.0] * len(problems)))
    return fitted


def model_of(
    risk: Risk,
    labels: NDArray[Any],
    solves: Solves,
    own: Any,
    features: Features,
    settings: Settings,
    fingerprint: dict[str, Any],
) -> Model:
    """The model of solved problems; ``own`` are the samples in the model's features."""
    kind = KINDS[risk.kind]
    proofs = tuple(_proof(result) for _, result in solves)
    tensors, known = kind.tensors_of(risk, labels, solves), settings.to_json()
    return kind(risk, labels, tensors, proofs, features, own.given(), {}, fingerprint, known).calibrated(own)


def _proof(result: Result) -> Proof:
    return Proof(result.certificate, result.alpha, result.status, result.n_iter, result.solver)


def _fitting(starts: Sequence[Any] | None, problems: list[AnyProblem]) -> Sequence[Any] | None:
    """The starts (w, dual) of the last fit, if its problems were as large."""
    if starts is None or len(starts) != len(problems):
        return None
    pairs = list(zip(starts, problems, strict=True))
    if not all(_fits(start, problem) for start, problem in pairs):
        return None
    return [(w, problem.start() if dual is None else dual) for (w, dual), problem in pairs]


def _fits(start: Any, problem: AnyProblem) -> bool:
    """Whether w is as long, and the dual point, if there is one, a vector as long or one that the set knows."""
    w, dual = start
    if len(w) != problem.n_weights or dual is None:
        return len(w) == problem.n_weights
    if hasattr(dual, "size"):
        return bool(dual.size == problem.Q.size)
    try:
        problem.domain.point(dual)
    except ValueError:  # of other sequences or graphs
        return False
    return True
