"""Small linear models for the tests of the files."""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam import Certificate, Status
from pragam.models import LinearModel, Proof
from pragam.risks import Hinge, OneVsRest

CLASSES = {
    "two": [-1, 1],
    "reversed": [7, 3],
    "floats": [0.5, 1.5],
    "strings": ["no", "yes, \u00e9\n"],
    "truth": [False, True],
    "three": [0, 5, 9],
    "five strings": list("abcde"),
}


def make_model(classes: list[Any], seed: int = 0, n: int = 6, d: int = 4, **more: Any) -> LinearModel:
    """A model of random numbers of all magnitudes; it need not solve anything."""
    rng = np.random.default_rng(seed)
    outputs = 1 if len(classes) == 2 else len(classes)

    def numbers(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape) * 10.0 ** rng.integers(-200, 200, shape)

    tensors = {"coef": numbers(outputs, d), "intercept": numbers(outputs), "radius": np.abs(numbers(outputs))}
    tensors |= {"low": numbers(outputs), "high": np.full(outputs, np.inf)}
    proofs = tuple(
        Proof(
            Certificate(*numbers(2).tolist(), numbers(k % 2), bool(k % 2), bool(k % 3), abs(numbers(1)[0])),
            numbers(n), Status.CONVERGED, k, "auto (dcd)",
        )
        for k in range(outputs)
    )  # fmt: skip
    known = {
        "given": {"weights": np.abs(numbers(n))},
        "fingerprint": {"n": n, "d": d, "nnz": 3, "sha256": "ab"},
        "settings": {"tol": 1e-6, "seeds": [0], "none": None},
    }
    risk = OneVsRest(each=Hinge(lam=0.1, bias=True))
    return LinearModel(risk, np.array(classes), tensors, proofs, **{**known, **more})


def assert_same(a: LinearModel, b: LinearModel) -> None:
    """Equality to the last bit, types included."""
    assert (a.kind, a.risk, a.settings, a.fingerprint, a.calibration) == (
        b.kind, b.risk, b.settings, b.fingerprint, b.calibration,
    )  # fmt: skip
    assert [(type(x), x) for x in a.labels.tolist()] == [(type(x), x) for x in b.labels.tolist()]
    for own, other in ((a.tensors, b.tensors), (a.given, b.given)):
        assert own.keys() == other.keys()
        for name, array in own.items():
            np.testing.assert_array_equal(array, other[name], strict=True)
    assert len(a.proofs) == len(b.proofs)
    for own, other in zip(a.proofs, b.proofs, strict=True):
        assert (own.certificate, own.status, own.n_iter, own.solver) == (
            other.certificate, other.status, other.n_iter, other.solver,
        )  # fmt: skip
        if own.dual is None or other.dual is None:
            assert own.dual is other.dual
        else:
            np.testing.assert_array_equal(own.dual, other.dual, strict=True)
    assert [each.to_file()[0] for each in a.features.maps] == [each.to_file()[0] for each in b.features.maps]
    for own, other in zip(a.features.maps, b.features.maps, strict=True):
        assert type(own) is type(other)
        for name, array in own.to_file()[1].items():
            np.testing.assert_array_equal(array, other.to_file()[1][name], strict=True)
