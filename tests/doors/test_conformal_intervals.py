"""A quantile band, and conformal intervals around it. From docs/estimators.md."""

from __future__ import annotations

import numpy as np
import pytest

from printed import needs_docs, run_python, taken

DATA = """\
import numpy as np
import pragam
rng = np.random.default_rng(0)
X = rng.standard_normal((200, 4))
score = X @ [1.0, -2.0, 0.5, 0.0] + 0.3 * rng.standard_normal(200)
"""
BAND = "bands = pragam.QuantileRegressor(quantile=[0.1, 0.5, 0.9], C=10.0).fit(X, score)\n"
INTERVALS = """\
from mapie.regression import ConformalizedQuantileRegressor

train, left_out, new = slice(0, 100), slice(100, 150), slice(150, 200)
conformal = ConformalizedQuantileRegressor(pragam.QuantileRegressor(C=10.0), confidence_level=0.8)
conformal.fit(X[train], score[train]).conformalize(X[left_out], score[left_out])
median, intervals = conformal.predict_interval(X[new])
low, high = intervals[:, 0, 0], intervals[:, 1, 0]
"""


@needs_docs
def test_a_band_holds_its_share_of_the_training_rows():
    """With a free intercept at most n q rows lie below the line of q, and at most n (1 - q) above it; 5 lie on it."""
    names = run_python(taken(DATA + BAND, "estimators.md"))
    below = (names["score"][:, None] <= names["bands"].predict(names["X"])).mean(axis=0)
    np.testing.assert_allclose(below, [0.1, 0.5, 0.9], rtol=0, atol=5 / 200)


@needs_docs
def test_intervals_cover_the_rows_left_out():
    """By construction at least 80 % of them, when the interval of a row that was left out is asked for."""
    pytest.importorskip("mapie", reason="mapie is not installed")
    names = run_python(taken(DATA + INTERVALS, "estimators.md"))
    low, high, median = (names[name] for name in ("low", "high", "median"))
    assert low.shape == high.shape == median.shape == (50,) and (low < high).all()
    X, y = names["X"][names["left_out"]], names["score"][names["left_out"]]
    _, intervals = names["conformal"].predict_interval(X)
    assert np.mean((intervals[:, 0, 0] <= y) & (y <= intervals[:, 1, 0])) >= 0.8
