"""Gaussian-process sequences: moments against enumeration, duality, gradients, optima, certificates in fifty digits."""

from __future__ import annotations

import pickle
from decimal import Decimal
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

import pragam
from pragam.certificate.floor import primal_floor
from pragam.structured.gp import FactorScores, GibbsPoint, GramScores, Rules, TablePoint, gp_sequences

from .gp_words import distribution, drawn, exact, exact_dual, exact_primal, labellings, sequences

KINDS = [("gram", np.float64), ("gram", np.float32), ("factor", np.float64), ("factor", np.float32)]


def random_point(problem, rng, size=1.0):
    """A dual point of either kind."""
    Q = problem.Q
    if rng.random() < 0.5:
        return Q.posterior(size * rng.standard_normal(Q.size))
    tables, starts = rng.exponential(size=(Q.n_tokens, Q.K, Q.K)), rng.exponential(size=(Q.n, Q.K))
    if Q.rules is not None:
        last, is_short = Q.first + Q.lengths - 1, Q.lengths == 1
        tables, starts = tables * Q.rules.transitions, starts * Q.rules.starts
        tables[last[~is_short] - 1] *= Q.rules.ends
        starts[is_short] *= Q.rules.ends
        if any(dead_ends(Q.rules)):
            return Q.posterior(size * rng.standard_normal(Q.size))
    return TablePoint(tables, starts, Q.lengths)


def dead_ends(rules):
    """Labels that nothing may follow: a table says nothing of what comes after them."""
    return ~(rules.transitions & rules.ends).any(axis=1)


def random_weights(problem, rng):
    return 10.0 ** rng.uniform(-1, 1) * rng.standard_normal(problem.n_weights)


@pytest.mark.parametrize("has_rules", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_moments_are_those_of_the_labellings_written_out(seed, has_rules):
    problem, rng = drawn(seed, has_rules=has_rules), np.random.default_rng(seed)
    point, Q = random_point(problem, rng, 10.0 ** rng.integers(-1, 2)), problem.Q
    nodes, edges, entropy = np.zeros((Q.n_tokens, Q.K)), np.zeros((Q.K, Q.K)), 0.0
    for i, own in enumerate(sequences(Q)):
        for y, p in distribution(point, own, i).items():
            entropy -= float(p * p.ln()) if p else 0.0
            for t, k in enumerate(y):
                nodes[own.start + t, k] += float(p)
            np.add.at(edges, (y[:-1], y[1:]), float(p))
    np.testing.assert_allclose(point.moments.nodes, nodes, atol=1e-13)
    np.testing.assert_allclose(point.moments.edges, edges, atol=1e-13)
    assert point.moments.entropy == pytest.approx(entropy, abs=1e-11)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("kind", "precision"), KINDS)
def test_certificates_hold_in_fifty_digits_and_are_not_loose(kind, precision, seed):
    problem = drawn(seed, kind, precision, size=10.0 ** (seed % 3 - 1))
    rng = np.random.default_rng(seed)
    w, point = random_weights(problem, rng), random_point(problem, rng, 10.0 ** rng.integers(-1, 3))
    proof = pragam.certify(problem, w, point)
    J, D = exact_primal(problem, w), exact_dual(problem, point)
    assert proof.rigorous
    assert Decimal(proof.primal) >= J and Decimal(proof.dual) <= D
    assert float(Decimal(proof.primal) - J) <= 1e-9 * float(abs(J)) + 1e-11
    assert float(D - Decimal(proof.dual)) <= 1e-9 * float(abs(D)) + 1e-10


@pytest.mark.parametrize("has_rules", [False, True])
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("kind", "precision"), KINDS)
def test_the_floor_holds_in_fifty_digits_and_is_not_loose(kind, precision, seed, has_rules):
    problem = drawn(seed, kind, precision, size=10.0 ** (seed % 3 - 1), has_rules=has_rules)
    w = random_weights(problem, np.random.default_rng(seed))
    J, floor = exact_primal(problem, w), Decimal(primal_floor(problem, w, np.empty(0)))
    assert floor <= J and float(J - floor) <= 1e-9 * float(abs(J)) + 1e-11


