"""GPSequenceClassifier: forms of input, labels, kernels, options, marginals, refusals, and scikit-learn's habits."""

from __future__ import annotations

import pickle
import warnings
from itertools import pairwise, product

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.gaussian_process.kernels import RBF, DotProduct, WhiteKernel
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV

import pragam
from pragam import GPSequenceClassifier
from pragam.driver.result import Status
from pragam.samples import Chains
from pragam.structured.kernels import Tokens, gram_matrix, kernel_function

RNG = np.random.default_rng(0)
LENGTHS = np.array([1, 4, 3, 6, 2, 5, 4, 1, 7, 3, 5, 4])
N = int(LENGTHS.sum())
CODES = np.cumsum(RNG.integers(0, 2, N)) % 3  # a label is the one before it, or the next
X = np.eye(3)[CODES] + 0.5 * RNG.standard_normal((N, 3))
Y = np.array(["noun", "verb", "other"])[CODES]


def parts_of(values):
    return np.split(values, np.cumsum(LENGTHS)[:-1])


def fitted(**parameters):
    return GPSequenceClassifier(**{"lam": 1e-3, "tol": 1e-6, **parameters}).fit(X, Y, LENGTHS)


@pytest.fixture(scope="module")
def model():
    return fitted()


def test_it_is_certified_and_learns(model):
    assert model.status_ is Status.CONVERGED and model.certificate_.relative_gap <= 1e-6
    assert model.certificate_.rigorous and model.certificate_.exact
    assert model.history_.gap[-1] == model.certificate_.gap
    assert model.classes_.tolist() == ["noun", "other", "verb"]
    assert model.score(X, Y, LENGTHS) > 0.8


def test_a_list_gives_the_same_as_a_flat_matrix(model):
    listed = GPSequenceClassifier(lam=1e-3, tol=1e-6).fit(parts_of(X), parts_of(Y))
    assert listed.certificate_ == model.certificate_
    predicted, P = listed.predict(parts_of(X)), listed.predict_proba(parts_of(X))
    np.testing.assert_array_equal(np.concatenate(predicted), model.predict(X, LENGTHS))
    np.testing.assert_allclose(np.concatenate(P), model.predict_proba(X, LENGTHS), rtol=1e-12)
    assert [len(part) for part in P] == LENGTHS.tolist()


def test_a_matrix_without_lengths_is_one_sequence():
    whole = GPSequenceClassifier(lam=1e-2, tol=1e-4).fit(X, Y)
    assert len(whole.dual_.lengths) == 1 and whole.predict(X).shape == (N,)


def test_marginals_and_labels_are_those_of_all_labellings(model):
    new = RNG.standard_normal((4, 3))
    F = model.kernel_(new, X) @ model.model_.tensors["coef"]
    scores = {
        y: F[np.arange(4), y].sum() + sum(model.transitions_[a, b] for a, b in pairwise(y))
        for y in product(range(3), repeat=4)
    }
    weights = np.exp(np.array(list(scores.values())))
    P = np.zeros((4, 3))
    for y, weight in zip(scores, weights / weights.sum(), strict=True):
        P[np.arange(4), y] += weight
    np.testing.assert_allclose(model.predict_proba(new), P, atol=1e-10)
    best = max(scores, key=scores.get)
    np.testing.assert_array_equal(model.predict(new), model.classes_[list(best)])


def test_landmarks_for_all_tokens_are_the_kernel_itself():
    exact, factor = fitted(precision="float64"), fitted(precision="float64", n_landmarks=N)
    assert factor.certificate_.primal == pytest.approx(exact.certificate_.primal, rel=1e-5)
    np.testing.assert_allclose(
        factor.predict_proba(X, LENGTHS), exact.predict_proba(X, LENGTHS), atol=1e-2
    )  # fmt: skip
    few = fitted(n_landmarks=10)
    assert few.certificate_.primal > exact.certificate_.dual  # a subspace of the kernel's space
    assert few.model_.tensors["coef"].shape == (10, 3)


@pytest.mark.parametrize(
    "kernel",
    [
        RBF(2.0), RBF([1.0, 2.0, 3.0]), DotProduct() + WhiteKernel(1e-3), "linear", "rbf",
        lambda A, B: polynomial_kernel(A, B, degree=2),
    ],
)  # fmt: skip
def test_any_kernel_trains(kernel):
    assert fitted(kernel=kernel, tol=1e-3).status_ is Status.CONVERGED


def test_rbf_by_a_matrix_product_is_scikit_learns():
    np.testing.assert_allclose(kernel_function(RBF(1.7))(X, X[:5]), RBF(1.7)(X, X[:5]), atol=1e-14)


