"""LinearSVC against the mathematics: duality, weights, storages and another solver of the same problem."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from svc_data import assert_same_model, make_data, radius

import pragam
from pragam import LinearSVC

SEEDS = range(20)


def unfinished(seed: int, n_classes: int = 2, **parameters) -> tuple[LinearSVC, np.ndarray, np.ndarray, np.ndarray]:
    """A model after a few iterations, whose gap is far from zero."""
    X, y, weights, C = make_data(seed, n_classes)
    model = LinearSVC(C, max_iter=seed % 4, solver="dcd", **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, weights), X, y, weights


def problems_of(model: LinearSVC, X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> list[pragam.Problem]:
    positives = model.classes_[1:] if len(model.classes_) == 2 else model.classes_
    lam = 1 / (len(y) * model.C)
    return [pragam.hinge(X, np.where(y == k, 1, -1), lam, model.fit_intercept, weights) for k in positives]


def dual_of(model: LinearSVC, problem: pragam.Problem, row: int) -> np.ndarray:
    """alpha of one problem, out of dual_coef_ = y alpha / lam."""
    alpha = np.zeros(problem.Q.size)
    alpha[model.support_] = np.abs(model.dual_coef_[row]) * problem.lam
    return alpha


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_certificate_is_that_of_the_model(seed, n_classes, fit_intercept):
    model, X, y, weights = unfinished(seed, n_classes, fit_intercept=fit_intercept)
    problems = problems_of(model, X, y, weights)
    proofs = model.certificates_
    assert len(proofs) == len(problems) == len(model.coef_) == (1 if n_classes == 2 else n_classes)
    for row, (problem, proof) in enumerate(zip(problems, proofs, strict=True)):
        again = pragam.certify(problem, model.coef_[row], dual_of(model, problem, row))
        assert again.primal == pytest.approx(proof.primal, rel=1e-12)
        assert again.dual == pytest.approx(proof.dual, rel=1e-9, abs=1e-12 * proof.primal)
        assert again.biases == pytest.approx(model.intercept_[row : row + 1] if fit_intercept else [], abs=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_weights_are_the_dual_combination_up_to_the_gap(seed, n_classes):
    model, X, y, _ = unfinished(seed, n_classes)
    difference = model.coef_ - model.dual_coef_ @ X[model.support_]
    assert (np.linalg.norm(difference, axis=1) <= radius(model, len(y))).all()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_dual_coefficients_are_in_their_box_and_on_the_plane(seed, n_classes):
    model, _, y, weights = unfinished(seed, n_classes)
    positives = model.classes_[1:] if n_classes == 2 else model.classes_
    signs = np.array([np.where(y == k, 1, -1) for k in positives])[:, model.support_]
    box = model.C * weights[model.support_]
    assert (signs * model.dual_coef_ >= 0).all()
    assert (signs * model.dual_coef_ <= box * (1 + 1e-12)).all()
    assert np.abs(model.dual_coef_.sum(axis=1)).max(initial=0) <= 1e-12 * max(box.sum(), 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_intercept_is_the_best_for_the_weights(seed):
    model, X, y, weights = unfinished(seed)
    sign, scores = np.where(y == 1, 1.0, -1.0), X @ model.coef_[0]

    def loss(b: float) -> float:
        return float(weights @ np.maximum(0, 1 - sign * (scores + b)))

    kinks = (sign - scores)[weights > 0]  # convex and piecewise linear in b: a kink is a minimum
    assert loss(model.intercept_[0]) <= min(map(loss, kinks)) * (1 + 1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_equals_libsvm(seed):
    X, y, weights, C = make_data(seed)
    kept = weights > 0
    theirs = SVC(C=C, kernel="linear", tol=1e-10).fit(X[kept], y[kept], weights[kept])
    ours = LinearSVC(C, tol=1e-13).fit(X, y, weights)
    assert ours.certificate_.relative_gap <= 1e-13
    # LIBSVM keeps its kernel matrix in float32 (in exact arithmetic, ours has the lower objective).
    distance = 16 * np.finfo(np.float32).eps * max(np.linalg.norm(ours.coef_), 1)
    assert np.linalg.norm(ours.coef_ - theirs.coef_) <= distance
    share = np.abs(theirs.dual_coef_[0]) / (C * weights[kept][theirs.support_])
    if ((share > 1e-6) & (share < 1 - 1e-6)).any():  # a free vector: the intercept is unique
        assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=distance * np.linalg.norm(X, axis=1).max())


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_weighting_a_row_is_repeating_it(seed, n_classes):
    X, y, weights, C = make_data(seed, n_classes)
    times = weights.astype(int)
    weighted = LinearSVC(C).fit(X, y, weights)
    repeated = LinearSVC(C).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert_same_model(weighted, repeated, np.repeat(X, np.maximum(times, 1), axis=0))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("class_weight", ["balanced", {0: 0.5, 1: 3.0}])
def test_class_weights_are_sample_weights(class_weight, n_classes):
    for seed in SEEDS:
        X, y, weights, C = make_data(seed, n_classes)
        masses = np.bincount(y, weights)
        if class_weight == "balanced":
            factors = weights.sum() / (n_classes * masses)
        else:
            factors = np.array([class_weight.get(k, 1.0) for k in range(n_classes)])
        by_class = LinearSVC(C, class_weight=class_weight).fit(X, y, weights)
        by_sample = LinearSVC(C).fit(X, y, weights * factors[y])
        assert_same_model(by_class, by_sample, X)


def wide_indices(X: np.ndarray) -> sparse.csr_array:
    """CSR with int64 indices."""
    csr = sparse.csr_array(X)
    csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    return csr


STORAGES = {
    "Fortran order": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "CSR": sparse.csr_array,
    "CSR matrix": sparse.csr_matrix,
    "CSC": sparse.csc_array,
    "COO": sparse.coo_array,
    "CSR int64": wide_indices,
    "read-only": lambda X: (X.setflags(write=False), X)[1],
    "float32": lambda X: X.astype(np.float32),
    "CSR float32": lambda X: sparse.csr_array(X.astype(np.float32)),
    "CSC float32": lambda X: sparse.csc_array(X.astype(np.float32)),
}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("storage", STORAGES)
def test_storage_does_not_matter(storage, n_classes):
    for seed in SEEDS:
        X, y, weights, C = make_data(seed, n_classes, sparse_share=0.5)
        X = X.astype(np.float32).astype(np.float64)  # the same numbers in both precisions
        dense = LinearSVC(C).fit(X, y, weights)
        stored = STORAGES[storage](X.copy())
        other = LinearSVC(C).fit(stored, y, weights)
        assert_same_model(dense, other, X)
        assert other.coef_.dtype == np.float64


@pytest.mark.parametrize("solver", ["pragam", "qp-bmrm", "ls-bmrm", "dcd"])
def test_every_solver_finds_the_same_model(solver):
    X, y, weights, C = make_data(0)
    assert_same_model(LinearSVC(C, solver=solver, tol=1e-3).fit(X, y, weights), LinearSVC(C).fit(X, y, weights), X)


@pytest.mark.parametrize("C", [1e-315, 1e308])
def test_a_c_beyond_float64_is_refused(C):
    X, y, _, _ = make_data(0)
    with pytest.raises(ValueError, match=r"C = 1e.* is too extreme"):
        LinearSVC(C).fit(X, y)
