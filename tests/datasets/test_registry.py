"""Named data sets: their sizes, their splits, the cache, and what happens without the files."""

import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from pragam import datasets
from pragam.datasets import preparation
from pragam.datasets.fetching import checksums
from pragam.datasets.fetching.places import find
from pragam.datasets.record import Drawn

real = pytest.mark.skipif(datasets.data_folder() is None, reason="no folder of real data")
DOCS = Path(__file__).resolve().parents[2] / "docs" / "data.md"
OF_FILES = [name for name in datasets.names() if not name.endswith("-like")]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PRAGAM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def shared_cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def warm(shared_cache, monkeypatch):
    """A cache that all tests of real data share, so that each file is unpacked once."""
    monkeypatch.setenv("PRAGAM_CACHE", str(shared_cache))


@real
@pytest.mark.parametrize("name", OF_FILES)
def test_real_sizes(name, warm, recwarn):
    """Each set at hand has the sizes on record, and its files the checksums. A rounded density is right to a fifth."""
    record = datasets.describe(name)
    pieces = record.train + (record.test_pieces if record.joined else ())
    if not all(map(find, pieces)):
        pytest.skip("not at hand")
    X, y = datasets.load_named(name)
    assert X.shape == (record.n, record.d) and len(y) == record.n
    assert abs(X.nnz - record.nnz) <= (0 if record.exact else 0.2 * record.nnz)
    assert not recwarn.list


@real
@pytest.mark.parametrize(
    ("name", "n", "d", "nnz", "density"),
    [
        ("adult9", 32_561, 123, 451_592, 11.28),
        ("web8", 45_546, 300, 579_586, 4.24),
        ("covertype", 522_911, 54, None, 22.22),
    ],
)
def test_sets_of_the_paper(name, n, d, nnz, density, warm):
    """The sizes of the paper's table. Its covertype stores zeros: 12 entries a row."""
    X, y = datasets.load_named(name)
    assert X.shape == (n, d) and set(y) == {-1.0, 1.0}
    assert X.nnz == nnz if nnz else X.nnz <= 12 * n
    assert round(100 * (X.nnz if nnz else 12 * n) / (n * d), 2) == density


@real
def test_empty_rows_of_w8a_and_labels_of_many_classes(warm):
    assert datasets.load_named("w8a", keep_empty=True)[0].shape == (49749, 300)
    assert set(datasets.load_named("dna")[1]) == {1, 2, 3}
    assert set(datasets.load_named("breast-cancer")[1]) == {-1, 1}
    X, y = datasets.load_named("news20-bow")
    assert set(y) == {-1, 1}
    np.testing.assert_allclose(X.multiply(X).sum(axis=1), 1, rtol=1e-12)


@real
def test_splits_of_real_data(warm):
    a9a, bow, w8a = (datasets.load_split(name) for name in ("a9a", "news20-bow", "w8a"))
    assert a9a.X.shape == (32561, 123) and a9a.X_test.shape == (16281, 123) and (a9a.y_test > 0).sum() == 3846
    assert bow.X.shape == (11269, 61188) and bow.X_test.shape == (7505, 61188) and "news20.test" in bow.how
    if "not at hand" in w8a.how:
        assert "seed 0" in w8a.how and len(w8a.y) + len(w8a.y_test) <= 49749
        alone = datasets.load_split("web8", hold_out=0)
        assert alone.X.shape == (45546, 300) and alone.X_test is None and "w8a.t is not at hand" in alone.how
    columns = datasets.load_split("a1a")
    assert columns.X.shape[1] == columns.X_test.shape[1] == 123


@pytest.fixture
def folder(tmp_path, monkeypatch, cache):
    """A data folder with a tiny a9a, which is not the file on record, and an empty cache."""
    monkeypatch.setenv("PRAGAM_DATA", str(tmp_path))
    (tmp_path / "a9a").mkdir()
    (tmp_path / "a9a" / "a9a.xz").write_bytes(b"0 1:2\n2 5:.5\n0\n")
    return tmp_path


@pytest.mark.filterwarnings("ignore:.*is not the file on record")
def test_cache_gives_the_same_and_notices_a_change(folder, cache):
    X, y = datasets.load_named("a9a")
    assert X.shape == (3, 123) and y.tolist() == [-1, 1, -1]
    (cached,) = (cache / "parsed").iterdir()
    for _ in range(2):
        Z, z = datasets.load_named("a9a")
        assert (X != Z).nnz == 0 and np.array_equal(y, z) and Z.data.flags.writeable
        cached.write_bytes(cached.read_bytes()[:100])  # a damaged cache is no cache
    (folder / "a9a" / "a9a.xz").write_bytes(b"0 1:2\n")
    assert datasets.load_named("a9a")[0].shape == (1, 123)


