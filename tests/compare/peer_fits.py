"""Fits of one peer on small rows, as JSON: ``python peer_fits.py NAME``.

A process of its own: some packages are compiled with -ffast-math and, once loaded, round subnormal numbers to zero in
the whole process, where other tests need them.
"""

from __future__ import annotations

import json
import sys
import warnings

import numpy as np
from scipy import sparse

import pragam
from pragam.compare import peers
from pragam.compare.judge import Judge
from pragam.compare.problems import BIASED, PROBLEMS

LAM = 1e-2


def rows():
    rng = np.random.default_rng(5)
    X = sparse.csr_array(sparse.random(150, 8, 0.5, format="csr", random_state=5, data_rvs=rng.standard_normal))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, np.where(X @ rng.standard_normal(8) + 0.5 + rng.standard_normal(150) > 0, 1.0, -1.0)


def fit(peer, limit, dense=False):
    """(J over J*, iterations, length of w) of a fit with this limit."""
    X, y = rows()
    X = X.toarray() if dense else X
    problem = PROBLEMS[peer.problem](X, y, LAM)
    optimum = pragam.solve(problem, tol=1e-10).certificate
    fitted = peer.fit(*peer.convert(X.copy(), y.copy()), LAM, peer.problem == BIASED, limit, peer.tightest)
    biases = None if fitted.bias is None else np.array([fitted.bias])
    return Judge(problem, X, y).primal(fitted.w, biases) / optimum.dual, fitted.n_iter, len(fitted.w)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    one = peers.by_name(sys.argv[1])
    fits = {"sparse": fit(one, 20_000), "dense": fit(one, 20_000, dense=True), "few": fit(one, 1), "again": fit(one, 1)}
    sys.stderr.flush()
    print("\n" + json.dumps(fits))
