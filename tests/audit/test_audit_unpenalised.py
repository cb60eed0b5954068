"""A model that penalises nothing: the bounds of its loss, exact; the bound over a ball, which no model in it beats."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
from audited import overlapping
from claimed import least, losses
from scipy import sparse
from sklearn.datasets import load_diabetes
from sklearn.linear_model import QuantileRegressor

import pragam
from pragam.auditing.claim import claim_of
from pragam.auditing.unpenalised import ball_of


def data(n=60, d=4, scale=1.0):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d)) * scale
    return X, X @ np.arange(1.0, d + 1) / scale + rng.standard_normal(n)


def weights(X, y, loss="quantile", **more):
    return pragam.Weights(coef=np.ones(X.shape[1]), intercept=0.3, lam=0, loss=loss, **more)


def ball(model, X, y, sample_weight=None, tol=1e-6):
    claim = claim_of(model, X, y, sample_weight)
    return ball_of(claim.model, claim.samples, tol)


@pytest.mark.parametrize("loss", ["quantile", "epsilon_insensitive"])
@pytest.mark.parametrize("scale", [1e-150, 1e-3, 1.0, 3e5, 1e150])
def test_the_loss_of_the_model_lies_in_its_bounds_as_a_rational_number(loss, scale):
    X, y = data(n=12, d=3, scale=scale)
    share = Fraction(0.25)
    own = {"q": 0.25} if loss == "quantile" else {"epsilon": 0.5}
    audit = pragam.audit(weights(X, y, loss, **own), X, y, max_seconds=0.1)  # no optimum is asked for
    value = Fraction(0)
    for row, target in zip(X.tolist(), y.tolist(), strict=True):
        r = Fraction(target) - sum(map(Fraction, row)) - Fraction(0.3)
        own = max(share * r, (share - 1) * r) if loss == "quantile" else max(abs(r) - Fraction(0.5), Fraction(0))
        value += own / len(y)
    # The stored boxes are weight/n and weight q/n to the nearest float, and targets -+ epsilon are rounded.
    room = Fraction(1e-15) * value
    assert Fraction(audit.total.objective.lower) - room <= value <= Fraction(audit.total.objective.upper) + room
    assert audit.total.objective.upper <= audit.total.objective.lower * (1 + 1e-12)


def test_scaling_is_exact():
    X, y = data(scale=37.0)
    for form in (np.asarray, np.asfortranarray, sparse.csr_array, lambda X: X.astype(np.float32)):
        own = ball(weights(X, y), form(X), y)
        kind, arrays = own.samples.X.rows()
        Z = arrays[0] if kind == "dense" else sparse.csr_array(tuple(arrays), shape=X.shape).toarray()
        scale = np.rint(np.log2(own.model.tensors["coef"][0]))
        given = form(X).astype(float)
        assert np.array_equal(Z * 2.0**scale, given.toarray() if sparse.issparse(given) else given)
        assert (np.abs(np.log2(Z.std(axis=0))) < 0.8).all()


def test_a_column_that_cannot_be_scaled_exactly_is_left():
    X, y = data()
    X[:, 1] *= 1e140
    X[0, 1] = 5e-324
    X[:, 2] = 0.0
    own = ball(pragam.Weights(coef=[1.0, 1e-140, 1.0, 1.0], lam=0, loss="quantile"), X, y)
    assert own.model.tensors["coef"][0, 1] == 1e-140 and own.model.tensors["coef"][0, 2] == 1.0


@pytest.mark.parametrize("sample_weight", [None, "some"])
@pytest.mark.parametrize("seed", range(3))
def test_no_model_in_the_ball_beats_the_bound(seed, sample_weight):
    X, y = data()
    given = None if sample_weight is None else np.random.default_rng(9).uniform(0, 2, len(y))
    model, rng = weights(X, y, q=0.7), np.random.default_rng(seed)
    audit, own = pragam.audit(model, X, y, given), ball(model, X, y, given)
    size = np.ones(len(y)) if given is None else given
    (_, (Z,)) = own.samples.X.rows()
    best = np.linalg.lstsq(np.column_stack([Z, np.ones(len(y))]), y, rcond=None)[0]
    for k in range(300):
        w = rng.standard_normal(4)
        w *= own.radius * rng.random() / np.linalg.norm(w) if k % 2 else 0.1 * rng.random()
        w, b = (w, rng.standard_normal()) if k % 2 else (best[:4] + w, best[4])
        loss = (size * losses("quantile", Z @ w + b, y, q=0.7)).mean()
        assert np.linalg.norm(w) <= own.radius and loss >= audit.total.optimum.lower * (1 - 1e-12)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_where_the_least_loss_is_outside_the_ball(loss):
    """Separable classes: the loss falls to 0 far away, and the bound speaks of the ball that the claim names."""
    X, y, _ = overlapping(n=40, d=3)
    X = X + 6 * y[:, None]
    side = np.where(y == 1, 1, -1)
    model = pragam.Weights(coef=np.full(3, 1e-6), intercept=0.0, lam=0, loss=loss)
    audit, own = pragam.audit(model, X, y), ball(model, X, y)
    radius = float(re.search(r"\|w\| <= ([0-9.e+]+),", audit.claim).group(1))
    assert radius >= own.radius == pytest.approx(10.0, rel=0.1)  # ten times the loss, as the weights are tiny
    (_, (Z,)) = own.samples.X.rows()
    w = radius * np.ones(3) / 2
    for shrunk in np.geomspace(1e-4, 1, 60):
        scores = shrunk * (Z @ w - Z.mean(axis=0) @ w)
        assert losses(loss, scores, side).mean() >= audit.total.optimum.lower
    assert audit.relative.lower > 1 and audit.within is False


def test_the_ball_grows_to_hold_the_best_model():
    """Weights of 0, whose loss is small where the best weights are long."""
    X, y = data(n=50, d=3)
    X[:, 2] = X[:, 0] + 0.001 * X[:, 2]
    y = X @ [1000.0, 1.0, -1000.0] + 0.1 * y
    audit = pragam.audit(pragam.Weights(coef=np.zeros(3), intercept=0.0, lam=0, loss="quantile"), X, y)
    optimum = least("quantile", X, y, 0.0, True)
    assert audit.total.optimum.lower <= optimum * (1 + 1e-9) and audit.total.optimum.upper >= optimum * (1 - 1e-9)
    assert audit.total.optimum.upper <= optimum * (1 + 1e-6)


def test_the_least_loss_is_that_of_a_linear_program():
    """Raw columns of very different sizes, where a small lam in X's own units would say nothing."""
    X, y = load_diabetes(return_X_y=True, scaled=False)
    X = X[::3] * np.geomspace(1e-3, 1e3, 10)
    y = y[::3]
    model = QuantileRegressor(quantile=0.2, alpha=0).fit(X, y)
    audit = pragam.audit(model, X, y)
    optimum = least("quantile", X / X.std(axis=0), y, 0.0, True, q=0.2)
    assert audit.within and audit.total.optimum.lower <= optimum * (1 + 1e-9)
    assert audit.total.optimum.upper >= optimum * (1 - 1e-9)
    worse = pragam.Weights(coef=1.01 * model.coef_, intercept=model.intercept_, lam=0, loss="quantile", q=0.2)
    far = pragam.audit(worse, X, y)
    value = losses("quantile", X @ worse.coef[0] + model.intercept_, y, q=0.2).mean()
    assert far.within is False and far.above.lower <= value - optimum <= far.above.upper


def test_a_perfect_fit_has_no_distance():
    X, _ = data(n=5, d=5)
    audit = pragam.audit(pragam.Weights(coef=np.zeros(5), intercept=2.0, lam=0, loss="quantile"), X, np.full(5, 2.0))
    assert audit.within and audit.total.objective == (0.0, 0.0)


def test_the_tolerance_is_kept():
    X, y = data()
    model = QuantileRegressor(quantile=0.5, alpha=0).fit(X, y)
    for tol in (1e-2, 1e-6, 1e-9):
        audit = pragam.audit(model, X, y, tol=tol)
        assert audit.within and audit.relative.upper <= 0.2 * tol
