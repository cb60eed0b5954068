"""Classifiers refuse the numbers of a regression, in scikit-learn's words, and warn of integers that look like them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

import pragam

_RNG = np.random.default_rng(5)
X = _RNG.standard_normal((24, 3))
CODE = (X[:, 0] > 0).astype(int)
NUMBERS = 17.3 * X[:, 1]
BOTH = np.c_[CODE, 1 - CODE]

CLASSIFIERS = [pragam.LinearSVC, pragam.MulticlassSVC, pragam.MultilabelSVC, pragam.OrdinalSVC]
each_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)


@each_classifier
@pytest.mark.parametrize("form", [np.asarray, np.ndarray.tolist, np.float32, lambda y: y[:, None]])
@pytest.mark.filterwarnings("ignore:A column-vector")
def test_continuous_targets_are_refused(classifier, form):
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        classifier().fit(X, form(NUMBERS))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csc_array])
def test_label_sets_of_numbers_are_refused(form):
    with pytest.raises(ValueError, match="Unknown label type: continuous-multioutput"):
        pragam.MultilabelSVC().fit(X, form(X[:, :2]))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, np.ndarray.tolist])
def test_zeros_and_ones_may_be_floats(form):
    one, other = pragam.MultilabelSVC().fit(X, BOTH), pragam.MultilabelSVC().fit(X, form(BOTH.astype(float)))
    assert np.array_equal(one.coef_, other.coef_) and other.certify(X, form(BOTH.astype(float))) == one.certificate_
    assert other.score(X, BOTH.astype(float)) == one.score(X, BOTH)


@each_classifier
def test_integers_of_half_as_many_kinds_as_rows_are_warned_of(classifier):
    with pytest.warns(UserWarning, match="could represent a regression problem"):
        classifier(max_seconds=0).fit(X, 1000 * np.arange(24))


@each_classifier
@pytest.mark.parametrize("y", [CODE, 100 * CODE - 7, CODE.astype(bool), CODE.astype(float), CODE.astype(np.uint8)])
def test_labels_are_no_numbers(classifier, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = classifier().fit(X, y)
    assert model.classes_.tolist() == np.unique(y).tolist()


@each_classifier
def test_a_column_of_labels_is_a_vector(classifier):
    with pytest.warns(DataConversionWarning, match="A column-vector"):
        model = classifier().fit(X, CODE[:, None])
    assert np.array_equal(model.coef_, classifier().fit(X, CODE).coef_)