def test_a_local_file_is_hashed_once_and_a_mismatch_names_both_sums(folder, cache, monkeypatch):
    hashed = []
    compute = checksums.sha256_of
    monkeypatch.setattr(checksums, "sha256_of", lambda path: hashed.append(path) or compute(path))
    path = folder / "a9a" / "a9a.xz"
    on_record = datasets.describe("a9a").train[0][0].sha256
    for _ in range(2):
        with pytest.warns(UserWarning, match=f"sha256 is {compute(path)}, not {on_record}"):
            datasets.load_named("a9a")
    assert hashed == [path]
    path.write_bytes(b"0 1:2\n1 2:1\n")
    with pytest.warns(UserWarning, match=compute(path)):
        datasets.load_named("a9a")
    assert hashed == [path, path]


def test_a_file_without_a_checksum_is_judged_by_its_sizes(folder):
    (folder / "a9a" / "a9a.xz").rename(folder / "a9a" / "a9a")
    for load in (datasets.load_named, lambda name: datasets.load_split(name, hold_out=0)):
        with pytest.warns(UserWarning, match="a9a: 3 x 123 instead of 32561 x 123: .* is not the file on record"):
            load("a9a")


@pytest.mark.filterwarnings("ignore:.*is not the file on record")
def test_the_argument_goes_before_the_variable_and_the_variable_before_the_cache(folder, cache, tmp_path):
    for place, rows in ((cache / "files", 4), (tmp_path / "mine", 5)):
        (place / "a9a").mkdir(parents=True)
        (place / "a9a" / "a9a").write_text("1 1:1\n" * rows)
    assert datasets.load_named("a9a", data_dir=tmp_path / "mine")[0].shape[0] == 5
    assert datasets.load_named("a9a")[0].shape[0] == 3
    (folder / "a9a" / "a9a.xz").unlink()
    assert datasets.load_named("a9a")[0].shape[0] == 4
    with pytest.raises(ValueError, match=r"data_dir: .*nowhere is not a folder"):
        datasets.load_named("a9a", data_dir=tmp_path / "nowhere")


def test_absent_data_say_which_file_goes_where(folder, cache, monkeypatch):
    with pytest.raises(FileNotFoundError, match="PRAGAM_OFFLINE is set") as failure:
        datasets.load_named("w8a")
    message = str(failure.value)
    assert "\n" not in message and message.startswith(f"w8a: no w8a/w8a.xz in {folder} or {cache}")
    assert f"w8a/w8a from https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/w8a into {folder}" in message
    assert "set PRAGAM_DATA" in message
    monkeypatch.delenv("PRAGAM_DATA")
    with pytest.raises(FileNotFoundError, match=f"no a9a/a9a.xz in {cache}"):
        datasets.load_named("a9a")
    with pytest.raises(FileNotFoundError, match=r"no address is known.*astro-ph-like"):
        datasets.load_named("astro-ph")
    with pytest.raises(ValueError, match="unknown data set 'a9b'"):
        datasets.load_named("a9b")


@pytest.mark.filterwarnings("ignore:.*is not the file on record")
def test_a_split_says_what_it_is(folder):
    (folder / "a9a" / "a9a.xz").write_bytes(b"1 1:1\n2 2:1\n" * 50)
    split = datasets.load_split("a9a", hold_out=0.3)
    assert split.X.shape == (70, 123) and split.X_test.shape == (30, 123)
    assert split.how == "30% of the training rows by seed 0: a9a/a9a.t.xz is not at hand"
    assert datasets.load_split("a9a", hold_out=0)[2:] == (None, None, "no test rows: a9a/a9a.t.xz is not at hand")
    (folder / "a9a" / "a9a.t.xz").write_bytes(b"1 3:1\n")
    split = datasets.load_split("a9a")
    assert split.how == "the test set, a9a/a9a.t.xz" and split.y_test.tolist() == [-1]
    for share in (-0.1, 1.0):
        with pytest.raises(ValueError, match="hold_out"):
            datasets.load_split("a9a", hold_out=share)


