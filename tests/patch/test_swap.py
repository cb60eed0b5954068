"""Which names are replaced, what comes back, and what other processes see."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
import sklearn.calibration
import sklearn.svm
import sklearn.svm._classes

import pragam
from pragam.patch.linear_svc import LinearSVC
from pragam.patch.linear_svr import LinearSVR

PLACES = (sklearn.svm, sklearn.svm._classes)


@pytest.fixture
def patched():
    pragam.patch_sklearn()
    yield
    pragam.unpatch_sklearn()


def run(program, *arguments):
    return subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=120)


def test_every_name_of_scikit_learn_is_replaced_and_comes_back():
    here = sklearn.svm.LinearSVC
    for _ in range(2):
        pragam.patch_sklearn()
        assert all(place.LinearSVC is LinearSVC and place.LinearSVR is LinearSVR for place in PLACES)
        assert sklearn.calibration.LinearSVC is LinearSVC
        assert here is LinearSVC.original  # a name of this module is its own
    for _ in range(2):
        pragam.unpatch_sklearn()
        assert all(place.LinearSVC is here for place in (*PLACES, sklearn.calibration))
        assert all(place.LinearSVR is LinearSVR.original for place in PLACES)


def test_modules_that_are_loaded_later_are_restored_too():
    program = """
import pragam; pragam.patch_sklearn()
import sklearn.svm, sklearn.calibration
assert sklearn.calibration.LinearSVC is sklearn.svm.LinearSVC
assert sklearn.svm.LinearSVC.__module__.startswith("pragam.")
pragam.unpatch_sklearn()
assert sklearn.calibration.LinearSVC is sklearn.svm.LinearSVC
assert sklearn.svm.LinearSVC.__module__ == "sklearn.svm._classes"
"""
    done = run(program)
    assert done.returncode == 0, done.stderr


def test_unpatching_what_was_never_loaded_loads_nothing():
    done = run("import sys, pragam; pragam.unpatch_sklearn(); print('sklearn' in sys.modules)")
    assert done.stdout.split() == ["False"], done.stderr


def test_models_of_either_class_survive_pickle_while_patched(patched):
    X, y = np.random.default_rng(0).standard_normal((40, 3)), np.arange(40) % 2
    for cls in (LinearSVC, LinearSVC.original):
        model = cls(C=2.0, loss="hinge", max_iter=100_000).fit(X, y)
        for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            assert type(again) is cls
            assert again.get_params() == model.get_params()
            assert (again.decision_function(X) == model.decision_function(X)).all()


def test_a_file_that_scikit_learn_pickled_predicts_while_patched(patched):
    X, y = np.random.default_rng(0).standard_normal((40, 3)), np.arange(40) % 2
    pragam.unpatch_sklearn()
    written = pickle.dumps(sklearn.svm.LinearSVC(C=0.1).fit(X, y))
    pragam.patch_sklearn()
    model = pickle.loads(written)
    assert type(model) is LinearSVC
    assert model.C == 0.1
    assert (model.predict(X) == LinearSVC(C=0.1).fit(X, y).predict(X)).all()
    with pytest.raises(AttributeError, match="scikit-learn's own LinearSVC fitted this model"):
        model.certificate_  # noqa: B018


def test_a_fitted_model_is_read_where_nothing_is_patched(patched, tmp_path):
    X, y = np.random.default_rng(0).standard_normal((40, 3)), np.arange(40) % 2
    file = tmp_path / "model"
    file.write_bytes(pickle.dumps(sklearn.svm.LinearSVC().fit(X, y)))
    program = """
import pickle, sys, sklearn.svm
model = pickle.load(open(sys.argv[1], "rb"))
assert sklearn.svm.LinearSVC.__module__ == "sklearn.svm._classes" is not type(model).__module__
assert isinstance(model, sklearn.svm.LinearSVC)
print(model.certificate_.relative_gap)
"""
    done = run(program, str(file))
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) <= 1e-8


@pytest.mark.parametrize(
    "order",
    ["patch_sklearn()\nfrom sklearn.svm import LinearSVC", "from sklearn.svm import LinearSVC\npatch_sklearn()"],
)
def test_worker_processes_fit_models_of_either_class(order, tmp_path):
    """GridSearchCV sends the estimator to processes of joblib, which are not patched."""
    script = tmp_path / "search.py"
    script.write_text(f"""
from pragam import patch_sklearn
{order}
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
X, y = load_iris(return_X_y=True)
search = GridSearchCV(LinearSVC(), {{"C": [0.01, 1.0]}}, n_jobs=2, error_score="raise").fit(X, y)
print(type(search.best_estimator_).__module__, search.best_score_ > 0.9)
""")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    module = "pragam.patch.linear_svc" if order.startswith("patch") else "sklearn.svm._classes"
    assert done.stdout.split() == [module, "True"]
