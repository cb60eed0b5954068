"""Named data sets: their sizes, the tf-idf weights, the cache, and what happens without the folder."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from pragam import datasets
from pragam.datasets import registry

real = pytest.mark.skipif(datasets.data_folder() is None, reason="no folder of real data")


@real
@pytest.mark.parametrize(
    ("name", "shape", "nnz", "positive"),
    [
        ("a9a", (32561, 123), 451592, 7841),
        ("w8a", (45546, 300), 579586, None),
        ("news20-bow", (18774, 61188), 2435219, None),
        ("rcv1-small", (1000, 47117), 77739, 459),
        ("breast-cancer", (683, 10), 6830, 239),
        ("agaricus.test", (1611, 126), 35442, 776),
        ("spambase", (4601, 57), 59231, 1813),
        ("a1a.t", (30956, 123), 429343, 7446),
    ],
)
def test_real_sizes(name, shape, nnz, positive, tmp_path, monkeypatch):
    monkeypatch.setenv("PRAGAM_CACHE", str(tmp_path))
    X, y = datasets.load_named(name)
    assert X.shape == shape and X.nnz == nnz and set(y) == {-1.0, 1.0}
    assert positive is None or (y == 1).sum() == positive
    if name.startswith("news20"):
        np.testing.assert_allclose(X.multiply(X).sum(axis=1), 1, rtol=1e-12)


@real
def test_empty_rows_of_w8a_and_labels_of_many_classes(tmp_path, monkeypatch):
    monkeypatch.setenv("PRAGAM_CACHE", str(tmp_path))
    assert datasets.load_named("w8a", keep_empty=True)[0].shape == (49749, 300)
    assert set(datasets.load_named("dna")[1]) == {1, 2, 3}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A data folder with a tiny stand-in for a9a, and an empty cache."""
    monkeypatch.setenv("PRAGAM_DATA", str(tmp_path))
    monkeypatch.setenv("PRAGAM_CACHE", str(tmp_path / "cache"))
    (tmp_path / "a9a").mkdir()
    (tmp_path / "a9a" / "a9a.xz").write_bytes(b"0 1:2\n2 5:.5\n0\n")
    return tmp_path


def test_cache_gives_the_same_and_notices_a_change(folder):
    X, y = datasets.load_named("a9a")
    assert X.shape == (3, 123) and y.tolist() == [-1, 1, -1]
    (cached,) = (folder / "cache").iterdir()
    for _ in range(2):
        Z, z = datasets.load_named("a9a")
        assert (X != Z).nnz == 0 and np.array_equal(y, z) and Z.data.flags.writeable
        cached.write_bytes(cached.read_bytes()[:100])  # a damaged cache is no cache
    (folder / "a9a" / "a9a.xz").write_bytes(b"0 1:2\n")
    assert datasets.load_named("a9a")[0].shape == (1, 123)


def test_absent_data_says_what_to_set(folder, monkeypatch):
    with pytest.raises(FileNotFoundError, match="PRAGAM_DATA"):
        datasets.load_named("w8a")
    monkeypatch.setattr(registry, "data_folder", lambda: None)
    with pytest.raises(FileNotFoundError, match="PRAGAM_DATA"):
        datasets.load_named("a9a")
    with pytest.raises(ValueError, match="unknown data set 'a9b'"):
        datasets.load_named("a9b")


def test_paper_lambda():
    exponents = {"a9a": -18, "w8a": -17, "covtype": -17, "news20-bow": -14, "news20-bigram": -14}
    for name, exponent in exponents.items():
        assert name in datasets.names() and datasets.paper_lambda(name) == 2.0**exponent
    with pytest.raises(ValueError, match="no lambda"):
        datasets.paper_lambda("dna")


def test_tf_idf_is_scikit_learns():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        counts = sparse.csr_array(rng.poisson(0.3, (20, 15)) * (np.arange(20) > 0)[:, None], dtype=np.float64)
        expected = TfidfTransformer().fit_transform(counts).toarray()
        np.testing.assert_allclose(registry.tf_idf(counts).toarray(), expected, rtol=1e-14, err_msg=f"seed {seed}")


def test_example():
    X, y = datasets.load_example()
    assert X.shape == (569, 30) and set(y) == {-1.0, 1.0}
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(X.std(axis=0), 1, rtol=1e-12)


def test_import_is_light():
    code = "import sys, pragam.datasets; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