@pytest.mark.parametrize("seed", range(30))
def test_the_rounding_of_an_entropy_is_paid_for(seed):
    """With a large lam D is the entropy; with large scores that is a small difference of large numbers."""
    problem, rng = drawn(seed, lam=1e9), np.random.default_rng(seed)
    Q = problem.Q
    point = Q.posterior(np.full(Q.size, 10.0 ** rng.uniform(1, 4)) + rng.standard_normal(Q.size))
    proof = pragam.certify(problem, np.zeros(problem.n_weights), point)
    D = exact_dual(problem, point)
    assert Decimal(proof.dual) <= D
    assert float(D - Decimal(proof.dual)) <= 1e-7


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("kind", "precision"), KINDS)
def test_certificates_with_rules_hold_in_fifty_digits(kind, precision, seed):
    """Scores are up to some hundreds, and rounding of 1e-11 of their sizes is allowed for."""
    problem = drawn(seed, kind, precision, size=10.0 ** (seed % 3 - 1), has_rules=True)
    rng = np.random.default_rng(seed)
    w, point = random_weights(problem, rng), random_point(problem, rng, 10.0 ** rng.integers(-1, 3))
    proof = pragam.certify(problem, w, point)
    J, D = exact_primal(problem, w), exact_dual(problem, point)
    assert proof.rigorous and Decimal(proof.primal) >= J and Decimal(proof.dual) <= D
    assert float(Decimal(proof.primal) - J) <= 1e-9 * float(abs(J)) + 1e-8
    assert float(D - Decimal(proof.dual)) <= 1e-9 * float(abs(D)) + 1e-8


def test_what_underflows_on_the_way_is_not_lost():
    """Nearly all the probability goes through a forward probability of 1e-320, of four digits, before the scale of its
    token, 1e-190, makes 1e-130 of it."""
    F = np.array([[0.0, -368.3, -1e4], [0.0, 0.0, -1e4], [-1e4, -1e4, 0.0]])
    T = np.full((3, 3), -1e4)
    T[0, 0], T[0, 2], T[1, 1], T[1, 2] = -437.0, -1000.0, -368.3, 0.0
    T[2, 2] = 0.0
    point = GibbsPoint(F, T, np.array([3]))
    log_z = sum(score.exp() for _, score in labellings(exact(F), exact(T))).ln()
    assert abs(Decimal(point.log_z[0]) - log_z) <= Decimal(point.log_z_errors[0])
    assert point.log_z_errors[0] < 1e-8


@pytest.mark.parametrize("kind", ["gram", "factor"])
@pytest.mark.parametrize("seed", range(8))
def test_a_problem_with_rules_is_solved_and_forbids(kind, seed):
    problem = drawn(seed, kind, has_rules=True, lam=1e-2)
    result = pragam.solve(problem, tol=1e-8)
    assert result.converged and result.solver == "auto (rkhs-lbfgs)"
    nodes, edges = result.alpha.marginals
    rules = problem.Q.rules
    assert not edges[~rules.transitions].any() and not nodes[problem.Q.first][:, ~rules.starts].any()
    assert not nodes[problem.Q.first + problem.Q.lengths - 1][:, ~rules.ends].any()
    found = minimize(problem.primal, np.zeros(problem.n_weights), method="BFGS", options={"gtol": 1e-7})
    assert result.certificate.primal == pytest.approx(found.fun, rel=1e-6, abs=1e-9)
    free = gp_sequences(problem.A, problem.Q.labels, problem.Q.lengths, problem.lam)
    assert problem.primal(result.w) <= free.primal(result.w)  # fewer labellings compete with the true one


def test_rules_that_allow_the_truth_alone_leave_no_loss():
    """min J = 0, so no relative gap is small; nothing has failed."""
    rules = Rules(np.ones((2, 2), bool), np.array([True, False]))
    problem = gp_sequences(FactorScores(np.ones((1, 1)), 2, 1.0), np.array([0]), np.array([1]), 1.0, rules)
    result = pragam.solve(problem, max_iter=100)
    assert result.status is not pragam.Status.FAILED
    assert result.certificate.primal < 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_the_best_labelling_is_an_allowed_one(seed):
    Q = drawn(seed, has_rules=True).Q
    s = 5 * np.random.default_rng(seed).standard_normal(Q.size)
    F, T = Q.parts(s)
    best = [max(labellings(F[own], T, Q.rules), key=lambda pair: pair[1])[0] for own in sequences(Q)]
    np.testing.assert_array_equal(Q.best_labels(s), np.concatenate(best))


