"""The judge in rational arithmetic: by hand, against the formulas in Fractions, and against the problems of pragam."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import inf, nextafter

import numpy as np
import pytest
from exact_formulas import naive_primal
from scipy import sparse

import pragam
from adversarial import adversarial
from exact_form import arrays_of, form
from exact_judge import exact_dual, exact_optimum, exact_primal
from exact_lifted import knows_optimum
from pragam.certificate import exact
from pragam.certificate.exact import Judged, judge, rounded_down, rounded_up, rows
from risk_zoo import CASES, RISKS

HINGE = {"name": "hinge", "lam": 0.5, "bias": True}
POINTS = np.array([[1.0], [-1.0]])
TOL = 1e-7


@cache
def solved(name, bias, seed, weighted):
    """A problem of the zoo and its solution; the judge's arguments for it."""
    case = RISKS[name](np.random.default_rng([seed, 7]), bias, weighted)
    result = pragam.solve(case.problem, tol=TOL)
    return case, result, {**case.raw._asdict(), "w": result.w, "biases": result.biases, "alpha": result.alpha}


def test_two_points_by_hand():
    """J = lam/2 w^2 + 1/2 ([1 - (w + b)]_+ + [1 - (w - b)]_+), D = a_1 + a_2 - (a_1 + a_2)^2/(2 lam)."""
    proof = judge(HINGE, POINTS, [1, -1], [0.25], [0.5], [0.25, 0.25])
    assert proof == Judged(Fraction(1, 64) + Fraction(3, 4), Fraction(1, 4))
    assert proof.gap == Fraction(33, 64) and proof.relative_gap == Fraction(33, 49)


def test_repeated_entries_add_up():
    X = np.array([1e16, 1.0, -1e16]), np.zeros(3, int), np.array([0, 3])
    proof = judge({"name": "hinge", "lam": 1.0, "bias": False}, X, [1], [0.5], [], [1.0])
    assert proof == Judged(Fraction(1, 8) + Fraction(1, 2), Fraction(1, 2))


def test_every_risk_of_the_zoo_is_judged():
    names = {RISKS[name](np.random.default_rng(0), True, False).raw.risk["name"] for name in RISKS}
    assert names == set(exact.RISKS)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name, bias", CASES)
def test_j_is_that_of_the_formula_and_of_the_problem(name, bias, weighted):
    """To the last rational, at any weights: what a problem rounds, the judge rounds as well."""
    for seed in range(4):
        case, result, given = solved(name, bias, seed, weighted)
        rng = np.random.default_rng(seed)
        w, b = (x + rng.standard_normal(x.shape) for x in (result.w, result.biases))
        value = judge(**{**given, "w": w, "biases": b}).primal
        assert value == naive_primal(*case.raw[:3], w, b.tolist(), case.raw.weights), f"seed {seed}"
        assert value == exact_primal(case.problem, w, b), f"seed {seed}"


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name, bias", CASES)
def test_a_certificate_is_confirmed(name, bias, weighted):
    """Its primal is at least J, its dual at most D of a feasible point, and the exact gap is within the tolerance."""
    for seed in range(4):
        case, result, given = solved(name, bias, seed, weighted)
        proof = judge(**given)
        assert proof.confirms(result.certificate.primal, result.certificate.dual), f"seed {seed}"
        assert 0 <= proof.relative_gap <= TOL, f"seed {seed}"
        if case.problem.Q.size <= 30 and knows_optimum(form(case.problem)):
            assert proof.dual <= exact_optimum(case.problem, near=result.alpha) <= proof.primal, f"seed {seed}"


@pytest.mark.parametrize("name, bias", CASES)
def test_storage_and_chunks_change_nothing(name, bias, monkeypatch):
    _, _, given = solved(name, bias, 0, True)
    proof, csr = judge(**given), sparse.csr_array(given["X"])
    assert judge(**{**given, "X": (csr.data, csr.indices, csr.indptr)}) == proof
    monkeypatch.setattr(rows, "_CHUNK", 3)
    assert judge(**{**given, "X": (csr.data, csr.indices, csr.indptr)}) == judge(**given) == proof


def heaviest(given):
    """A row that matters: without entries, any label costs the same."""
    return np.argmax(given["weights"] * np.linalg.norm(given["X"], axis=1))


