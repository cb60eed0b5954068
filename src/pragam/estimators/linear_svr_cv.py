"""LinearSVR with C by cross-validation."""

from __future__ import annotations

from pragam.estimators.cross_validated import CrossValidated
from pragam.estimators.linear_svr import LinearSVR
from pragam.estimators.parameters import estimator


@estimator
class LinearSVRCV(CrossValidated, LinearSVR):
    """:class:`LinearSVR` at the C that cross-validation finds on a grid: each fold is a path of certified solves.

    The score is R^2 unless ``scoring`` says otherwise.
    """
