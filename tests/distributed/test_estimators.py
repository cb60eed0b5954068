"""Estimators on a cluster: the answers of those in memory, for every collection, and lazily predicted."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest
from scipy import sparse

import pragam

pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")

from dask import delayed  # noqa: E402

from distributed import Client, LocalCluster  # noqa: E402
from pragam.distributed import LinearSVC, LinearSVR, QuantileRegressor, spread  # noqa: E402


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def data(n=6000, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * np.linspace(0.5, 2, d) + 0.3
    return X, X @ rng.standard_normal(d) + rng.standard_normal(n)


X, SCORE = data()
Y = np.where(SCORE > 0.5, "yes", "no")
CUTS = [0, 1000, 1500, 4200, 6000]
PARTS = [slice(a, b) for a, b in itertools.pairwise(CUTS)]


def frame(X, y):
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    whole = pd.DataFrame(X, columns=list("abcde"))
    return dd.from_pandas(whole, npartitions=4), dd.from_pandas(pd.Series(y), npartitions=4)


def csr_blocks(X, y):
    dense = da.from_array(X, chunks=(1500, 5))
    return dense.map_blocks(sparse.csr_array), da.from_array(y, chunks=2000)


COLLECTIONS = {
    "dense": lambda X, y: (da.from_array(X, chunks=(1300, 2)), da.from_array(y, chunks=700)),
    "csr": csr_blocks,
    "frame": frame,
    "delayed": lambda X, y: ([delayed((X[part], y[part])) for part in PARTS], None),
    "delayed csr": lambda X, y: ([delayed(sparse.csr_array(X[part])) for part in PARTS], y),
}


@pytest.mark.parametrize("name", COLLECTIONS)
def test_every_collection_gives_the_model_of_the_arrays(client, name):
    there = LinearSVC(client=client, C=1e-2, tol=1e-7).fit(*COLLECTIONS[name](X, Y))
    here = pragam.LinearSVC(C=1e-2, tol=1e-7).fit(X, Y)
    assert there.certificate_.relative_gap <= 1e-7 and there.certificate_.rigorous
    np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-2, atol=1e-3)
    assert there.certificate_.dual <= here.certificate_.primal and here.certificate_.dual <= there.certificate_.primal
    assert list(there.classes_) == ["no", "yes"]


def test_text_in_blocks_of_csr_is_solved_by_merged_ascent(client):
    """More columns than a Hessian may have."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((2000, 4000), density=0.01, rng=rng, format="csr", data_sampler=rng.standard_normal)
    y = np.where(X @ rng.standard_normal(4000) + rng.standard_normal(2000) > 0, 1, -1)
    blocks = da.concatenate(
        [da.from_delayed(delayed(X[k : k + 500]), (500, 4000), X.dtype) for k in range(0, 2000, 500)]
    )
    there = LinearSVC(client=client, C=0.1, tol=1e-4).fit(blocks, y)
    here = pragam.LinearSVC(C=0.1, tol=1e-7).fit(X, y)
    assert there.certificate_.relative_gap <= 1e-4 and there.certificate_.rigorous
    assert there.certificate_.dual <= here.certificate_.primal and here.certificate_.dual <= there.certificate_.primal
    assert there.n_iter_ < 60
    storage, _, _ = spread(client, blocks)
    found = pragam.solve(pragam.hinge(storage, y, lam=1 / (0.1 * 2000)), tol=1e-4)
    assert found.solver == "auto (merged-ascent)" and found.converged


@pytest.mark.parametrize("estimator", [LinearSVR, QuantileRegressor])
def test_regressors_too(client, estimator):
    there = estimator(client=client, C=1e-2, tol=1e-6).fit(da.from_array(X, chunks=(2000, 5)), SCORE)
    here = estimator.__mro__[2](C=1e-2, tol=1e-6).fit(X, SCORE)
    assert there.certificate_.dual <= here.certificate_.primal and here.certificate_.dual <= there.certificate_.primal
    np.testing.assert_allclose(there.predict(X), here.predict(X), atol=0.1)


