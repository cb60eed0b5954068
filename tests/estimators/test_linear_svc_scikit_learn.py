"""LinearSVC among scikit-learn's own: pipelines, searches, copies and callbacks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from svc_data import assert_same_model, make_data

from pragam import LinearSVC, Status


def test_parameters_and_clone():
    model = LinearSVC(3.0, tol=1e-3, solver="dcd", max_iter=7, warm_start=True)
    assert clone(model).get_params() == model.get_params()
    assert model.set_params(C=0.5).C == 0.5
    X, y, _, _ = make_data(0)
    assert not hasattr(clone(LinearSVC().fit(X, y)), "coef_")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_pickle_keeps_model_and_proof(n_classes):
    X, y, _, C = make_data(0, n_classes)
    model = LinearSVC(C, warm_start=True).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.decision_function(X), model.decision_function(X))
    assert copy.certificates_ == model.certificates_
    assert copy.fit(X, y).n_iter_ == 0


def test_pipeline_equals_scaling_by_hand():
    X, y, weights, C = make_data(2)
    piped = make_pipeline(StandardScaler(), LinearSVC(C)).fit(X, y, linearsvc__sample_weight=weights)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    assert_same_model(piped[-1], LinearSVC(C).fit(scaled, y, weights), scaled)


def test_grid_search_prefers_a_good_c():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = rng.standard_normal((80, 3)) + 3 * y[:, None]
    X[:, 0] *= 1e-3
    search = GridSearchCV(LinearSVC(fit_intercept=False), {"C": [1e-9, 1.0], "fit_intercept": [False, True]}).fit(X, y)
    assert search.best_params_ == {"C": 1.0, "fit_intercept": True}
    assert search.score(X, y) > 0.95


def test_feature_names_of_a_data_frame():
    pandas = pytest.importorskip("pandas")
    X, y, _, C = make_data(1)
    names = [f"column {j}" for j in range(X.shape[1])]
    frame = pandas.DataFrame(X, columns=names)
    model = LinearSVC(C).fit(frame, pandas.Series(np.array(["no", "yes"])[y]))
    assert model.feature_names_in_.tolist() == names
    assert_same_model(model, LinearSVC(C).fit(X, y), X)
    assert set(model.predict(frame)) <= {"no", "yes"}
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[names[::-1]].rename(columns={names[0]: "other"}))


def test_a_frame_of_polars_is_as_good_as_one_of_pandas():
    polars = pytest.importorskip("polars")
    X, y, _, C = make_data(1)
    frame = polars.DataFrame(X, schema=[f"column {j}" for j in range(X.shape[1])])
    model = LinearSVC(C).fit(frame, polars.Series(np.array(["no", "yes"])[y]))
    assert model.feature_names_in_.tolist() == frame.columns
    assert_same_model(model, LinearSVC(C).fit(X, y), X)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename({"column 0": "other"}))


def test_skops_gives_the_model_back():
    skops = pytest.importorskip("skops.io")
    X, y, _, C = make_data(1)
    model = LinearSVC(C).fit(X, y)
    data = skops.dumps(model)
    unknown = skops.get_untrusted_types(data=data)
    assert all(name.startswith("pragam.") for name in unknown)
    back = skops.loads(data, trusted=unknown)
    assert_same_model(back, model, X)
    assert back.certificates_ == model.certificates_ and back.get_params() == model.get_params()


class Recorder:
    """Everything that happens, and the wish to stop at the end of some tasks."""

    def __init__(self, stop_at: str = "") -> None:
        self.events: list[tuple] = []
        self.stop_at = stop_at

    def setup(self, estimator, context):
        self.events.append(("setup",))

    def teardown(self, estimator, context):
        self.events.append(("teardown",))

    def on_fit_task_begin(self, estimator, context):
        self.events.append(("begin", *self.place(context), None))

    def on_fit_task_end(self, estimator, context, *, metadata=None):
        self.events.append(("end", *self.place(context), metadata))
        return context.task_name == self.stop_at

    @staticmethod
    def place(context) -> tuple:
        problem = context.parent.task_id if context.task_name == "iteration" else context.task_id
        return context.task_name, problem, context.task_id

    def gaps(self, problem: int) -> list[float]:
        return [e[4]["relative_gap"] for e in self.events if e[:3] == ("end", "iteration", problem)]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_callbacks_see_every_iteration(n_classes, n_jobs):
    pytest.importorskip("sklearn.callback")
    X, y, _, C = make_data(1, n_classes)
    recorder = Recorder()
    model = LinearSVC(C, solver="newton", n_jobs=n_jobs, tol=1e-6).set_callbacks(recorder).fit(X, y)
    events = recorder.events
    assert events[0] == ("setup",) and events[-1] == ("teardown",)
    assert events[1][:2] == ("begin", "fit") and events[-2][:2] == ("end", "fit")
    begun, ended = ([event[1:4] for event in events if event[0] == word] for word in ("begin", "end"))
    assert sorted(begun) == sorted(ended) and len(set(begun)) == len(begun)
    problems = range(1 if n_classes == 2 else n_classes)
    assert {place for place in begun if place[0] == "problem"} == {("problem", k, k) for k in problems}
    for k in problems:
        gaps = recorder.gaps(k)
        assert gaps[-1] <= 1e-6 < gaps[0]
        assert gaps == sorted(gaps, reverse=True)
    assert max(len(recorder.gaps(k)) for k in problems) == model.n_iter_


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_callback_can_stop_the_fit(n_classes):
    pytest.importorskip("sklearn.callback")
    X, y, _, C = make_data(1, n_classes)
    recorder = Recorder(stop_at="iteration")
    model = LinearSVC(C, solver="newton", tol=1e-12).set_callbacks(recorder)
    with pytest.warns(ConvergenceWarning, match="callback asked to stop") as caught:
        model.fit(X, y)
    assert len(caught) == 1
    assert model.n_iter_ == 1
    assert model.status_ is Status.STOPPED and set(model.statuses_) == {Status.STOPPED}
    assert recorder.events[-1] == ("teardown",)


@pytest.mark.filterwarnings("error")  # an error in the thread that draws the bar arrives as a warning
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_progress_bar_runs_to_the_end(capsys, n_classes, n_jobs):
    callback = pytest.importorskip("sklearn.callback")
    X, y, _, C = make_data(1, n_classes)
    LinearSVC(C, n_jobs=n_jobs).set_callbacks(callback.ProgressBar()).fit(X, y)
    lines = [line for line in capsys.readouterr().out.splitlines() if "LinearSVC" in line]
    assert len(lines) == 1 + (1 if n_classes == 2 else n_classes)
    assert all("100%" in line for line in lines)
