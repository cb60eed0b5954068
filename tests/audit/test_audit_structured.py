"""Our estimators of sequences and graphs are audited, fitted and from their files."""

from __future__ import annotations

import numpy as np
import pytest
from audited import graphs, sequences

import pragam


@pytest.mark.parametrize(
    "model",
    [
        pragam.ChainSVC(lam=0.1, tol=1e-7),
        pragam.ChainSVC(lam=0.1, tol=1e-7, kernel="rbf"),
        pragam.GraphSVC(lam=0.1, tol=1e-7),
        pragam.GPSequenceClassifier(tol=1e-6),
        pragam.GPSequenceClassifier(tol=1e-6, n_landmarks=6),
    ],
    ids=lambda model: repr(model)[:40],
)
def test_our_structured_estimators(model, tmp_path):
    X, y, lengths = sequences()
    is_graphs = isinstance(model, pragam.GraphSVC)
    data, more = ((graphs([[0, 1], [1, 2], [1, 3]]),), {}) if is_graphs else ((X, y), {"lengths": lengths})
    model.fit(*data, **more).save(tmp_path / "m")
    for given in (model, tmp_path / "m"):
        audit = pragam.audit(given, *data, tol=1e-5, **more)
        low, high = audit.total.objective
        assert audit.within and audit.predictions is None and 0 <= high - low <= 1e-8 * high
        assert np.isclose(high, model.certificate_.primal, rtol=1e-10)
