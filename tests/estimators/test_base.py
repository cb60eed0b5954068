"""The base of all estimators is general: a new one says which samples it takes and which risk it minimises."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from row_data import numbers
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from pragam import Status
from pragam.estimators.base import CertifiedEstimator
from pragam.estimators.parameters import at_least_zero, estimator, positive
from pragam.estimators.rows import RowRegressor
from pragam.risks import EpsilonInsensitive
from pragam.samples import Rows


@estimator
class Bare(CertifiedEstimator):
    """No family: two hooks, and a fit that says what it takes.

    Parameters
    ----------
    lam : float > 0
    """

    lam: float = positive(0.1, first=True)

    def fit(self, pair):
        return self._fit(*pair)

    def _samples(self, X, y):
        return Rows.of(X, y)

    def _risk(self, samples):
        return EpsilonInsensitive(lam=self.lam, epsilon=0.0)


@estimator
class Tube(RowRegressor):
    """A regressor in three lines.

    Parameters
    ----------
    width : float >= 0
    """

    width: float = at_least_zero(0.1)

    def _risk(self, samples):
        return EpsilonInsensitive(lam=self._lam(samples), epsilon=self.width)


def test_two_hooks_make_an_estimator():
    X, y, _ = numbers()
    model = Bare(0.05).fit((X, y))
    assert model.status_ is Status.CONVERGED and model.certificate_.relative_gap <= 1e-4
    assert model.model_.certify(Rows.of(X, y)) == model.certificates_
    assert model.model_.predict(Rows.of(X)).shape == y.shape
    assert len(model.history_) > 0 and "pragam-certificate" in model._repr_html_()


def test_parameters_are_those_of_the_class_and_its_bases():
    names = list(inspect.signature(Tube).parameters)
    assert names[:2] == ["C", "width"] and set(names) == set(Tube().get_params())
    assert inspect.signature(Tube).parameters["C"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert inspect.signature(Tube).parameters["width"].kind is inspect.Parameter.KEYWORD_ONLY
    assert clone(Tube(2.0, width=0.3)).get_params() == Tube(C=2.0, width=0.3).get_params()
    with pytest.raises(TypeError):
        Tube(1.0, 0.3)


def test_it_is_searched_as_any_other():
    X, y, weights = numbers()
    search = GridSearchCV(Tube(), {"C": [1e-6, 1.0], "width": [0.1]}).fit(X, y, sample_weight=weights)
    assert search.best_params_ == {"C": 1.0, "width": 0.1}


def test_what_a_parameter_may_be_is_checked_in_fit_alone():
    X, y, _ = numbers()
    with pytest.raises(ValueError, match="'width' parameter of Tube"):
        Tube(width=-1.0).fit(X, y)


@pytest.mark.parametrize(("hook", "word"), [("_samples", "fitted on"), ("_risk", "minimises")])
def test_an_estimator_must_say_what_it_is(hook, word):
    class Nothing(CertifiedEstimator):
        pass

    with pytest.raises(NotImplementedError, match=f"Nothing does not say .*{word}: define {hook}"):
        getattr(Nothing(), hook)(np.eye(2))
