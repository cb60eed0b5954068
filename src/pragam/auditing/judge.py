"""``pragam.audit``: find the claim, solve the same problems, and compare."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np

from pragam.auditing import own, scikit_learn
from pragam.auditing.claim import Claim, Part, claim_of_weights
from pragam.auditing.files import is_liblinear, weights_of_liblinear
from pragam.auditing.predictions import agreement
from pragam.auditing.report import Audit
from pragam.auditing.verdict import Bounds, Verdict, total
from pragam.auditing.weights import Weights
from pragam.certificate import certify
from pragam.certificate.floor import primal_floor
from pragam.driver.result import Result
from pragam.driver.solve import solve
from pragam.driver.solve_all import Job, Stop, Unsolved, solve_all
from pragam.io import Model, load
from pragam.numerics.arguments import check_number
from pragam.problem import AnyProblem
from pragam.solvers.base import has_rows_and_box
from pragam.views import on_rows

#: min J is bracketed this much more closely than the accuracy in question, so that "within tol" can be proven, and at
#: least to the second of these, relatively.
_CLOSER, _COARSEST = 0.1, 1e-2


def audit(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    tol: float = 1e-6,
    max_seconds: float | None = None,
    *,
    C: float | None = None,
    lam: float | None = None,
) -> Audit:
    r"""How far a fitted linear SVM is from the optimum of the problem it claims to solve, with proof.

    ::

        J(model) - min J  in  [lower, upper],      absolutely and relative to min J

    The problem is stated with the stored lam = 1/(n C), rounded to the nearest float, and mean losses. The bounds hold
    for it as real numbers, whatever the model's solver did. They come from :func:`pragam.certify` with a dual point
    that :func:`pragam.solve` finds for the same problem. The model is neither changed nor refitted.

    Parameters
    ----------
    model : fitted estimator, path of a model file, or Weights
        scikit-learn's LinearSVC, LinearSVR, SVC and SVR with ``kernel="linear"``, SGDClassifier with a hinge loss, a
        Pipeline that ends with one of these, pragam's own estimators and files, a LIBLINEAR model file, or
        :class:`pragam.Weights`.
    X, y, sample_weight : the training data, as they were passed to ``fit``
    tol : float > 0
        The relative accuracy in question. min J is bracketed to a tenth of it.
    max_seconds : float, optional
        The time for that. Where it ends first the bounds are wider, and as true.
    C, lam : float > 0
        For a LIBLINEAR model file alone, which does not hold it.
    """
    check_number("tol", tol, above=0)
    claim = claim_of(model, X, y, sample_weight, C, lam)
    results = _solved(claim, tol, max_seconds)
    verdicts = tuple(_verdict(*pair) for pair in zip(claim.parts, results, strict=True))
    problems = [part.problem for part in claim.parts]
    shared = None
    if claim.rule != "regression":
        shared = agreement(claim.rule, claim.n_classes, claim.values, problems, results)
    return Audit(claim.model, claim.sentence, tuple(problems), verdicts, total(verdicts), shared, tol)


def claim_of(model: Any, X: Any, y: Any, sample_weight: Any, C: float | None, lam: float | None) -> Claim:
    """What the model claims to minimise on these data. ValueError if nobody can tell."""
    if isinstance(model, (str, os.PathLike)):
        model = load(model)
    if isinstance(model, Model) and is_liblinear(model):
        return claim_of_weights(weights_of_liblinear(model, C, lam), own.columns_of(model, X), y, sample_weight)
    if C is not None or lam is not None:
        raise ValueError("C and lam are for LIBLINEAR model files: this model says what it minimises")
    if isinstance(model, Model):
        return own.claim_of_file(model, X, y, sample_weight)
    if isinstance(model, Weights):
        return claim_of_weights(model, X, y, sample_weight)
    if scikit_learn.kind_of(model) == "Pipeline":
        before = model[:-1].transform(X) if len(model.steps) > 1 else X
        return claim_of(model.steps[-1][1], before, y, sample_weight, None, None)
    if own.is_estimator(model):
        return own.claim_of_estimator(model, X, y, sample_weight)
    return claim_of_weights(scikit_learn.weights_of(model, y), X, y, sample_weight)


def _solved(claim: Claim, tol: float, max_seconds: float | None) -> list[Result]:
    """The optimum of every part, as nearly as the tolerance or the time asks."""

    def job(part: Part) -> Job:
        def run(seconds: float | None, stop: Stop) -> Result:
            solver = Unsolved() if stop.is_set() else "auto"
            return _solve(part.problem, solver, tol=min(_CLOSER * tol, _COARSEST), max_seconds=seconds)

        return run

    return solve_all([job(part) for part in claim.parts], max_seconds, n_threads=1)


def _solve(problem: AnyProblem, solver: Any, **settings: Any) -> Result:
    """Solve a problem, on the rows that have a weight if most have none, as in a problem of two classes out of many."""
    if not has_rows_and_box(problem):
        return solve(problem, solver, **settings)
    Q = problem.Q
    weighted = np.flatnonzero(Q.upper > Q.lower)
    if 2 * len(weighted) >= Q.size:
        return solve(problem, solver, **settings)
    view = on_rows(problem, weighted, np.zeros(Q.size))
    found = solve(view.problem, solver, **settings)
    whole = solve(problem, start=(found.w, view.lift(found.alpha)), tol=settings["tol"], max_iter=0)
    return replace(found, w=whole.w, alpha=whole.alpha, certificate=whole.certificate)


def _verdict(part: Part, result: Result) -> Verdict:
    """J(model) and min J between bounds. The model's own value bounds min J from above, too."""
    proof = certify(part.problem, part.w, result.alpha, part.biases)
    least = max(primal_floor(part.problem, part.w, part.biases), proof.dual)
    best = min(result.certificate.primal, proof.primal)
    dual = max(result.certificate.dual, proof.dual)
    return Verdict(
        part.name, Bounds(least, proof.primal), Bounds(dual, best), result.status, proof.rigorous and proof.exact
    )
