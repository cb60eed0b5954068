"""LinearSVC with C by cross-validation."""

from __future__ import annotations

from pragam.estimators.cross_validated import CrossValidated
from pragam.estimators.linear_svc import LinearSVC
from pragam.estimators.parameters import estimator


@estimator
class LinearSVCCV(CrossValidated, LinearSVC):
    """:class:`LinearSVC` at the C that cross-validation finds on a grid: each fold is a path of certified solves.

    The score is the accuracy unless ``scoring`` says otherwise.
    """