def test_points_with_mass_on_forbidden_labellings_are_refused():
    rules = Rules(np.array([[True, True], [False, True]]), np.array([True, False]))
    problem = gp_sequences(GramScores(np.eye(3), 2, 0.3), np.array([0, 0, 1]), np.array([3]), 0.1, rules)
    w, lengths = np.zeros(problem.n_weights), np.array([3])
    good = np.array([[[0.5, 0.5], [0.0, 1.0]]] * 3)
    pragam.certify(problem, w, TablePoint(good, np.array([[1.0, 0.0]]), lengths))
    for tables, starts in ((np.full((3, 2, 2), 0.5), [[1.0, 0.0]]), (good, [[0.5, 0.5]])):
        with pytest.raises(ValueError, match="forbidden labellings"):
            pragam.certify(problem, w, TablePoint(tables, np.array(starts), lengths))
    # Sequences may have to end with some labels.
    rules = Rules(np.ones((2, 2), dtype=bool), None, np.array([False, True]))
    problem = gp_sequences(GramScores(np.eye(3), 2, 0.3), np.array([0, 1, 1]), np.array([2, 1]), 0.1, rules)
    lengths, tables = np.array([2, 1]), np.array([[[0.0, 1.0]] * 2, [[0.5, 0.5]] * 2, [[0.5, 0.5]] * 2])
    pragam.certify(problem, w, TablePoint(tables, np.array([[0.5, 0.5], [0.0, 1.0]]), lengths))
    for wrong, starts in ((np.full((3, 2, 2), 0.5), [0.0, 1.0]), (tables, [0.5, 0.5]), (np.zeros((3, 2, 2)), [0, 1.0])):
        with pytest.raises(ValueError, match="forbidden labellings"):
            pragam.certify(problem, w, TablePoint(wrong, np.array([[0.5, 0.5], starts]), lengths))
    lengths = np.array([3])
    # A table without a row says that the label stays, which may be forbidden too.
    rules = Rules(np.array([[False, True], [True, True]]), np.array([True, True]))
    problem = gp_sequences(GramScores(np.eye(3), 2, 0.3), np.array([0, 1, 1]), np.array([3]), 0.1, rules)
    with pytest.raises(ValueError, match="forbidden labellings"):
        pragam.certify(problem, w, TablePoint(np.zeros((3, 2, 2)), np.array([[1.0, 0.0]]), lengths))
    # Scores are those of the allowed labellings, whoever made them.
    free, own = GibbsPoint(np.zeros((3, 2)), np.zeros((2, 2)), lengths), problem.Q.posterior(np.zeros(problem.Q.size))
    assert pragam.certify(problem, w, free) == pragam.certify(problem, w, own)
    plain = gp_sequences(problem.A, problem.Q.labels, lengths, 0.1)
    assert pragam.certify(plain, w, own) == pragam.certify(plain, w, free)


def test_rules_of_the_truth_and_of_solvers():
    rules = Rules(np.eye(3, k=1, dtype=bool), np.array([True, False, False]))  # 0, 1, 2 and no more
    labels = np.array([0, 1, 2, 0, 1, 0])
    with pytest.raises(ValueError, match="sequence 1: its true labels have the transition 1 0"):
        gp_sequences(GramScores(np.eye(6), 3, 0.3), labels, np.array([3, 3]), 1.0, rules)
    with pytest.raises(ValueError, match="does not fit"):
        pragam.solve(drawn(0, has_rules=True), "gp-block-ascent")