def test_several_classes_and_standardised_columns(client):
    y = np.digitize(SCORE, [-1, 1])
    blocks = da.from_array(X, chunks=(1500, 5))
    there = LinearSVC(client=client, C=1e-2, tol=1e-5, standardize=True).fit(blocks, y)
    here = pragam.LinearSVC(C=1e-2, tol=1e-5, standardize=True).fit(X, y)
    assert len(there.certificates_) == 3 and there.certificate_.relative_gap <= 1e-5
    assert (there.predict(X) == here.predict(X)).mean() > 0.99


def test_predictions_are_lazy_and_those_of_the_arrays(client):
    blocks = da.from_array(X, chunks=(1500, 2))
    model = LinearSVC(client=client, C=1e-2, tol=1e-6).fit(blocks, Y)
    predicted, bounds = model.predict(blocks), model.decision_bounds(blocks)
    assert predicted.shape == (6000,) and bounds.shape == (6000, 2)
    np.testing.assert_array_equal(client.compute(predicted).result(), model.predict(X))
    np.testing.assert_array_equal(client.compute(bounds).result(), model.decision_bounds(X))
    whole, _ = frame(X, Y)
    np.testing.assert_array_equal(client.compute(model.predict(whole)).result(), model.predict(X))
    parts = client.gather(client.compute(model.predict([delayed(X[part]) for part in PARTS])))
    np.testing.assert_array_equal(np.concatenate(parts), model.predict(X))


def test_a_packed_directory_its_weights_and_a_certificate_anew(client, tmp_path):
    weights = 1.0 + np.arange(6000) % 3
    pragam.pack([(X, np.where(SCORE > 0.5, 1, 0), weights)], tmp_path / "packed", chunk_bytes=20_000)
    packed = pragam.open_packed(tmp_path / "packed")
    model = LinearSVC(client=client, C=1e-2, tol=1e-6).fit(tmp_path / "packed")
    here = pragam.LinearSVC(C=1e-2, tol=1e-6).fit(packed)
    assert model.certificate_.dual <= here.certificate_.primal and here.certificate_.dual <= model.certificate_.primal
    assert model.certify(packed, packed.y).relative_gap <= 1e-6


def test_the_papers_solvers_run_on_it_unchanged(client):
    storage, y, _ = spread(client, da.from_array(X, chunks=(1500, 5)), np.where(SCORE > 0.5, 1, -1))
    for solver in ("qp-bmrm", "ls-bmrm"):
        assert pragam.solve(pragam.hinge(storage, y, lam=1e-2), solver, tol=3e-2).converged


def test_rows_in_the_order_of_their_labels_end_too(client):
    order = np.argsort(Y, kind="stable")
    model = LinearSVC(client=client, C=1e-2, tol=1e-5).fit(da.from_array(X[order], chunks=(1500, 5)), Y[order])
    assert model.certificate_.relative_gap <= 1e-5


def test_two_trainings_at_once_do_not_block_each_other(client):
    found = {}

    def train(seed):
        A, score = data(seed=seed)
        blocks = da.from_array(A, chunks=(1500, 5))
        found[seed] = LinearSVC(client=client, C=1e-2, tol=1e-5).fit(blocks, score > 0)

    threads = [threading.Thread(target=train, args=(seed,)) for seed in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sorted(found) == [1, 2, 3]
    assert all(model.certificate_.relative_gap <= 1e-5 for model in found.values())


def test_bad_input_is_one_line(client):
    blocks = da.from_array(X, chunks=(1500, 5))
    broken = blocks.map_blocks(lambda part: np.where(part > 6.5, np.nan, part))
    with pytest.raises(ValueError, match=r"block \d of X contains NaN"):
        LinearSVC(client=client).fit(broken, Y)
    with pytest.raises(ValueError, match="arrays in memory need no cluster"):
        LinearSVC(client=client).fit(X, Y)
    with pytest.raises(ValueError, match="of as many columns"):
        LinearSVC(client=client).fit([delayed(X), delayed(X[:, :3])], np.r_[Y, Y])
    with pytest.raises(ValueError, match="client is None, and there is no Dask client"):
        LinearSVC().fit(blocks, Y)
    with pytest.raises(ValueError, match="6000"):
        LinearSVC(client=client).fit(blocks, Y[:-1])
