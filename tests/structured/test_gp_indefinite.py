"""Kernels that are none: a certificate would be about a J that is unbounded below."""

from __future__ import annotations

import numpy as np
import pytest

import pragam


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_negative_diagonal_is_refused(precision):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 3)), rng.integers(0, 2, 20)
    model = pragam.GPSequenceClassifier(kernel=lambda a, b: -a @ b.T, lam=1e-2, precision=precision)
    with pytest.raises(
        ValueError, match=r"not positive semidefinite on the tokens: its matrix has -.* on its diagonal"
    ):
        model.fit(X, y, [1] * 20)


def test_an_entry_beyond_the_diagonal_is_refused():
    X, y = np.eye(6), np.arange(6) % 2
    model = pragam.GPSequenceClassifier(kernel=lambda a, b: 2 * np.ones((len(a), len(b))) - a @ b.T, lam=1e-2)
    with pytest.raises(ValueError, match="its matrix has 2, and 1 there"):
        model.fit(X, y, [2, 2, 2])


def test_an_indefinite_kernel_is_not_certified():
    """With a diagonal that does not tell: 0 and 1 in turns off it, eigenvalues of both signs."""
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2

    def kernel(a, b):
        return 1.0 * ((np.round(a - b.T) % 2 == 1) | (a == b.T))

    model = pragam.GPSequenceClassifier(kernel, lam=1e-3, transition_scale=0, precision="float64", max_iter=200)
    with pytest.warns(Warning):
        model.fit(X, y, [1] * 8)
    assert model.certificate_.relative_gap > 1e-4