def other_label(risk, y, i):
    """y with the label of row i changed."""
    y, K = y.copy(), risk.get("n_levels") or risk.get("n_classes")
    if y.dtype == bool:
        y[i, 0] = not y[i, 0]
    elif K:
        y[i] = (y[i] + 1) % K
    else:
        y[i] = y[i] + 1000 if risk["name"] in ("epsilon_insensitive", "quantile") else -y[i]
    return y


CHANGES = {
    "weights": lambda given: {"weights": 1.01 * given["weights"]},
    "alpha": lambda given: {"alpha": 0.99 * given["alpha"]},
    "w": lambda given: {"w": given["w"] + 0.01, "biases": given["biases"] + 0.1},
    "lam": lambda given: {"risk": {**given["risk"], "lam": 1.01 * given["risk"]["lam"]}},
    "X": lambda given: {"X": given["X"] + 0.01},
    "y": lambda given: {"y": other_label(given["risk"], given["y"], heaviest(given))},
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name, bias", CASES)
def test_it_has_teeth(name, bias, change):
    """What was proved of one problem, one model and one dual point is not proved of any other."""
    changed = 0
    for seed in range(4):
        _, result, given = solved(name, bias, seed, True)
        if np.abs(result.w).max() < 0.05:
            continue  # of w = 0 the same may be true of other data
        changed += 1
        try:
            proof = judge(**{**given, **CHANGES[change](given)})
        except ValueError as error:
            assert change in ("alpha", "weights", "y") and str(error).startswith("alpha ")
            continue
        proved = proof.confirms(result.certificate.primal, result.certificate.dual) and proof.relative_gap <= TOL
        assert not proved, f"seed {seed}"
    assert changed > 0


@pytest.mark.parametrize(
    "change, message",
    [
        ({"risk": {**HINGE, "lam": -1.0}}, "lam must be above 0, not -1.0"),
        ({"risk": {**HINGE, "lam": 0}}, "lam must be above 0, not 0"),
        ({"risk": {**HINGE, "lam": inf}}, "lam must be finite, not inf"),
        ({"risk": {**HINGE, "lam": 10**400}}, "lam must be finite"),
        ({"risk": {**HINGE, "lam": np.nan}}, "lam must be finite, not nan"),
        ({"risk": {**HINGE, "lam": True}}, "lam must be a number, not True"),
        ({"risk": {"name": "hinge", "lam": 1.0}}, "the risk 'hinge' lacks its bias"),
        ({"risk": {**HINGE, "gamma": 1.0}}, "the risk 'hinge' has no parameter 'gamma'"),
        ({"risk": {**HINGE, "bias": 1}}, "bias must be True or False, not 1"),
        ({"risk": {**HINGE, "name": "logistic"}}, "the risk must be one of hinge, .*, not 'logistic'"),
        ({"risk": {**HINGE, "name": []}}, "the risk must be one of"),
        ({"risk": {**HINGE, "name": "smoothed_hinge", "gamma": 0}}, "gamma must be above 0"),
        ({"risk": {**HINGE, "name": "quantile", "q": 1.0}}, "q must be between 0 and 1"),
        ({"risk": {**HINGE, "name": "epsilon_insensitive", "epsilon": -1}}, "epsilon must be at least 0"),
        ({"risk": {"name": "ordinal_hinge", "lam": 1, "n_levels": 1, "thresholds": "all"}}, "n_levels must be a whole"),
        ({"risk": {"name": "ordinal_hinge", "lam": 1, "n_levels": 2, "thresholds": 0}}, "thresholds must be 'all'"),
        ({"risk": {**HINGE, "name": "multiclass_hinge", "n_classes": 2, "cost": -np.eye(2)}}, "cost must be a square"),
        ({"risk": {**HINGE, "name": "multiclass_hinge", "n_classes": 2, "cost": None}}, "y must hold the codes 0 to 1"),
        ({"risk": {**HINGE, "name": "multilabel_hinge"}}, "y must hold zeros and ones"),
        ({"weights": [1.0, -1e-300]}, "weights must be at least 0"),
        ({"weights": [1.0]}, "weights must hold 2 numbers, not 1"),
        ({"weights": [1.0, np.nan]}, "weights contains NaN or infinity"),
        ({"y": [1, 0]}, r"y must hold -1 and \+1"),
        ({"y": [1]}, "y must hold 2 numbers, not 1"),
        ({"X": np.ones((2, 2))}, "w has 1 numbers an output, and X has 2 columns"),
        ({"X": np.ones((2, 1), int)}, "X must hold floats of at most 64 bits"),
        ({"X": np.array([[1.0], [inf]])}, "X contains NaN or infinity"),
        ({"X": (np.ones(2), np.array([0, 1]), np.array([0, 1, 2]))}, "entries in columns 0 to 1"),
        ({"X": (np.ones(2), np.array([0, -1]), np.array([0, 1, 2]))}, "entries in columns -1 to 0"),
        ({"X": (np.ones(2), np.array([0, 0]), np.array([0, 3, 2]))}, "indptr"),
        ({"alpha": [0.25]}, "alpha must hold 2 numbers, not 1"),
        ({"alpha": [0.25, np.nan]}, "alpha contains NaN or infinity"),
        ({"alpha": [0.25, 0.26]}, "alpha is off by 0.01 of the size of its set, and 1e-06 is repaired"),
        ({"alpha": [1e300, 1e300]}, r"alpha is off by 2e\+300 of the size"),
        ({"alpha": [1e-9, 0.0], "weights": [0.0, 0.0]}, "alpha is off by inf of the size"),
        ({"biases": []}, "biases must hold 1 numbers, not 0"),
        ({"biases": [0.5], "risk": {**HINGE, "bias": False}}, "biases must hold 0 numbers, not 1"),
        ({"w": [np.nan]}, "w contains NaN or infinity"),
    ],
)  # fmt: skip
def test_what_proves_nothing_is_refused_in_one_line(change, message):
    given = {"risk": HINGE, "X": POINTS, "y": [1, -1], "w": [0.25], "biases": [0.5], "alpha": [0.25, 0.25]}
    with pytest.raises(ValueError, match=message) as caught:
        judge(**{**given, **change})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name, bias", CASES)
def test_alpha_is_moved_into_its_set(name, bias):
    """What rounding could have done is repaired: D hardly changes, and never exceeds what can be."""
    for seed in range(3):
        case, result, given = solved(name, bias, seed, True)
        proof, rng = judge(**given), np.random.default_rng(seed)
        noise = 1e-9 * np.abs(result.alpha).max() * rng.standard_normal(len(result.alpha))
        noisy = judge(**{**given, "alpha": result.alpha + noise})
        assert 0 < noisy.moved <= 1e-6 * form(case.problem).Q.size(exact.numbers.numbers(result.alpha))
        assert noisy.primal == proof.primal >= noisy.dual, f"seed {seed}"
        assert noisy.relative_gap <= TOL + 1e-5, f"seed {seed}"


def test_it_judges_hostile_problems():
    """Hinges of every storage and scale: J of the problem, and D of the dual point where no plane moves it."""
    compared = 0
    for seed in range(400):
        problem, text, _ = adversarial(seed)
        if not text.startswith("hinge"):
            continue
        A, Q, bias = problem.A, problem.Q, text.startswith("hinge with bias")
        rng, n = np.random.default_rng(seed), A.storage.shape[0]
        alpha = problem.domain.project(rng.random(Q.size) * Q.upper)
        w, b = rng.standard_normal(problem.n_weights), rng.standard_normal(problem.n_biases)
        weights = Q.upper * n
        if not np.array_equal(weights / n, Q.upper):
            continue  # no weight rounds to this bound
        risk = {"name": "hinge", "lam": problem.lam, "bias": bias}
        proof = judge(risk, arrays_of(A.storage), -A.scale, w, b, alpha, weights)
        compared += 1
        assert proof.primal == exact_primal(problem, w, b)
        if not bias:
            assert proof.dual == exact_dual(problem, alpha)
        if Q.size <= 12:
            assert proof.dual <= exact_optimum(problem) <= proof.primal
    assert compared > 100


def test_progress_counts_both_passes():
    told = []
    judge(HINGE, POINTS, [1, -1], [0.25], [0.5], [0.25, 0.25], progress=lambda done, of: told.append((done, of)))
    assert told == [(2, 4), (4, 4)]


def test_a_bound_is_confirmed_to_the_last_bit():
    proof = Judged(Fraction(1, 3), Fraction(1, 3))
    high, low = rounded_up(proof.primal), rounded_down(proof.dual)
    assert low < Fraction(1, 3) < high == nextafter(low, inf)
    assert proof.confirms(high, low)
    assert not proof.confirms(low, low) and not proof.confirms(high, high)


@pytest.mark.parametrize("x", [Fraction(10) ** 400, Fraction(1, 10**400), Fraction(5, 2)])
def test_rounding_is_outward_beyond_the_floats(x):
    assert rounded_up(x) >= x >= rounded_down(x)
    assert rounded_up(-x) >= -x >= rounded_down(-x)
