"""What scikit-learn is told of estimators of structured output: forms of X, warm starts, the model on the way."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.utils import get_tags

from pragam import ChainSVC, GPSequenceClassifier, GraphSVC, Status
from pragam.structured import Graph

RNG = np.random.default_rng(0)
LENGTHS = [3, 1, 4, 2, 5]
X, Y = RNG.standard_normal((15, 2)), RNG.integers(0, 3, 15)
GRAPHS = [Graph(RNG.standard_normal((4, 2)), [(0, 1), (1, 2)], RNG.integers(0, 3, 4)) for _ in range(5)]
CASES = {
    "flow": (ChainSVC(lam=0.05, tol=1e-3, solver="flow-ascent"), (X, Y, LENGTHS)),
    "bundle": (ChainSVC(lam=0.05, tol=1e-3, solver="qp-bmrm"), (X, Y, LENGTHS)),
    "kernel": (ChainSVC(lam=0.05, tol=1e-3, kernel="rbf"), (X, Y, LENGTHS)),
    "graphs": (GraphSVC(lam=0.05, tol=1e-3), (GRAPHS,)),
    "gp": (GPSequenceClassifier(lam=0.01), (X, Y, LENGTHS)),
    "gp blocks": (GPSequenceClassifier(lam=0.01, solver="gp-block-ascent"), (X, Y, LENGTHS)),
}


def test_tags_say_which_form_x_has():
    chain, graph, gp = map(get_tags, (ChainSVC(), GraphSVC(), GPSequenceClassifier()))
    for tags in (chain, gp):
        assert tags.input_tags.sparse and tags.input_tags.dict and tags.input_tags.string
    assert not graph.input_tags.two_d_array and not graph.target_tags.required
    assert all(tags.estimator_type is None for tags in (chain, graph, gp))


@pytest.mark.parametrize("name", CASES)
def test_a_warm_start_has_nothing_left_to_do(name):
    cold, data = CASES[name]
    model = type(cold)(**cold.get_params()).set_params(warm_start=True).fit(*data)
    first, iterations = model.certificate_, model.n_iter_
    model.fit(*data)
    assert model.status_ is Status.CONVERGED and model.n_iter_ <= 1 < iterations
    assert model.certificate_.gap <= first.gap * 1.01


@pytest.mark.parametrize("name", [name for name in CASES if name != "graphs"])
def test_a_warm_start_of_other_sequences_starts_anew(name):
    cold, _ = CASES[name]
    warm = type(cold)(**cold.get_params()).set_params(warm_start=True).fit(X, Y, LENGTHS)
    other = X[::-1], Y[::-1], LENGTHS[::-1]
    assert warm.fit(*other).certificate_.relative_gap <= warm.tol
    assert warm.certify(*other) == warm.certificate_


@pytest.mark.parametrize("name", [name for name in CASES if name != "graphs"])
def test_callbacks_see_the_model_on_the_way(name):
    """The attributes at the weights of a step are those of a model of them."""
    model, data = CASES[name]
    model.fit(*data)

    class Step:
        w = model.model_.points()[0][0]

    own = model.model_
    found = model._halfway(Step(), (own.risk, own.labels, own.features), None)
    twin = type(model)(**model.get_params())
    vars(twin).update(found)
    assert (twin.predict(X, LENGTHS) == model.predict(X, LENGTHS)).all()


def test_a_path_warns_at_the_line_of_the_user():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ChainSVC(tol=1e-9, max_iter=2).fit_path(X, Y, [1.0, 0.01], LENGTHS)
        ChainSVC(tol=1e-9, max_iter=2).fit(X, Y, LENGTHS)
    assert len(caught) == 3 and {warning.filename for warning in caught} == {__file__}
