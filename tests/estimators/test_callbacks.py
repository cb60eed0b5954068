"""scikit-learn's callbacks: scores of the model on the way, the gap by name, and two callbacks as one."""

from __future__ import annotations

import numpy as np
import pytest
from row_data import CASES, case, labels

from pragam import LinearSVC, MultilabelSVC
from pragam.estimators.callbacks import both


@pytest.mark.parametrize("first", [None, True, False])
@pytest.mark.parametrize("second", [None, True, False])
def test_both_asks_both(first, second):
    asked = []
    calls = [None if answer is None else lambda p, a=answer: (asked.append(p), a)[1] for answer in (first, second)]
    callback = both(*calls)
    assert (callback is None) == (calls == [None, None])
    assert callback is None or bool(callback("progress")) == bool(first or second)
    assert callback is None or asked == ["progress"] * (2 - calls.count(None))


class Watcher:
    """What an iteration is told: the gap by name, and the model so far."""

    def __init__(self):
        self.gaps, self.models, self.given = [], [], []

    def setup(self, estimator, context):
        pass

    teardown = on_fit_task_begin = setup

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None):
        self.given.append((X, y))
        if context.task_name == "iteration":
            self.gaps.append(metadata["relative_gap"])
            self.models.append(fitted_estimator)


def scores_of(monitor, task):
    return [entry for entry in monitor.get_logs().data if entry["task_name"] == task]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["hinge", "penalised intercept", "Crammer and Singer", "tube", "levels", "label sets"])
def test_a_monitor_records_the_score_of_every_iteration_and_of_the_fit(name, weighted):
    callback = pytest.importorskip("sklearn.callback")
    model, (X, y, weights) = case(name)
    scoring = "r2" if name == "tube" else "accuracy"
    monitor, weights = callback.ScoringMonitor(scoring=scoring), weights if weighted else None
    model.set_callbacks(monitor).fit(X, y, weights)
    (end,) = scores_of(monitor, "fit")
    assert end[scoring] == pytest.approx(model.score(X, y, weights) if weighted else model.score(X, y))
    steps = scores_of(monitor, "iteration")
    assert len(steps) == model.n_iter_ and steps[-1][scoring] == pytest.approx(end[scoring])


def test_of_several_problems_the_end_is_scored():
    callback = pytest.importorskip("sklearn.callback")
    X, y, _ = labels()
    monitor = callback.ScoringMonitor(scoring=["accuracy", "balanced_accuracy"])
    model = LinearSVC(n_jobs=2).set_callbacks(monitor).fit(X, y)
    (end,) = monitor.get_logs().data
    assert end["task_name"] == "fit" and end["accuracy"] == model.score(X, y)


@pytest.mark.parametrize("name", CASES)
def test_an_iteration_knows_its_gap_and_its_model(name):
    pytest.importorskip("sklearn.callback")
    watcher, (model, (X, y, _)) = Watcher(), case(name)
    model.set_callbacks(watcher).fit(X, y)
    assert all(given[0] is X and given[1] is y for given in watcher.given)
    assert max(watcher.gaps[-1:]) <= 1e-4
    if len(model.certificates_) > 1:
        assert set(watcher.models) == {None}
    else:
        assert np.array_equal(watcher.models[-1].predict(X), model.predict(X))
        assert watcher.models[-1].get_params() == model.get_params()


def test_a_cut_is_learnt_on_the_way():
    pytest.importorskip("sklearn.callback")
    watcher, (_, (X, y, _)) = Watcher(), case("label sets")
    model = MultilabelSVC().set_callbacks(watcher).fit(X, y)
    assert watcher.models[-1].cut_ == model.cut_