def test_a_drawn_split_is_the_same_for_ever():
    X, y = sparse.csr_array(np.eye(10)), np.arange(10.0)
    (train, first), (test, second) = preparation.drawn((X, y), Drawn(6, seed=0))
    assert train.shape == (6, 10) and test.shape == (4, 10) and sorted([*first, *second]) == y.tolist()
    assert second.tolist() == [4, 5, 7, 9]


def test_test_rows_get_the_weights_of_the_training_rows():
    rng = np.random.default_rng(0)
    counts = [sparse.csr_array(rng.poisson(0.5, (n, 8)), dtype=np.float64) for n in (20, 7)]
    (X, _), (Z, _) = preparation.tf_idf_unit_rows([(each, np.ones(each.shape[0])) for each in counts])
    peer = TfidfTransformer().fit(counts[0])
    for ours, each in ((X, counts[0]), (Z, counts[1])):
        np.testing.assert_allclose(ours.toarray(), peer.transform(each).toarray(), rtol=1e-14)


def test_paper_lambda():
    exponents = {"a9a": -18, "w8a": -17, "covtype": -17, "news20-bow": -14, "news20-bigram": -14}
    exponents |= {
        "adult9": -18, "astro-ph": -17, "aut-avn": -17, "covertype": -17, "news20": -14, "real-sim": -16,
        "reuters-c11": -19, "reuters-ccat": -19, "web8": -17,
    }  # fmt: skip
    for name, exponent in exponents.items():
        assert name in datasets.names() and datasets.paper_lambda(name) == 2.0**exponent
    assert datasets.paper_lambda("real-sim-like") == 2.0**-16
    with pytest.raises(ValueError, match="no lambda"):
        datasets.paper_lambda("dna")


def test_records_are_consistent():
    """Addresses are https, checksums and paths well formed, and every set of the paper has a stand-in."""
    for name in datasets.names():
        record = datasets.describe(name)
        assert record.name == name and record.title and record.source and record.licence
        assert bool(record.train) != bool(record.recipe)
        for file in (file for piece in record.train + record.test_pieces for file in piece):
            assert not file.url or file.url.startswith("https://")
            assert not file.sha256 or re.fullmatch("[0-9a-f]{64}", file.sha256)
            assert not PurePosixPath(file.path).is_absolute() and ".." not in file.path
        if record.paper is not None:
            assert (record.n, record.d, record.lam) == (record.paper.n, record.paper.d, record.paper.lam)
            assert datasets.describe(record.stand_in).stand_in_for == name


def test_the_cache_is_the_users(monkeypatch, tmp_path):
    monkeypatch.setenv("PRAGAM_CACHE", str(tmp_path))
    assert datasets.cache_folder() == tmp_path
    monkeypatch.delenv("PRAGAM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    for platform, folder in (("linux", tmp_path / "xdg"), ("win32", tmp_path / "local")):
        monkeypatch.setattr(sys, "platform", platform)
        assert datasets.cache_folder() == folder / "pragam"


def test_tf_idf_is_scikit_learns():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        counts = sparse.csr_array(rng.poisson(0.3, (20, 15)) * (np.arange(20) > 0)[:, None], dtype=np.float64)
        expected = TfidfTransformer().fit_transform(counts).toarray()
        found = preparation.weighted(counts, preparation.inverse_frequencies(counts)).toarray()
        np.testing.assert_allclose(found, expected, rtol=1e-14, err_msg=f"seed {seed}")


def test_example():
    X, y = datasets.load_example()
    assert X.shape == (569, 30) and set(y) == {-1.0, 1.0}
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(X.std(axis=0), 1, rtol=1e-12)


def test_import_is_light():
    heavy = ("sklearn", "rich", "ssl", "urllib.request", "scipy.optimize")
    code = f"import sys, pragam.datasets; sys.exit(any(name in sys.modules for name in {heavy!r}))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.skipif(not DOCS.exists(), reason="no checkout")
def test_the_documented_table_is_that_of_the_records():
    rows = re.findall(
        r"^\| `([^`]+)` \| ([\d,]+) \| ([\d,]+) \| ([~\d,]+) \| 2\^(-\d+) \|", DOCS.read_text(), re.MULTILINE
    )
    assert [row[0] for row in rows] == [name for name in datasets.names() if datasets.describe(name).paper]
    for name, n, d, nnz, exponent in rows:
        record = datasets.describe(name)
        assert (n, d, 2.0 ** int(exponent)) == (f"{record.n:,}", f"{record.d:,}", record.lam)
        assert nnz == f"{'' if record.exact else '~'}{record.nnz:,}"
