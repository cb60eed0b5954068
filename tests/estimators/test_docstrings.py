"""Every parameter and every fitted attribute of every estimator is described where people look: in its docstring."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from row_data import CASES, case
from sklearn.base import BaseEstimator

import pragam
from pragam import estimators
from pragam.estimators.docstrings import inherited, sections_of


def described(cls, section):
    """The names in a section; hand-written ones may share an entry, ``a, b : type``."""
    return {name for key in sections_of(cls.__doc__)[1][section] for name in key.split(", ")}


@pytest.mark.parametrize("name", estimators.__all__)
def test_every_parameter_is_described_and_nothing_else(name):
    cls = getattr(pragam, name)
    assert described(cls, "Parameters") == set(cls._get_param_names())


def fitted(name):
    if name in CASES:
        model, data = case(name)
        return model.fit(*data)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 2)), np.arange(30) % 2
    if name == "GraphSVC":
        graph = pragam.structured.Graph(X, [(i, i + 1) for i in range(29)], y)
        return pragam.GraphSVC(tol=0.1).fit([graph, graph])
    return getattr(pragam, name)(tol=0.1).fit(X, y, lengths=[10, 20])


def attributes(model):
    """Public names that end in one underscore, kept or computed."""
    names = {name for name in (*vars(model), *dir(type(model))) if name.endswith("_") and not name.startswith("_")}
    return {name for name in names if hasattr(model, name) and not callable(getattr(BaseEstimator, name, None))}


@pytest.mark.parametrize("name", [*CASES, "ChainSVC", "GraphSVC", "GPSequenceClassifier"])
def test_every_fitted_attribute_is_described(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = fitted(name)
    known = described(type(model), "Attributes") | {"n_features_in_", "feature_names_in_"}
    assert attributes(model) <= known


def test_entries_are_inherited_unless_they_are_described_anew():
    class Base:
        """What is general.

        Parameters
        ----------
        a : int
            Of the base.
        b : int
        """

        _parameter_constraints = {}  # noqa: RUF012

    class Child(Base):
        """What is special.

        Parameters
        ----------
        c : float
            Own.
        a : str
            Anew.
        """

    text = inherited(Child)
    summary, sections = sections_of(text)
    assert summary == "What is special." and list(sections["Parameters"]) == ["c", "a", "b"]
    assert "Anew." in text and "Of the base." not in text and inherited(Base).count("Of the base.") == 1
