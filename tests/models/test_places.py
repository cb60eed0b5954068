"""Where a model says that its optima are: never looser than the ball around w, and true of finer fits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from pragam import risks
from pragam.auditing.predictions import compared
from pragam.driver.jobs import Settings
from pragam.models import fit, load, save
from pragam.models.places import narrower
from pragam.samples import Rows

HINGE = risks.Hinge(lam=0.01)
SPECIAL = {
    "two classes": (risks.OneVsRest(each=HINGE), 2),
    "without a bias": (risks.OneVsRest(each=replace(HINGE, bias=False)), 2),
    "one against the rest": (risks.OneVsRest(each=HINGE), 4),
    "squared": (risks.OneVsRest(each=risks.SquaredHinge(lam=0.01)), 2),
    "smoothed": (risks.OneVsRest(each=risks.SmoothedHinge(lam=0.01, gamma=0.5)), 3),
    "levels": (risks.OrdinalHinge(lam=0.01), 4),
    "two levels": (risks.OrdinalHinge(lam=0.01), 2),
    "all classes": (risks.MulticlassHinge(lam=0.01, bias=False), 3),
    "all classes with biases": (risks.MulticlassHinge(lam=0.01, bias=True), 3),
    "numbers": (risks.EpsilonInsensitive(lam=0.01), 0),
    "a quantile": (risks.Quantile(lam=0.01, q=0.3), 0),
}
#: What has a region with kinks at a gap of 1e-3.
WITH_KINKS = set(SPECIAL) - {"levels", "all classes", "all classes with biases"}


def samples(n_classes, seed=0, n=300, d=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + 1.0
    score = X @ rng.standard_normal(d) + rng.standard_normal(n)
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])) if n_classes else score
    return X, y


def fitted(name, tol, store=np.asarray, seed=0):
    risk, n_classes = SPECIAL[name]
    X, y = samples(n_classes, seed)
    rows = Rows.of(store(X), y)
    solver = "dcd" if tol > 1e-6 and "classes with" not in name and name != "all classes" else "auto"
    return fit(risk, rows, Settings(tol=tol, solver=solver, max_seconds=20)).model, rows


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", SPECIAL)
def test_bounds_are_never_looser_than_the_ball_and_hold_for_a_finer_fit(name, store):
    rough, rows = fitted(name, 1e-3, store)
    fine, _ = fitted(name, 1e-9, store)
    bounds, finer = rough.bounds(rows), fine.bounds(rows)
    ball = np.concatenate([place.near.decisions(rows.X, place.w) for place in rough._places], axis=1)
    assert (bounds[..., 0] >= ball[..., 0]).all() and (bounds[..., 1] <= ball[..., 1]).all()
    assert (bounds[..., 0] <= finer[..., 1]).all() and (finer[..., 0] <= bounds[..., 1]).all()
    open_biases = name == "all classes with biases"
    assert open_biases or np.ptp(bounds, axis=-1).mean() < 0.75 * np.ptp(ball, axis=-1).mean()
    assert bool(rough.tensors["kinks"].size) == (name in WITH_KINKS)
    if name in WITH_KINKS:
        assert (np.ptp(bounds, axis=-1) < np.ptp(_by_anchors(rough, rows), axis=-1)).any()


def _by_anchors(model, rows):
    return np.concatenate([place.decisions(rows.X) for place in model._places], axis=1)


@pytest.mark.parametrize("name", SPECIAL)
def test_a_file_keeps_all_bounds(name, tmp_path):
    model, rows = fitted(name, 1e-3)
    save(tmp_path / "m", model)
    np.testing.assert_array_equal(load(tmp_path / "m").bounds(rows), model.bounds(rows))


@pytest.mark.parametrize("name", ["two classes", "one against the rest", "two levels", "squared"])
def test_more_predictions_are_proven_and_an_audit_counts_the_same(name):
    model, rows = fitted(name, 3e-2 if "rest" in name else 1e-2, seed=1)
    nothing = np.zeros_like(model.tensors["kinks"])
    less = replace(model, tensors={**model.tensors, "kinks": nothing})
    none = replace(less, tensors={**less.tensors, "reach": np.full_like(less.tensors["reach"], np.inf)})
    proven = [each.proven(rows) for each in (none, less, model)]
    assert (proven[0] <= proven[1]).all() and (proven[1] <= proven[2]).all()
    assert proven[0].sum() < proven[1].sum() < proven[2].sum()
    certain = compared(model, model.scores(rows), *np.moveaxis(model.bounds(rows), 2, 0))
    assert certain.agree == proven[2].sum() and certain.differ == 0


def test_a_problem_without_a_region_among_others_with_anchors():
    """Anchors of zeros stand for none, so that those of the others keep their places."""
    model, rows = fitted("one against the rest", 1e-3)
    own = {name: array.copy() for name, array in model.tensors.items()}
    own["reach"][0], own["least"][0], own["most"][0] = np.inf, -np.inf, np.inf
    own["kinks"][0], own["anchor"][0] = 0, 0
    changed = replace(model, tensors=own).checked()
    before, after = model.bounds(rows), changed.bounds(rows)
    assert (after[:, 0] != before[:, 0]).any()
    np.testing.assert_array_equal(_by_anchors(changed, rows)[:, 1:], _by_anchors(model, rows)[:, 1:])


def test_a_small_fit_at_the_limit_of_rounding_keeps_the_ball():
    model, rows = fitted("two classes", 1e-13)
    assert np.isinf(model.tensors["reach"]).all() == (2 * model.certificate.slack > model.certificate.gap)
    assert np.isfinite(model.bounds(rows)).all()


def test_narrower_is_what_two_intervals_share():
    one, other = np.array([[[0.0, 2.0]]]), np.array([[[1.0, 3.0]]])
    np.testing.assert_array_equal(narrower(one, other), [[[1.0, 2.0]]])
