"""Several one-vs-rest problems as one: the certificate, the history and the status of an estimator."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from svc_data import make_data

from pragam import Certificate, History, LinearSVC, Status
from pragam.certificate.totals import total_certificate


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_an_estimator_has_one_proof_whatever_its_classes(n_classes, n_jobs):
    X, y, weights, C = make_data(1, n_classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = LinearSVC(C, solver="newton", n_jobs=n_jobs).fit(X, y, weights)
    n_problems = 1 if n_classes == 2 else n_classes
    assert len(model.certificates_) == len(model.histories_) == len(model.statuses_) == n_problems
    assert isinstance(model.certificate_, Certificate) and model.certificate_.relative_gap <= 1e-4
    assert model.certificate_ == total_certificate(model.certificates_)
    assert model.status_ is Status.CONVERGED
    past = model.history_
    assert isinstance(past, History) and len(past) > 1
    assert past.iteration[-1] == sum(part.iteration[-1] for part in model.histories_)
    assert past.passes[-1] == pytest.approx(sum(part.passes[-1] for part in model.histories_))
    assert (np.diff(past.primal) <= 0).all() and (np.diff(past.dual) >= 0).all() and (np.diff(past.seconds) >= 0).all()
    proof = model.certificate_
    assert (past.primal[-1], past.dual[-1], past.gap[-1]) == (proof.primal, proof.dual, proof.gap)


def test_there_is_no_history_before_the_fit():
    assert not hasattr(LinearSVC(), "history_")
