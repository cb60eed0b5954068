"""The classes in place of scikit-learn's: the same signature, the same attributes, and what they leave to it."""

from __future__ import annotations

import inspect
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.estimator_checks import check_estimator

import pragam
from pragam.patch import swapped
from pragam.patch.linear_svc import LinearSVC
from pragam.patch.linear_svr import LinearSVR

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 3))
Y = np.digitize(X[:, 0] + 0.5 * rng.standard_normal(60), [-0.5, 0.5])
T = X @ [1.0, -2.0, 0.5] + 0.1 * rng.standard_normal(60)
LACKS = [
    (LinearSVC, {"penalty": "l1", "dual": False}, Y, {}, "penalty='l1'"),
    (LinearSVC, {}, Y, {"sample_weight": np.where(np.arange(60) < 3, -1.0, 1.0)}, "negative weights"),
    (LinearSVR, {"loss": "squared_epsilon_insensitive"}, T, {}, "squared_epsilon_insensitive"),
]


@pytest.fixture(autouse=True)
def a_process_that_was_told_nothing(monkeypatch):
    monkeypatch.setattr(swapped, "_TOLD", set())


def fitted(model):
    return {name for name in vars(model) if name.endswith("_")}


@pytest.mark.parametrize("cls", [LinearSVC, LinearSVR])
def test_the_signature_and_the_checks_are_scikit_learns(cls):
    assert inspect.signature(cls) == inspect.signature(cls.original)
    assert inspect.signature(cls.fit).parameters.keys() == inspect.signature(cls.original.fit).parameters.keys()
    assert cls._parameter_constraints == cls.original._parameter_constraints
    assert cls().get_params() == cls.original().get_params()
    assert repr(cls(C=2)) == repr(cls.original(C=2))
    assert issubclass(cls, cls.original)


@pytest.mark.parametrize(("cls", "y"), [(LinearSVC, Y), (LinearSVC, Y > 0), (LinearSVR, T)])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_attributes_have_scikit_learns_shapes(cls, y, fit_intercept):
    ours, theirs = (each(fit_intercept=fit_intercept, max_iter=100_000).fit(X, y) for each in (cls, cls.original))
    assert fitted(theirs) <= fitted(ours)
    for name in fitted(theirs):
        one, other = getattr(ours, name), getattr(theirs, name)
        assert type(one) is type(other) and np.shape(one) == np.shape(other), name
        assert np.asarray(one).dtype == np.asarray(other).dtype, name
    assert ours.certify(X, y) == ours.certificate_


def test_names_of_columns_are_kept():
    frame = pytest.importorskip("pandas", reason="pandas is not installed").DataFrame(X, columns=["a", "b", "c"])
    assert (LinearSVC().fit(frame, Y).feature_names_in_ == ["a", "b", "c"]).all()
    assert (LinearSVR().fit(frame, T).feature_names_in_ == ["a", "b", "c"]).all()


