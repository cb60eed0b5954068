"""``pragam.audit``: find the claim, solve the same problems, and compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pragam.auditing.claim import Claim, claim_of, claim_of_model
from pragam.auditing.files import Training
from pragam.auditing.predictions import agreement
from pragam.auditing.report import Audit
from pragam.auditing.unpenalised import ball_of, solved
from pragam.auditing.verdict import Bounds, Verdict, total
from pragam.certificate import certify
from pragam.certificate.floor import primal_floor
from pragam.driver.jobs import Settings, solve_problems
from pragam.driver.result import Result
from pragam.models import Model
from pragam.models.features import Features
from pragam.numerics.arguments import check_number
from pragam.numerics.vector import Vector
from pragam.problem import AnyProblem
from pragam.solvers.base import has_rows_and_box
from pragam.views import View, on_blocks

#: min J is bracketed this much more closely than the accuracy in question, so that "within tol" can be proven, and at
#: least to the second of these, relatively.
_CLOSER, _COARSEST = 0.1, 1e-2


def audit(
    model: Any,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    tol: float = 1e-6,
    max_seconds: float | None = None,
    *,
    C: float | None = None,
    lam: float | None = None,
    epsilon: float | None = None,
    class_weight: Any = None,
    free_bias: bool = False,
    lengths: Any = None,
) -> Audit:
    r"""How far a fitted model is from the optimum of the problem it claims to solve, with proof.

    ::

        J(model) - min J  in  [lower, upper],      absolutely and relative to min J

    The problem is stated with the stored lam = 1/(n C), rounded to the nearest float, and mean losses. The bounds hold
    for it as real numbers, whatever the model's solver did. They come from :func:`pragam.certify` with a dual point
    that :func:`pragam.solve` finds for the same problem. The model is neither changed nor refitted.

    Parameters
    ----------
    model : fitted estimator, model, path of a model file, or Weights
        pragam's own estimators, models and files of every kind; scikit-learn's LinearSVC, LinearSVR, SVC and SVR with
        ``kernel="linear"``, SGDClassifier with a hinge loss, SGDRegressor with the epsilon-insensitive one and
        QuantileRegressor with ``alpha=0``; the results of statsmodels' QuantReg; skordinal's SVOR with
        ``kernel="linear"``; rehline's plqERM_Ridge; a Pipeline that ends with one of these; a LIBLINEAR model file; or
        :class:`pragam.Weights`.
    X, y, sample_weight : the training data, as they were passed to ``fit``
        For graphs X is their list, and y None. A model of pragam's keeps its ``sample_weight``: it needs none here.
    tol : float > 0
        The relative accuracy in question. min J is bracketed to a tenth of it.
    max_seconds : float, optional
        The time for that. Where it ends first the bounds are wider, and as true.
    C, lam, epsilon, class_weight, free_bias
        For a LIBLINEAR model file alone, which does not hold them: C or lam is needed, the half width of the tube
        (``-p``) for a regression; weights of classes (``-wi``), and whether the bias was free (``-R``), if so.
    lengths : lengths of the sequences in X
        For a model of sequences whose X is one matrix of all tokens.
    """
    check_number("tol", tol, above=0)
    training = Training(C, lam, epsilon, class_weight, free_bias)
    return judged(claim_of(model, X, y, sample_weight, lengths, training), tol, max_seconds)


def audit_model(
    model: Model,
    samples: Any,
    tol: float = 1e-6,
    max_seconds: float | None = None,
    **training: Any,
) -> Audit:
    """The same of a :class:`pragam.models.Model` and its training samples; ``training`` is C and so on, as above."""
    check_number("tol", tol, above=0)
    return judged(claim_of_model(model, samples, Training(**training)), tol, max_seconds)


def judged(claim: Claim, tol: float, max_seconds: float | None) -> Audit:
    """Bounds of J(model) - min J, for each problem of the claim and for their sum."""
    model, own = _in_features(claim)
    if claim.is_unpenalised:
        return _judged_in_a_ball(claim, model, own, tol, max_seconds)
    problems, names = model.pose(own), model.risk.parts(model.labels)
    results = _solved(problems, tol, max_seconds)
    parts = zip(names, problems, model.points(), results, strict=True)
    verdicts = tuple(_verdict(name, problem, *point, result) for name, problem, point, result in parts)
    shared = agreement(model, own, list(zip(problems, results, strict=True)))
    return Audit(claim.title, claim.sentence, tuple(problems), verdicts, total(verdicts), shared, tol)


def _judged_in_a_ball(claim: Claim, model: Any, own: Any, tol: float, max_seconds: float | None) -> Audit:
    """The same of a model that penalises nothing. Of predictions nothing is said: only losses are bounded."""
    ball, problems, found = solved(ball_of(model, own, tol), min(_CLOSER * tol, _COARSEST), max_seconds)
    posed, verdicts = [], []
    cases = zip(model.risk.parts(model.labels), problems, ball.model.points(), found, strict=True)
    for name, problem, (w, biases), results in cases:
        k = ball.best(results)
        posed.append(problem.at(ball.lams[k]))
        penalised = _verdict(name, posed[-1], w, biases, results[k])
        verdicts.append(ball.verdict(penalised, posed[-1].lam, w, results[k].w, results[-1].status))
    said = f"{claim.sentence}; {ball.words}"
    return Audit(claim.title, said, tuple(posed), tuple(verdicts), total(verdicts), None, tol)


def _in_features(claim: Claim) -> tuple[Model, Any]:
    """The model without its features, and the samples with them and the model's weights: X is mapped only once."""
    model = claim.model
    return replace(model, features=Features()), model.features.of(claim.samples.weighted(model.given))


def _solved(problems: Sequence[AnyProblem], tol: float, max_seconds: float | None) -> list[Result]:
    """The optimum of every problem, as nearly as the tolerance or the time asks."""
    views = [_on_weighted_rows(problem) for problem in problems]
    smaller = [problem if view is None else view.problem for problem, view in zip(problems, views, strict=True)]
    results = solve_problems(smaller, Settings(min(_CLOSER * tol, _COARSEST), max_seconds=max_seconds)).results
    parts = zip(problems, views, results, strict=True)
    return [result if view is None else _lifted(problem, view, result) for problem, view, result in parts]


def _on_weighted_rows(problem: AnyProblem) -> View | None:
    """A view of the rows that have a weight, if most have none, as in a problem of two classes out of many."""
    if not has_rows_and_box(problem):
        return None
    Q = problem.Q
    weighted = np.flatnonzero(Q.upper > Q.lower)
    return None if 2 * len(weighted) >= Q.size else on_blocks(problem, weighted, np.zeros(Q.size))


def _lifted(problem: AnyProblem, view: View, result: Result) -> Result:
    """The result of a view as one of the whole problem."""
    alpha = view.lift(result.alpha)
    return replace(result, alpha=alpha, certificate=certify(problem, result.w, alpha))


def _verdict(name: str, problem: AnyProblem, w: Vector, biases: Vector, result: Result) -> Verdict:
    """J(model) and min J between bounds. The model's own value bounds min J from above, too."""
    proof = certify(problem, w, result.alpha, biases)
    least = max(primal_floor(problem, w, biases), proof.dual)
    best = min(result.certificate.primal, proof.primal)
    dual = max(result.certificate.dual, proof.dual)
    return Verdict(name, Bounds(least, proof.primal), Bounds(dual, best), result.status, proof.rigorous and proof.exact)
