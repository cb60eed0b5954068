"""ChainSVC: forms of input, labels, predictions, weights, kernels, paths, and what scikit-learn does with it."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from chain_words import dictionaries, phrases, sentences
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_extraction import DictVectorizer
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV

import pragam
from pragam import ChainSVC
from pragam.samples import Chains
from pragam.structured import chain_hinge

WORDS, TAGS = sentences(25)
TOKENS = dictionaries(WORDS)
LENGTHS = [len(words) for words in WORDS]
X = DictVectorizer().fit_transform([token for tokens in TOKENS for token in tokens])
Y = np.array([tag for tags in TAGS for tag in tags])


def parts_of(rows):
    return [rows[end - length : end] for end, length in zip(np.cumsum(LENGTHS), LENGTHS, strict=True)]


def fitted(**parameters):
    return ChainSVC(**{"lam": 0.05, "tol": 1e-3, **parameters}).fit(TOKENS, TAGS)


@pytest.fixture(scope="module")
def model():
    return fitted()


def test_every_form_of_the_input_gives_the_same_model_and_predicts_in_its_own_form(model):
    forms = [
        (X, Y, LENGTHS), (sparse.csc_array(X), Y, LENGTHS), (X.toarray(), Y, LENGTHS),
        (parts_of(X.tocsr()), TAGS, None), (parts_of(X.toarray()), TAGS, None),
        ([part.tolist() for part in parts_of(X.toarray())], TAGS, None),
        (np.array(TOKENS, dtype=object), np.array(TAGS, dtype=object), None),
    ]  # fmt: skip
    expected = model.predict(TOKENS)
    assert isinstance(expected[0], list) and expected == [[*map(str, tags)] for tags in expected]
    for rows, labels, lengths in forms:
        other = ChainSVC(lam=0.05, tol=1e-3).fit(rows, labels, lengths)
        assert other.certificate_.relative_gap <= 1e-3
        assert other.certificate_.primal == pytest.approx(model.certificate_.primal, rel=2e-3)
        found = other.predict(rows, lengths)
        assert isinstance(found, np.ndarray) == (lengths is not None)
        assert [*np.concatenate(found if lengths is None else [found])] == [tag for tags in expected for tag in tags]


def test_strings_as_crfsuite_takes_them():
    tokens = [[[f"w={word}", "bias"] for word in words] for words in WORDS]
    model = ChainSVC(lam=0.005).fit(tokens, TAGS)
    assert model.score(tokens, TAGS) == 1.0
    assert model.feature_names_ == sorted({name for sequence in tokens for token in sequence for name in token})


def test_a_matrix_without_lengths_is_one_sequence():
    model = ChainSVC(lam=0.1).fit(X, Y)
    assert (model.predict(X) == model.predict(X, [len(Y)])).all() and model.predict(X).shape == Y.shape


def test_the_certificate_is_that_of_the_problem_with_a_constant_column(model):
    rows = sparse.hstack([X, np.ones((len(Y), 1))], format="csr")
    problem = chain_hinge(rows, Y, LENGTHS, lam=0.05, labels=model.classes_)
    w = np.concatenate([
        np.column_stack([model.coef_, model.intercept_]).ravel(), model.transitions_.ravel(), model.start_, model.end_
    ])  # fmt: skip
    assert pragam.certify(problem, w, model.dual_) == model.certificate_
    assert model.certificate_.rigorous and model.certify(TOKENS, TAGS) == model.certificate_
    assert model.history_.gap[-1] == model.certificate_.gap and model.status_ is pragam.Status.CONVERGED


def test_predictions_agree_with_each_other(model):
    labels, margins = model.predict(TOKENS), model.token_margins(TOKENS)
    for tokens, own, margin, best in zip(TOKENS, labels, margins, model.predict_topk(TOKENS, 3), strict=True):
        assert best[0][0].tolist() == own and len(margin) == len(tokens)
        values = [score for _, score in best]
        assert values == sorted(values, reverse=True)
        assert min(margin) == pytest.approx(values[0] - values[1], abs=1e-9)  # the second best differs somewhere
    assert model.score(TOKENS, TAGS) == np.mean(np.concatenate(labels) == Y)
    assert len(model.predict_topk(TOKENS[:1], 10**4)[0]) == len(model.classes_) ** len(TOKENS[0])


def test_unseen_features_are_ignored_and_counted(model):
    assert model.predict([[{"w": "the"}, {"w": "zebra", "length": 3, "size": 1}]])[0][0] == "D"
    assert model.n_unseen_features_ == 2
    model.predict(TOKENS[:1])
    assert model.n_unseen_features_ == 0


def test_labels_may_be_fixed_and_need_not_occur():
    model = fitted(labels=["V", "X", "N", "D"])
    assert model.classes_.tolist() == ["V", "X", "N", "D"] and model.coef_.shape[0] == 4
    assert model.score(TOKENS, TAGS) > 0.95
    numbers = ChainSVC(lam=0.05).fit(X, (Y == "V").astype(int), LENGTHS)
    assert numbers.predict(X, LENGTHS).dtype == int


def test_forbidden_transitions_are_never_predicted():
    tags = phrases(TAGS)
    free, bound = (ChainSVC(lam=50.0, transitions=rule).fit(TOKENS, tags) for rule in (None, "iob"))
    assert all(own[0] != "I-NP" and ("O", "I-NP") not in itertools.pairwise(own) for own in bound.predict(TOKENS))
    assert bound.certificate_.primal <= free.certificate_.primal * 1.02  # a maximum over fewer labellings
    table = np.ones((3, 3), dtype=bool)
    table[2, 2] = False  # no verb after a verb
    model = ChainSVC(lam=0.05, transitions=table).fit(TOKENS, TAGS)
    assert all(("V", "V") not in itertools.pairwise(own) for own in model.predict([TOKENS[0] * 5]))


def test_weights_of_sequences_and_tokens():
    doubled = ChainSVC(lam=0.05, tol=1e-4).fit(TOKENS + TOKENS[:5], TAGS + TAGS[:5])
    weights = np.where(np.arange(25) < 5, 2.0, 1.0) * 25 / 30
    weighted = ChainSVC(lam=0.05, tol=1e-4).fit(TOKENS, TAGS, sample_weight=weights)
    assert weighted.certificate_.primal == pytest.approx(doubled.certificate_.primal, rel=3e-4)
    assert weighted.certify(TOKENS, TAGS) == weighted.certificate_
    dear = ChainSVC(lam=0.05, tol=1e-4).fit(TOKENS, TAGS, token_weight=np.full(len(Y), 2.0))
    alike = ChainSVC(lam=0.05, tol=1e-4, loss=2 * (1 - np.eye(3))).fit(
        TOKENS, TAGS, token_weight=1 / np.repeat(LENGTHS, LENGTHS)
    )
    assert dear.certificate_.primal == pytest.approx(alike.certificate_.primal, rel=3e-4)


def test_losses():
    mean, total = fitted(), fitted(loss="hamming_sum")
    assert total.certificate_.primal > mean.certificate_.primal
    cost = fitted(loss=1.0 - np.eye(3))
    assert cost.certificate_.primal == pytest.approx(total.certificate_.primal, rel=2e-3)


def test_a_path_of_lam_is_certified_at_every_point():
    lams = [0.02, 0.5, 0.1]
    models = ChainSVC(tol=1e-3).fit_path(TOKENS, TAGS, lams)
    assert [model.lam for model in models] == lams
    for model in models:
        alone = fitted(lam=model.lam)
        assert model.certificate_.relative_gap <= 1e-3
        assert model.certificate_.primal == pytest.approx(alone.certificate_.primal, rel=2e-3)
        assert model.certify(TOKENS, TAGS) == model.certificate_


KERNELS = {"name": "rbf", "object": RBF(2.0), "callable": lambda A, B: rbf_kernel(A, B, gamma=0.125)}


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_an_exact_kernel_has_its_gram_matrix(kernel):
    model = fitted(lam=0.001, tol=1e-2, kernel=kernel, kernel_params={"gamma": 0.125} if kernel == "rbf" else None)
    phi = model.model_.features.mapped(Chains.of(X, Y, LENGTHS)).X
    assert phi @ phi.T == pytest.approx(rbf_kernel(X, gamma=0.125), abs=1e-9)
    assert model.coef_.shape == (3, phi.shape[1]) and model.score(TOKENS, TAGS) == 1.0
    assert model.certify(TOKENS, TAGS) == model.certificate_


def test_landmarks_approximate_and_a_kernel_that_is_none_is_refused():
    model = fitted(kernel="rbf", n_landmarks=3)
    assert model.coef_.shape[1] <= 3 and model.certificate_.relative_gap <= 1e-3
    with pytest.raises(ValueError, match="kernel is not positive definite"):
        fitted(kernel=lambda A, B: -rbf_kernel(A, B))


def test_clone_pickle_and_grid_search(model):
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(TOKENS) == model.predict(TOKENS) and again.certify(TOKENS, TAGS) == model.certificate_
    search = GridSearchCV(ChainSVC(tol=0.05, labels=["D", "N", "V"]), {"lam": [0.02, 20.0]}, cv=3).fit(TOKENS, TAGS)
    assert search.best_params_ == {"lam": 0.02} and search.best_score_ > 0.9


def test_equal_fits_give_equal_models_and_html_shows_the_certificate(model):
    assert (fitted().coef_ == model.coef_).all()
    assert "Relative gap" in model._repr_mimebundle_()["text/html"]


def test_a_budget_that_ends_warns_with_numbers_and_a_remedy():
    with pytest.warns(ConvergenceWarning, match=r"relative gap is .* tol=1e-09 .*max_iter=1.*raise lam"):
        model = ChainSVC(lam=1e-3, tol=1e-9, max_iter=1).fit(TOKENS, TAGS)
    assert model.status_ is pragam.Status.MAX_ITER and np.isfinite(model.certificate_.gap)


def bad(change):
    """The training data, changed."""
    tokens, tags = [list(own) for own in TOKENS], [list(own) for own in TAGS]
    change(tokens, tags)
    return tokens, tags


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x, y: y[17].append("D"), "sequence 17: .* tokens and"),
        (lambda x, y: (x[3].clear(), y[3].clear()), "sequence 3: it is empty"),
        (lambda x, y: x[4].__setitem__(0, {"w": np.nan}), "sequence 4: the feature 'w' is nan"),
        (lambda x, y: y.pop(), "y must be a list of the labels of 25 sequences"),
        (lambda x, y: y[9].__setitem__(0, "Q"), "sequence 9: .*'Q'"),
        (lambda x, y: x.__setitem__(2, None), "sequence 2: it must be"),
    ],
)
def test_bad_lists_name_the_sequence(change, message):
    with pytest.raises(ValueError, match=message):
        ChainSVC(labels=["D", "N", "V"]).fit(*bad(change))


def test_bad_matrices_name_the_sequence_and_bad_arguments_their_name(model):
    rows = X.toarray()
    rows[LENGTHS[0] + LENGTHS[1]] = np.inf
    for data in (rows, sparse.csr_array(rows)):
        with pytest.raises(ValueError, match="sequence 2: X contains NaN or infinity"):
            ChainSVC().fit(data, Y, LENGTHS)
    for arguments, message in [
        ((X, Y, LENGTHS[:-1]), "lengths sum to"), ((X, Y[:-1], LENGTHS), "y must hold"),
        ((X, Y, [len(Y), 0]), "sequence 1"), ((X, np.full(len(Y), "D")), "two labels"),
        ((TOKENS, TAGS, LENGTHS), "lengths must not be given"), ((X, Y, [1.5]), "lengths"), ((7, Y), "X must be"),
        (([rows[:2, :2], rows[:2, :3]], [["D", "N"]] * 2), "sequence 1: .* 2 columns"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=message):
            ChainSVC().fit(*arguments)
    with pytest.raises(ValueError, match="trained on features by name"):
        model.predict(X, LENGTHS)
    with pytest.raises(ValueError, match="k must be"):
        model.predict_topk(TOKENS, 0)
    with pytest.raises(NotFittedError):
        ChainSVC().predict(TOKENS)
    with pytest.raises(ValueError, match=r"sequence \d+: .*not allowed"):
        ChainSVC(transitions=np.eye(3, dtype=bool)).fit(TOKENS, TAGS)
