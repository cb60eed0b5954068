"""MultilabelSVC: matrices dense and sparse, sets of labels, the learnt cut, and one label a row."""

from __future__ import annotations

import numpy as np
import pytest
from row_data import label_sets, labels
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from pragam import MulticlassSVC, MultilabelSVC, Status

NAMES = np.array(["ant", "bee", "cat"])


def sets_of(Y, kind=set):
    return [kind(NAMES[row.astype(bool)].tolist()) for row in Y]


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix, np.ndarray.tolist, lambda Y: Y.astype(bool)])
def test_the_form_of_a_matrix_does_not_matter(form):
    X, Y, weights = label_sets()
    one, other = MultilabelSVC().fit(X, Y, weights), MultilabelSVC().fit(X, form(Y), weights)
    assert np.array_equal(one.coef_, other.coef_) and one.cut_ == other.cut_
    assert one.classes_.tolist() == [0, 1, 2] and set(np.unique(one.predict(X))) <= {0, 1}


@pytest.mark.parametrize("kind", [set, frozenset, list, tuple])
def test_sets_of_labels_are_a_matrix_with_names(kind):
    X, Y, weights = label_sets()
    matrix, named = MultilabelSVC().fit(X, Y, weights), MultilabelSVC().fit(X, sets_of(Y, kind), weights)
    assert np.array_equal(matrix.coef_, named.coef_) and named.classes_.tolist() == NAMES.tolist()
    assert np.array_equal(matrix.predict(X), named.predict(X))
    assert named.predict_sets(X) == [tuple(NAMES[row.astype(bool)].tolist()) for row in named.predict(X)]
    assert named.score(X, sets_of(Y, kind)) == matrix.score(X, Y) == np.mean((matrix.predict(X) == Y).all(axis=1))
    assert named.certify(X, sets_of(Y, kind)) == named.certify(X, Y) == named.certificate_
    with pytest.raises(ValueError, match=r"Y has labels that the model does not know: \['dog'\]"):
        named.score(X, [{"dog"}] * len(X))


def test_the_cut_has_the_fewest_wrong_labels_on_the_training_data():
    X, Y, _ = label_sets()
    model = MultilabelSVC().fit(X, Y)
    scores = X @ model.coef_.T + model.intercept_
    cuts = np.r_[scores.min() - 1, np.sort(scores.ravel())]
    wrong = min(np.sum((scores > cut) != Y) for cut in cuts)
    assert np.sum(model.predict(X) != Y) == wrong
    assert np.array_equal(model.predict(X), model.decision_function(X) > 0)


def test_one_label_a_row_is_the_multiclass_hinge():
    X, y, weights = labels()
    one, other = MultilabelSVC(0.5).fit(X, y, weights), MulticlassSVC(0.5).fit(X, y, weights)
    assert np.array_equal(one.coef_, other.coef_) and np.array_equal(one.predict(X), other.predict(X))
    as_sets = MultilabelSVC(0.5, tol=1e-8).fit(X, np.eye(3, dtype=int)[y], weights)
    assert as_sets.certificate_.primal == pytest.approx(other.certificate_.primal, rel=1e-4)


@pytest.mark.parametrize("cls", [MulticlassSVC, MultilabelSVC])
def test_the_default_budget_is_a_minute_and_its_end_is_said(cls):
    assert cls().max_seconds == 60.0
    X, y, _ = labels()
    with pytest.warns(ConvergenceWarning, match=r"relative gap is .*max_seconds=0\)\. Raise max_iter or max_seconds"):
        model = cls(max_seconds=0).fit(X, y)
    assert model.status_ is Status.MAX_SECONDS