def test_sparse_features_are_the_dense_ones(model):
    for storage in (sparse.csr_array, sparse.csc_matrix):
        same = GPSequenceClassifier(lam=1e-3, tol=1e-6).fit(storage(X), Y, LENGTHS)
        assert same.certificate_.primal == pytest.approx(model.certificate_.primal, rel=1e-5)
        np.testing.assert_array_equal(same.predict(storage(X), LENGTHS), model.predict(X, LENGTHS))


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_the_gram_is_exactly_symmetric_whatever_its_blocks(precision, monkeypatch):
    monkeypatch.setattr("pragam.structured.kernels.gram.BLOCK", 7)
    tokens = Tokens(X, LENGTHS, "once")
    G = gram_matrix(tokens, kernel_function(RBF(1.0)), precision)
    assert G.dtype == precision
    np.testing.assert_array_equal(G, G.T)
    np.testing.assert_allclose(G, rbf_kernel(X, gamma=0.5), atol=1e-6)


def test_the_papers_kernel_counts_inner_tokens_twice():
    tokens = Tokens(X, LENGTHS, "per_edge")
    assert tokens.count[:8].tolist() == [0, 1, 2, 2, 1, 1, 2, 1]
    G = gram_matrix(tokens, kernel_function(RBF(1.0)), "float64")
    np.testing.assert_allclose(G, np.outer(tokens.count, tokens.count) * rbf_kernel(X, gamma=0.5), atol=1e-12)
    literal = fitted(nodes="per_edge")
    np.testing.assert_allclose(literal.predict_proba(X[:1]), np.full((1, 3), 1 / 3))  # a token alone has no edge


def test_tokens_at_different_positions_may_share_nothing():
    tokens = Tokens(X, LENGTHS, "by_position")
    G = gram_matrix(tokens, kernel_function(RBF(1.0)), "float64")
    apart = tokens.position[:, None] != tokens.position
    assert (G[apart] == 0).all() and (G[~apart] > 0).all()
    assert fitted(nodes="by_position").score(X, Y, LENGTHS) > 0.7
    with pytest.raises(ValueError, match="by_position"):
        fitted(nodes="by_position", n_landmarks=5)


def test_without_transitions_tokens_are_labelled_by_themselves():
    alone = fitted(transition_scale=0.0)
    assert not alone.transitions_.any()
    np.testing.assert_array_equal(alone.predict(X, LENGTHS), alone.predict(X, np.ones(N, int)))


@pytest.mark.parametrize("solver", ["rkhs-lbfgs", "gp-block-ascent"])
def test_solvers_agree(solver, model):
    other = fitted(solver=solver)
    assert other.certificate_.primal == pytest.approx(model.certificate_.primal, rel=3e-6)


def test_labels_may_be_fixed_beforehand():
    few = GPSequenceClassifier(lam=1e-2, labels=["noun", "verb", "other", "absent"]).fit(X, Y, LENGTHS)
    assert few.classes_.tolist() == ["noun", "verb", "other", "absent"]
    assert few.predict_proba(X, LENGTHS).shape == (N, 4)
    with pytest.raises(ValueError, match=r"sequence 0: y contains the label 'verb'|sequence \d+: y contains the label"):
        GPSequenceClassifier(labels=["noun", "other"]).fit(X, Y, LENGTHS)


def test_a_fold_may_lack_a_label():
    grid = GridSearchCV(
        GPSequenceClassifier(lam=1e-2, tol=1e-2, labels=["noun", "verb", "other"]), {"lam": [1e-2, 1e-1]}, cv=3
    )
    grid.fit(parts_of(X), parts_of(Y))
    assert set(grid.best_params_) == {"lam"} and grid.best_estimator_.score(parts_of(X), parts_of(Y)) > 0.5


def test_a_temperature_is_chosen_on_held_out_sequences(model):
    cooled = fitted(calibrate=0.4)
    assert cooled.temperature_ != 1.0 and cooled.certificate_ == model.certificate_
    np.testing.assert_array_equal(cooled.predict(X, LENGTHS), model.predict(X, LENGTHS))
    P = cooled.predict_proba(X, LENGTHS)
    np.testing.assert_allclose(P.sum(axis=1), 1.0, atol=1e-12)
    assert not np.allclose(P, model.predict_proba(X, LENGTHS))
    with pytest.raises(ValueError, match="calibrate"):
        fitted(calibrate=0.01)