@pytest.mark.parametrize(
    "wrong", [{"C": -1}, {"tol": 0}, {"loss": "L2"}, {"dual": "maybe"}, {"penalty": "l3"}, {"max_iter": -1}]
)
def test_wrong_parameters_are_refused_in_scikit_learns_words(wrong):
    said = []
    for cls in (LinearSVC, LinearSVC.original):
        with pytest.raises(InvalidParameterError) as error:
            cls(**wrong).fit(X, Y)
        said.append(str(error.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("dual", [True, False, "auto"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_dual_changes_nothing(dual, loss):
    assert (LinearSVC(dual=dual, loss=loss).fit(X, Y).coef_ == LinearSVC(loss=loss).fit(X, Y).coef_).all()


def test_crammer_and_singer_ignores_loss_penalty_and_dual_as_in_scikit_learn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, other = (
            LinearSVC(multi_class="crammer_singer", **more).fit(X, Y)
            for more in ({}, {"penalty": "l1", "loss": "hinge"})
        )
    assert (one.coef_ == other.coef_).all()
    two = LinearSVC(multi_class="crammer_singer").fit(X, Y > 0)
    assert two.coef_.shape == (1, 3)
    assert ((two.decision_function(X) > 0) == two.predict(X)).all()


@pytest.mark.parametrize(("cls", "parameters", "y", "more", "said"), LACKS)
def test_what_is_not_solved_goes_to_scikit_learn_with_one_warning(cls, parameters, y, more, said):
    with pytest.warns(UserWarning, match=f"{said}.*scikit-learn's own {cls.__name__} fits this") as caught:
        model = cls(random_state=0, **parameters).fit(X, y, **more)
    assert [each.filename for each in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = clone(model).fit(X, y, **more)
        theirs = cls.original(random_state=0, **parameters).fit(X, y, **more)
    assert type(model) is type(again) is cls
    assert fitted(again) == fitted(theirs)
    assert (again.coef_ == theirs.coef_).all()
    assert (pickle.loads(pickle.dumps(model)).predict(X) == theirs.predict(X)).all()
    assert not hasattr(model, "certificate_")
    with pytest.raises(AttributeError, match="scikit-learn's own"):
        model.certify(X, y)


def test_a_second_fit_leaves_no_proof_of_the_first():
    model = LinearSVC().fit(X, Y)
    assert model.certificate_.relative_gap <= 1e-8
    with pytest.warns(UserWarning, match="l1"):
        model.set_params(penalty="l1").fit(X, Y)
    for name in ("certificate_", "model_", "support_", "history_"):
        assert not hasattr(model, name), name
    assert model.set_params(penalty="l2").fit(X, Y).certificate_.relative_gap <= 1e-8


@pytest.mark.parametrize("cls", [LinearSVC, LinearSVR])
def test_scikit_learns_checks_pass(cls):
    checks = check_estimator(cls(), on_fail=None)
    assert len(checks) > 50
    assert [(each["check_name"], each["exception"]) for each in checks if each["status"] == "failed"] == []


def test_coef_says_what_is_predicted():
    model = LinearSVC().fit(X, Y > 0)
    model.coef_ = -model.coef_
    model.intercept_ = -model.intercept_
    assert (model.predict(X) != LinearSVC().fit(X, Y > 0).predict(X)).all()
    assert (model.sparsify().predict(X) == model.densify().predict(X)).all()


@pytest.mark.parametrize(("tol", "gap"), [(1e-4, 1e-8), (1e-3, 1e-6), (1e-12, 1e-10), (3.0, 1e-2)])
def test_the_gap_is_tol_squared_within_bounds(tol, gap):
    assert LinearSVC(tol=tol)._gap == pytest.approx(gap, rel=1e-12)
    assert LinearSVC(tol=tol).fit(X, Y).certificate_.relative_gap <= gap


def test_a_fit_that_ends_early_says_so_with_both_tolerances():
    wide = rng.standard_normal((50, 400))
    with pytest.warns(ConvergenceWarning, match=r"tol=0.0001, a gap of 1e-08, was asked for.*max_iter=1") as caught:
        model = LinearSVC(loss="hinge", max_iter=1).fit(wide, np.arange(50) % 2)
    assert caught[0].filename == __file__
    assert model.certificate_.relative_gap > 1e-8


def test_files_know_whose_parameters_they_hold(tmp_path):
    path, free = tmp_path / "patched.model", tmp_path / "free.model"
    model = LinearSVC(C=0.5, tol=1e-3, dual=False).fit(X, Y)
    model.save(path)
    assert LinearSVC.load(path).get_params() == model.get_params()
    again = pragam.LinearSVC.load(path)
    assert (again.C, again.tol, again.loss, again.intercept_scaling) == (0.5, 1e-6, "squared_hinge", 1.0)
    np.testing.assert_allclose(again.decision_function(X), model.decision_function(X), rtol=1e-13, atol=1e-13)
    pragam.LinearSVC(loss="squared_hinge").fit(X, Y).save(free)
    with pytest.raises(ValueError, match=r"intercept is not penalised.*pragam\.LinearSVC"):
        LinearSVC.load(free)
    pragam.LinearSVC(loss="smoothed_hinge", intercept_scaling=1.0).fit(X, Y).save(free)
    with pytest.raises(ValueError, match=r"smoothed hinge.*pragam\.LinearSVC"):
        LinearSVC.load(free)


def test_pragams_own_regressor_has_the_penalised_intercept_too(tmp_path):
    own = pragam.LinearSVR(epsilon=0.1, intercept_scaling=2.0, tol=1e-10).fit(X, T)
    np.testing.assert_allclose(own.coef_, LinearSVR(epsilon=0.1, intercept_scaling=2.0).fit(X, T).coef_, atol=1e-4)
    own.save(tmp_path / "m")
    assert pragam.LinearSVR.load(tmp_path / "m").intercept_scaling == 2.0
    assert own.certify(X, T) == own.certificate_
