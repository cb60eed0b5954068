"""Synthetic stand-ins: sizes and density of the set, unit rows, the same rows every time, learnable labels."""

import numpy as np
import pytest

import pragam
from pragam import datasets
from pragam.datasets.synthetic import Table, Text

STAND_INS = [name for name in datasets.names() if name.endswith("-like")]


@pytest.mark.parametrize("name", STAND_INS)
def test_sizes_and_density(name):
    record = datasets.describe(name)
    original = datasets.describe(record.stand_in_for)
    assert record.paper is None and original.paper is not None and record.name != original.name
    split = datasets.load_split(name)
    assert split.X.shape == (record.n, original.d) and record.n <= original.n
    density = original.paper.nnz / (original.paper.n * original.d)
    assert split.X.nnz / (record.n * original.d) == pytest.approx(density, rel=0.05)
    assert split.X_test.shape[1] == original.d and set(split.y) == set(split.y_test) == {-1.0, 1.0}
    assert ("1 row for" in record.title) == (record.n < original.n)


@pytest.mark.parametrize("name", [name for name in STAND_INS if isinstance(datasets.describe(name).recipe, Text)])
def test_texts(name):
    X, _ = datasets.load_named(name)
    if name != "web8-like":
        np.testing.assert_allclose(X.multiply(X).sum(axis=1), 1, rtol=1e-12)
    counts = np.bincount(X.indices, minlength=X.shape[1])
    tenth = X.shape[1] // 10
    assert counts[:tenth].sum() > 4 * counts[-tenth:].sum(), "common words come first"
    assert np.diff(X.indptr).std() > 0.2 * np.diff(X.indptr).mean(), "documents differ in length"


def test_the_rows_are_those_of_the_seed():
    recipe = Text(50, 10, 300, 8.0, seed=3)
    first, again, other = (each.make()[0][0] for each in (recipe, recipe, Text(50, 10, 300, 8.0, seed=4)))
    assert (first != again).nnz == 0 and (first != other).nnz > 0


@pytest.mark.parametrize("recipe", [Text(2000, 500, 300, 12.0, seed=1), Table(2000, 500, 3, (4, 7, 5), seed=1)])
def test_the_labels_can_be_learnt(recipe):
    (X, y), (X_test, y_test) = recipe.make()
    result = pragam.solve(pragam.hinge(X, y, lam=1e-3), tol=1e-2)
    assert (np.sign(X_test @ result.w + result.bias) == y_test).mean() > 0.8


def test_tables_have_one_level_of_each_attribute():
    (X, y), _ = Table(500, 100, 2, (3, 4), seed=0, positive=0.25).make()
    dense = X.toarray()
    assert X.shape == (500, 9) and X.has_canonical_format
    assert (dense[:, 2:5].sum(axis=1) == 1).all() and (dense[:, 5:].sum(axis=1) == 1).all()
    assert ((dense[:, :2] > 0) & (dense[:, :2] < 1)).all() and (y > 0).mean() == pytest.approx(0.25, abs=0.03)
