"""Small linear models for the tests of the files."""

from __future__ import annotations

import numpy as np

from pragam import Certificate, Status
from pragam.models import LinearModel, Proof
from pragam.risks import Hinge, OneVsRest

CLASSES = {
    "two": [-1, 1],
    "reversed": [7, 3],
    "floats": [0.5, 1.5],
    "booleans": [False, True],
    "strings": ["no", "yes, \u00e9\n"],
    "three": [0, 5, 9],
    "five strings": list("abcde"),
}


def make_model(classes: list, seed: int = 0, n: int = 6, d: int = 4) -> LinearModel:
    """A model of random numbers of all magnitudes; it need not solve anything."""
    rng = np.random.default_rng(seed)
    outputs = 1 if len(classes) == 2 else len(classes)

    def numbers(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape) * 10.0 ** rng.integers(-200, 200, shape)

    def proof(k: int) -> Proof:
        parts = (numbers(k % 2), bool(k % 2), bool(k % 3), abs(numbers(1)[0]))
        return Proof(Certificate(*numbers(2).tolist(), *parts), numbers(n), Status.MAX_ITER, k, "dcd")

    return LinearModel.of_weights(
        OneVsRest(each=Hinge(lam=0.1)), np.array(classes), numbers(outputs, d), numbers(outputs),
        proofs=tuple(proof(k) for k in range(outputs)), given={"weights": abs(numbers(n))},
        fingerprint={"n": n, "d": d, "nnz": 3, "sha256": "ab"}, settings={"tol": 1e-6, "none": None},
    )  # fmt: skip


def assert_same(a: LinearModel, b: LinearModel) -> None:
    """Equality to the last bit, types included."""
    for one, other in ((a.tensors, b.tensors), (a.given, b.given)):
        assert one.keys() == other.keys()
        for name in one:
            np.testing.assert_array_equal(one[name], other[name], strict=True)
    assert [(type(x), x) for x in a.labels.tolist()] == [(type(x), x) for x in b.labels.tolist()]
    assert (a.risk, a.calibration, a.settings, a.fingerprint) == (b.risk, b.calibration, b.settings, b.fingerprint)
    assert [_said(proof) for proof in a.proofs] == [_said(proof) for proof in b.proofs]
    for one, other in zip(a.proofs, b.proofs, strict=True):
        np.testing.assert_array_equal(one.dual, other.dual)
    pairs = zip(a.features.maps, b.features.maps, strict=True)
    assert all(type(one) is type(other) for one, other in pairs)


def _said(proof: Proof) -> tuple:
    return proof.certificate, proof.status, proof.n_iter, proof.solver, proof.dual is None
