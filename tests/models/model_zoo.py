"""Small models and data for the tests of the files."""

from __future__ import annotations

import numpy as np

from pragam import Certificate
from pragam.io import Model

CLASSES = {
    "two": [-1, 1],
    "reversed": [7, 3],
    "floats": [0.5, 1.5],
    "strings": ["no", "yes, \u00e9\n"],
    "three": [0, 5, 9],
    "five strings": list("abcde"),
}


def make_model(classes: list, seed: int = 0, n: int = 6, d: int = 4) -> Model:
    """A model of random numbers of all magnitudes; it need not solve anything."""
    rng = np.random.default_rng(seed)
    outputs = 1 if len(classes) == 2 else len(classes)

    def numbers(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape) * 10.0 ** rng.integers(-200, 200, shape)

    return Model(
        coef=numbers(outputs, d),
        intercept=numbers(outputs),
        classes=classes,
        alpha=numbers(outputs, n),
        certificates=[
            Certificate(*numbers(2).tolist(), numbers(k % 2), bool(k % 2), bool(k % 3), abs(numbers(1)[0]))
            for k in range(outputs)
        ],
        risk={"name": "hinge", "lam": 0.1, "bias": True, "class_weight": None},
        parameters={"tol": 1e-6, "status": ["CONVERGED"], "none": None},
        fingerprint={"n": n, "d": d, "nnz": 3, "sha256": "ab"},
    )


def assert_same(a: Model, b: Model) -> None:
    """Equality to the last bit, types included."""
    for name in ("coef", "intercept", "alpha"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), strict=True)
    assert [(type(x), x) for x in a.classes] == [(type(x), x) for x in b.classes]
    assert (a.certificates, a.risk) == (b.certificates, b.risk)
    assert (a.parameters, a.fingerprint) == (b.parameters, b.fingerprint)
    assert (a.columns is None) == (b.columns is None)
    if a.columns is not None:
        np.testing.assert_array_equal(a.columns, b.columns, strict=True)