@pytest.mark.parametrize("seed", range(60))
def test_weak_duality_on_random_pairs(seed):
    problem = drawn(seed, *KINDS[seed % 4])
    rng = np.random.default_rng(seed)
    for _ in range(10):
        w, point = random_weights(problem, rng), random_point(problem, rng, 10.0 ** rng.integers(-2, 2))
        assert problem.primal(w) >= problem.dual(point)
        assert problem.primal(problem.w_of_alpha(point)) >= problem.dual(point) - 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_the_support_of_the_moments_is_that_of_the_best_labelling(seed):
    Q = drawn(seed).Q
    s = np.random.default_rng(seed).standard_normal(Q.size)
    F, T = Q.parts(s)
    best = sum(max(score for _, score in labellings(F[own], T)) for own in sequences(Q))
    assert Q.support(s) == pytest.approx((best - Q.truth @ s) / Q.n, abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_the_gap_of_scores_and_their_own_marginals_is_that_of_the_gradient(seed):
    problem, rng = drawn(seed), np.random.default_rng(seed)
    w = random_weights(problem, rng)
    point = problem.maximise(problem.scores(w))
    gradient = problem.lam * w + problem.adjoint(point)
    square = problem.A.inner(gradient, gradient)
    assert problem.primal(w) - problem.dual(point) == pytest.approx(square / (2 * problem.lam), rel=1e-9)


@pytest.mark.parametrize("kind", ["gram", "factor"])
@pytest.mark.parametrize("seed", range(6))
def test_the_gradient_is_that_of_differences(kind, seed):
    """In the inner product of A: the derivative of J along v is <gradient, v>."""
    problem, rng = drawn(seed, kind), np.random.default_rng(seed)
    w, v = rng.standard_normal((2, problem.n_weights))
    gradient = problem.lam * w + problem.adjoint(problem.maximise(problem.scores(w)))
    step = 1e-5
    difference = (problem.primal(w + step * v) - problem.primal(w - step * v)) / (2 * step)
    assert problem.A.inner(gradient, v) == pytest.approx(difference, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("kind", ["gram", "factor"])
@pytest.mark.parametrize("seed", range(5))
def test_the_optimum_is_scipys(kind, seed):
    problem = drawn(seed, kind)
    found = minimize(problem.primal, np.zeros(problem.n_weights), method="BFGS", options={"gtol": 1e-7})
    for solver in ("rkhs-lbfgs", "gp-block-ascent") if kind == "gram" else ("rkhs-lbfgs",):
        result = pragam.solve(problem, solver, tol=1e-9, max_iter=5000)
        assert result.converged
        assert result.certificate.dual <= found.fun + 1e-9
        assert result.certificate.primal == pytest.approx(found.fun, rel=1e-6)


@pytest.mark.parametrize("kind", ["gram", "factor"])
def test_the_gap_falls_to_1e10(kind):
    problem = drawn(3, kind, lam=0.1)
    result = pragam.solve(problem, "rkhs-lbfgs", tol=1e-10)
    assert result.converged and result.certificate.relative_gap <= 1e-10
    again = pragam.certify(problem, result.w, result.alpha)
    assert (again.primal, again.dual) == (result.certificate.primal, result.certificate.dual)


@pytest.mark.parametrize(("kind", "precision"), KINDS)
def test_auto_solves_it(kind, precision):
    result = pragam.solve(drawn(1, kind, precision), tol=1e-6)
    assert result.converged and result.solver in ("auto (rkhs-lbfgs)", "auto (gp-block-ascent)")


@pytest.mark.parametrize("solver", ["rkhs-lbfgs", "gp-block-ascent"])
def test_every_step_proposes_a_pair_whose_gap_covers_the_distance_to_the_optimum(solver):
    problem = drawn(5, lam=1e-3)
    best = pragam.solve(problem, "rkhs-lbfgs", tol=1e-9).certificate
    method = pragam.solvers.by_name(solver)
    state = method.init(problem, np.random.default_rng(0), None, 1e-6)
    for _ in range(15):
        w, alpha = method.candidate(problem, state)
        proof = pragam.certify(problem, w, alpha)
        assert proof.primal >= best.dual and proof.dual <= best.primal
        state = method.step(problem, state)
    assert proof.relative_gap < 0.2


def test_equal_calls_and_numbers_of_threads_give_equal_answers(monkeypatch):
    rng = np.random.default_rng(0)
    lengths = np.full(150, 8)
    X, y = rng.standard_normal((1200, 6)), rng.integers(0, 8, 1200)
    results = []
    for threads in ("1", "2"):
        monkeypatch.setenv("PRAGAM_NUM_THREADS", threads)
        problem = gp_sequences(GramScores((X @ X.T).astype(np.float32), 8, 0.3), y, lengths, 1e-2)
        results.append([pragam.solve(problem, s, tol=0, max_iter=5).w for s in ("rkhs-lbfgs", "gp-block-ascent")])
        factor = gp_sequences(FactorScores(X.astype(np.float32), 8, 0.3), y, lengths, 1e-2)
        results[-1].append(pragam.solve(factor, "rkhs-lbfgs", tol=0, max_iter=5).w)
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_start_is_taken_up():
    problem = drawn(2, lam=1e-3)
    for solver in ("rkhs-lbfgs", "gp-block-ascent"):
        result = pragam.solve(problem, solver, tol=1e-6)
        again = pragam.solve(problem, solver, tol=1e-6, start=result)
        assert again.converged and again.n_iter == 0


@pytest.mark.parametrize("size", [1e3, 1e5])
def test_huge_scores_have_marginals(size):
    """Scaled probabilities would divide by zero here."""
    rng = np.random.default_rng(0)
    F, T = size * rng.standard_normal((6, 3)), size * rng.standard_normal((3, 3))
    point = GibbsPoint(F, T, np.array([6]))
    scores = {y: F[np.arange(6), y].sum() + T[y[:-1], y[1:]].sum() for y in product(range(3), repeat=6)}
    best = max(scores, key=scores.get)
    assert point.log_z[0] == pytest.approx(scores[best], rel=1e-12)
    np.testing.assert_allclose(point.moments.nodes, np.eye(3)[list(best)], atol=1e-12)


def test_what_is_no_dual_point_is_refused():
    problem = drawn(0)
    Q = problem.Q
    with pytest.raises(ValueError, match="GibbsPoint"):
        pragam.certify(problem, np.zeros(problem.n_weights), np.zeros(Q.size))
    with pytest.raises(ValueError, match="does not belong"):
        pragam.certify(
            problem, np.zeros(problem.n_weights), GibbsPoint(np.zeros((1, Q.K)), np.zeros((Q.K, Q.K)), np.array([1]))
        )
    hidden = random_point(problem, np.random.default_rng(0))
    hidden.tables[0, 0, :2] = [-0.5, 1.5]  # sums of marginals do not show it
    with pytest.raises(ValueError, match="finite numbers >= 0"):
        pragam.certify(problem, np.zeros(problem.n_weights), hidden)
    negative = TablePoint(-np.ones((Q.n_tokens, Q.K, Q.K)), np.full((Q.n, Q.K), np.nan), Q.lengths)
    with pytest.raises(ValueError, match="not in Q"):
        pragam.certify(problem, np.zeros(problem.n_weights), negative)


@pytest.mark.parametrize("solver", ["pragam", "qp-bmrm", "ls-bmrm", "pegasos-n", "dcd", "newton"])
def test_other_solvers_are_refused_before_they_start(solver):
    with pytest.raises(ValueError, match="does not fit"):
        pragam.solve(drawn(0), solver)


def test_arguments_are_checked():
    A = GramScores(np.eye(3), 2, 0.3)
    with pytest.raises(ValueError, match="lengths"):
        gp_sequences(A, np.zeros(3, int), np.array([1, 1]), 1.0)
    with pytest.raises(ValueError, match="labels"):
        gp_sequences(A, np.array([0, 1, 2]), np.array([3]), 1.0)


def test_dual_points_can_be_pickled():
    problem = drawn(0)
    result = pragam.solve(problem, "gp-block-ascent", tol=1e-3)
    again = pickle.loads(pickle.dumps(result.alpha))
    assert pragam.certify(problem, result.w, again).dual == result.certificate.dual


def test_points_are_kept_in_double_whatever_was_given():
    problem, rng = drawn(3), np.random.default_rng(3)
    Q, w = problem.Q, random_weights(problem, rng)
    scores, transitions = rng.integers(-3, 3, (Q.n_tokens, Q.K)), rng.integers(-3, 3, (Q.K, Q.K))
    tables, starts = rng.integers(1, 9, (Q.n_tokens, Q.K, Q.K)), rng.integers(1, 9, (Q.n, Q.K))
    for kind, parts in ((GibbsPoint, (scores, transitions)), (TablePoint, (tables, starts))):
        plain = pragam.certify(problem, w, kind(*(part.astype(np.float64) for part in parts), Q.lengths))
        for form in (lambda v: v.tolist(), lambda v: v.astype(np.float32), np.asfortranarray):
            assert pragam.certify(problem, w, kind(*map(form, parts), Q.lengths.tolist())) == plain


@pytest.mark.parametrize(
    "arguments, message",
    [((None, np.zeros((2, 2)), [1]), "scores must be real"), ((np.zeros((1, 2)), [["a"]], [1]), "transitions must be"),
     ((np.zeros((1, 2)), np.zeros((2, 2)), [1.0]), "lengths must be a vector of whole numbers")],
)  # fmt: skip
def test_what_is_no_gibbs_point_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        GibbsPoint(*arguments)