def test_forbidden_transitions_have_no_probability():
    """Labels turn noun, verb, other, noun; a transition back does not occur."""
    order, turns = ["noun", "verb", "other"], np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], dtype=bool)
    free, model = fitted(labels=order), fitted(labels=order, transitions=turns)
    assert model.status_ is Status.CONVERGED
    assert model.certificate_.dual < free.certificate_.primal  # fewer labellings compete with the true one
    new, lengths = RNG.standard_normal((200, 3)), np.full(20, 10)
    codes = np.array([order.index(label) for label in model.predict(new, lengths)]).reshape(20, 10)
    assert turns[codes[:, :-1], codes[:, 1:]].all()
    F, T, P = model.model_.scores(Chains.of(new[:4])), model.transitions_, np.zeros((4, 3))
    for y in product(range(3), repeat=4):
        if all(turns[pair] for pair in pairwise(y)):
            P[np.arange(4), y] += np.exp(F[np.arange(4), y].sum() + sum(T[a, b] for a, b in pairwise(y)))
    np.testing.assert_allclose(model.predict_proba(new[:4]), P / P.sum(axis=1, keepdims=True), atol=1e-12)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(new, lengths), model.predict(new, lengths))


def test_iob_tags_begin_and_go_on_as_they_must():
    tags, first = np.array(["O", "B-x", "I-x"])[CODES], np.cumsum(LENGTHS) - LENGTHS
    tags[first] = "I-x"
    with pytest.raises(ValueError, match="sequence 0: its true labels start with 'I-x'"):
        GPSequenceClassifier(transitions="iob").fit(X, tags, LENGTHS)
    tags[first] = "B-x"
    tags = np.where((tags == "I-x") & (np.roll(tags, 1) == "O"), "O", tags)
    model = GPSequenceClassifier(lam=1e-3, transitions="iob", calibrate=0.3).fit(X, tags, LENGTHS)
    P = model.predict_proba(X, LENGTHS)
    assert not P[first, model.classes_.tolist().index("I-x")].any()
    for own in np.split(model.predict(RNG.standard_normal((60, 3)), np.full(12, 5)), 12):
        assert own[0] != "I-x" and ("O", "I-x") not in pairwise(own.tolist())


def test_sequences_that_transitions_allow_no_labelling_of_are_named():
    y = np.array(["a", "b", "c", "a", "b"])
    model = GPSequenceClassifier(lam=0.1, transitions=np.eye(3, k=1, dtype=bool)).fit(X[:5], y, [3, 2])
    assert model.predict(X[:3]).tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="sequence 1: transitions allow no labelling of its 4 tokens"):
        model.predict(X[:5], [1, 4])
    for wrong in (np.ones((2, 2), dtype=bool), np.ones((3, 3))):
        with pytest.raises(ValueError, match="boolean matrix"):
            GPSequenceClassifier(transitions=wrong).fit(X[:5], y, [3, 2])


def test_clone_pickle_and_an_unfitted_model(model):
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_allclose(again.predict_proba(X, LENGTHS), model.predict_proba(X, LENGTHS), rtol=1e-12)
    with pytest.raises(NotFittedError):
        clone(model).predict(X)


def test_a_budget_that_ends_first_leaves_a_certified_model():
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        rough = fitted(max_iter=3, tol=1e-9)
    assert rough.status_ is Status.MAX_ITER and np.isfinite(rough.certificate_.gap)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted(tol=1e-3)


def test_it_is_public_and_shows_its_certificate(model):
    assert pragam.GPSequenceClassifier is GPSequenceClassifier
    assert "Relative gap" in model._repr_html_()


BAD = X.copy()
BAD[6, 1] = np.nan


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((BAD, Y, LENGTHS), "sequence 2: X contains NaN"),
        ((X, Y, LENGTHS[:-1]), "lengths sum to"),
        ((X, Y[:-1], LENGTHS), "y must hold"),
        ((parts_of(X), parts_of(Y)[:-1]), "y must be a list"),
        ((parts_of(X), [*parts_of(Y)[:3], Y[:2], *parts_of(Y)[4:]]), "sequence 3"),
        ((X, Y, [0, *LENGTHS]), "sequence 0: it is empty"),
        ((X, np.full(N, "a"), LENGTHS), "at least two labels"),
        (([[{"a": None}]], [["b"]]), "sequence 0: the feature 'a' must be a string or a number"),
        (
            ([["the", "dog"]], [["D", "N"]]),
            "sequence 0: tokens are dictionaries or lists of strings, not words as 'the'",
        ),
    ],
)
def test_what_does_not_fit_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        GPSequenceClassifier().fit(*arguments)


@pytest.mark.parametrize("kernel", [lambda A, B: np.zeros((2, 2)), lambda A, B: np.full((len(A), len(B)), np.nan)])
def test_a_kernel_that_returns_something_else_is_refused(kernel):
    with pytest.raises(ValueError, match="kernel must return"):
        fitted(kernel=kernel)


def test_another_number_of_columns_is_refused(model):
    with pytest.raises(ValueError, match="3"):
        model.predict(X[:, :2])
