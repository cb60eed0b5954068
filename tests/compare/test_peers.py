"""Every peer solves the problem that it names, obeys its limit, and is found by being a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.compare import peers
from pragam.compare.judge import Judge
from pragam.compare.problems import BIASED, HINGE, PROBLEMS

LAM = 1e-2


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    X = sparse.csr_array(sparse.random(150, 8, 0.5, format="csr", random_state=5, data_rvs=rng.standard_normal))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    y = np.where(X @ rng.standard_normal(8) + 0.5 + rng.standard_normal(150) > 0, 1.0, -1.0)
    return X, y


def installed(name):
    peer = peers.by_name(name)
    if not peers.is_installed(peer):
        pytest.skip(f"{peer.package} is not installed")
    return peer


def value(peer, rows, limit, dense=False):
    """J over J*, of a fit with this limit."""
    X, y = rows
    X = X.toarray() if dense else X.copy()
    problem = PROBLEMS[peer.problem](X, y, LAM)
    fitted = peer.fit(*peer.convert(X, y.copy()), LAM, peer.problem == BIASED, limit, peer.tightest)
    biases = None if fitted.bias is None else np.array([fitted.bias])
    optimum = pragam.solve(problem, tol=1e-10).certificate
    return Judge(problem, X, y).primal(fitted.w, biases) / optimum.dual, fitted


@pytest.mark.parametrize("name", peers.names())
@pytest.mark.filterwarnings("ignore")
def test_it_solves_the_problem_that_it_names_and_obeys_its_limit(name, rows):
    """SGD's last iterate, and Snap ML's single precision, come less near."""
    peer = installed(name)
    within = {"sgd": 0.05, "snapml": 1e-4}.get(name, 1e-6)
    for dense in (False, True):
        best, fitted = value(peer, rows, 20_000, dense)
        assert 1 - 1e-12 <= best <= 1 + within
        assert fitted.w.shape == (8,)
    few, short = value(peer, rows, 1)
    assert short.n_iter is None or short.n_iter == 1
    assert few > 1.01 and few == value(peer, rows, 1)[0]


def test_each_file_is_a_peer():
    files = {path.stem for path in Path(peers.__file__).parent.glob("*.py")} - {"__init__", "base"}
    assert files == set(peers.names())
    for name in peers.names():
        peer = peers.by_name(name)
        assert peer.problem in (HINGE, BIASED) and peer.title and peer.package and peer.tightest < 1e-12


def test_a_peer_that_does_not_exist_is_named():
    with pytest.raises(ValueError, match="'nobody'"):
        peers.by_name("nobody")


def test_svc_needs_a_bias(rows):
    with pytest.raises(ValueError, match="bias"):
        peers.by_name("svc").fit(*rows, LAM, False, 1, 1e-3)
