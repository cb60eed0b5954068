"""skops, which runs no code of a pickle, reads what it wrote."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from row_data import CASES, case

from pragam import Status

io = pytest.importorskip("skops.io")


@pytest.mark.parametrize("name", CASES)
def test_a_model_is_written_and_read(name):
    model, (X, y, weights) = case(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X, y, weights)
    written = io.dumps(model)
    unknown = io.get_untrusted_types(data=written)
    assert all(kind.startswith("pragam.") for kind in unknown)
    again = io.loads(written, trusted=unknown)
    assert np.array_equal(again.predict(X), model.predict(X))
    assert again.statuses_ == model.statuses_ and again.status_ is model.status_ is Status.CONVERGED
    assert again.certificate_ == model.certificate_ == again.certify(X, y)
    assert np.array_equal(again.history_.gap, model.history_.gap)
