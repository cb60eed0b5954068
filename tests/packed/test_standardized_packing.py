"""Standardised columns of packed data: the problem is that of the same rows in memory."""

from __future__ import annotations

import numpy as np
import pytest
from packed_data import rows_of
from scipy import sparse

import pragam
from pragam import models
from pragam.cli import main
from pragam.operators import check_data
from pragam.operators.column_moments import column_moments


def data(is_sparse, seed=0, n=400, d=8):
    """Columns of very different scales, one of them constant, and weights of which some are 0."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.integers(0, 3, d)
    if is_sparse:
        X[rng.random((n, d)) < 0.6] = 0
    X[:, 3] = 7.0
    y = np.where(X[:, 0] / X[:, 0].std() + rng.standard_normal(n) > 0, 1, -1)
    return (sparse.csr_array(X) if is_sparse else X), y, rng.integers(0, 3, n).astype(float)


@pytest.mark.parametrize("is_sparse", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_means_and_deviations_are_those_in_memory(tmp_path, is_sparse, weighted):
    X, y, weights = data(is_sparse)
    packed = pragam.pack([(X[:7], y[:7], weights[:7]), (X[7:], y[7:], weights[7:])], tmp_path / "set", chunk_bytes=4000)
    own = packed.weights if weighted else None
    assert packed.known_moments(own) is not None
    mine, expected = column_moments(packed, own), column_moments(check_data(rows_of(packed)), own)
    np.testing.assert_allclose(mine.mean, expected.mean, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(mine.deviation, expected.deviation, rtol=1e-12)
    assert mine.deviation[3] == 0 and mine.mean[3] == 7 and packed.readings == 0
    other = np.ones(len(y))
    other[0] = 2
    assert packed.known_moments(other) is None
    np.testing.assert_allclose(column_moments(packed, other).mean, np.average(rows_of(packed) if not is_sparse else
        rows_of(packed).toarray(), axis=0, weights=other), rtol=1e-12)  # fmt: skip


@pytest.mark.parametrize("is_sparse", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_fit_is_that_of_the_same_rows_in_memory(tmp_path, is_sparse, weighted, fit_intercept):
    """Both certificates enclose one optimum, and each is true of the other's weights."""
    X, y, weights = data(is_sparse)
    weights = weights if weighted else None
    packed = pragam.pack([(X, y, weights) if weighted else (X, y)], tmp_path / "set", chunk_bytes=4000)
    settings = {"C": 0.05, "standardize": True, "fit_intercept": fit_intercept, "tol": 1e-7, "class_weight": "balanced"}
    memory = pragam.LinearSVC(**settings).fit(X, y, sample_weight=weights)
    disk = pragam.LinearSVC(**settings).fit(packed)
    one, two = memory.certificate_, disk.certificate_
    slack = 1e-12 * one.primal  # means and deviations are rounded otherwise
    assert one.rigorous and two.rigorous and max(one.relative_gap, two.relative_gap) <= 1e-7
    assert one.dual <= two.primal + slack and two.dual <= one.primal + slack
    assert disk.certify(packed, None).relative_gap <= 1e-7
    np.testing.assert_allclose(disk.decision_function(packed), disk.decision_function(rows_of(packed)), rtol=1e-9)


def test_the_command_standardises_a_directory(tmp_path, capsys):
    X, y, _ = data(True)
    packed = pragam.pack([(X, y)], tmp_path / "set", chunk_bytes=4000)
    for folder in ("set", "rows.npz"):
        if folder == "rows.npz":
            np.savez(tmp_path / folder, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y)
        arguments = ["train", str(tmp_path / folder), "--standardize", "--lam", "0.01", "-o", str(tmp_path / "model")]
        assert main([*arguments, "--quiet"]) == 0
        assert main(["certify", str(tmp_path / "model"), str(tmp_path / folder)]) == 0
        proof = models.load(tmp_path / "model").proofs[0].certificate
        if folder == "set":
            first = proof
    assert first.dual <= proof.primal * (1 + 1e-12) and proof.dual <= first.primal * (1 + 1e-12)
    assert packed.y is not None and "Certified" in capsys.readouterr().out


def test_a_part_of_the_chunks_is_standardised_by_its_own_rows(tmp_path):
    X, y, weights = data(False)
    packed = pragam.pack([(X, y, weights)], tmp_path / "set", chunk_bytes=4000)
    train, held = packed.split(seed=1)
    model = pragam.LinearSVC(standardize=True, C=0.1, tol=1e-6).fit(train)
    memory = pragam.LinearSVC(standardize=True, C=0.1, tol=1e-6).fit(
        rows_of(train), train.y, sample_weight=train.weights
    )
    assert model.certificate_.dual <= memory.certificate_.primal * (1 + 1e-12)
    assert memory.certificate_.dual <= model.certificate_.primal * (1 + 1e-12)
    assert len(model.predict(held)) == len(held)


@pytest.mark.parametrize("scale", [1e-200, 1e150])
def test_columns_whose_squares_vanish_or_overflow_are_standardised_as_in_memory(tmp_path, scale):
    X = np.array([[scale, 1.0], [2 * scale, 1.0], [3.5 * scale, 2.0]])
    packed = pragam.pack([(X, [0, 1, 1])], tmp_path / "set")
    assert not packed.columns.constant.any() and packed.known_moments(None) is None
    for name in ("mean", "deviation"):
        found, expected = (getattr(column_moments(each), name) for each in (packed, check_data(X)))
        np.testing.assert_allclose(found, expected, rtol=1e-14)
