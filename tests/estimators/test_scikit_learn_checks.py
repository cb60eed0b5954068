"""scikit-learn's own checks of all estimators of rows, at their default parameters."""

from __future__ import annotations

from sklearn.utils.estimator_checks import parametrize_with_checks

from pragam import (
    LinearSVC,
    LinearSVCCV,
    LinearSVR,
    LinearSVRCV,
    MulticlassSVC,
    MultilabelSVC,
    OrdinalSVC,
    QuantileRegressor,
    QuantileRegressorCV,
)

ESTIMATORS = [
    LinearSVC(), LinearSVC(solver="dcd", warm_start=True), LinearSVC(loss="squared_hinge"),
    LinearSVC(loss="smoothed_hinge"), LinearSVC(intercept_scaling=1.0), LinearSVC(multi_class="crammer_singer"),
    LinearSVR(), QuantileRegressor(), QuantileRegressor(quantile=[0.1, 0.9]), OrdinalSVC(), MulticlassSVC(),
    MultilabelSVC(), MulticlassSVC(tol=1e-9), MultilabelSVC(tol=1e-9), LinearSVC(standardize=True),
    LinearSVR(standardize=True, intercept_scaling=1.0, tol=1e-11), OrdinalSVC(standardize=True),
    LinearSVCCV([0.1, 1.0], cv=3), LinearSVCCV([0.1, 1.0], cv=3, calibrate="sigmoid"),
    LinearSVRCV([0.1, 1.0], cv=3), QuantileRegressorCV([0.1, 1.0], cv=3),
]  # fmt: skip
_COLUMNS = "the check wants one prediction a row"


def beyond(estimator):
    """Checks that cannot pass, and why."""
    if getattr(estimator, "calibrate", None):
        return {"check_classifiers_train": "where the decision value is 0 the probability need not be 1/2"}
    if isinstance(estimator, OrdinalSVC):
        return {"check_classifiers_classes": "its labels are strings without an order, which are refused"}
    if isinstance(estimator, QuantileRegressor) and estimator.quantile != 0.5:
        checks = ("check_estimator_sparse_array", "check_estimator_sparse_matrix", "check_regressors_train")
        return dict.fromkeys(checks, _COLUMNS)
    return {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=beyond)
def test_scikit_learn_check(estimator, check):
    check(estimator)
