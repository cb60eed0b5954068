"""The vectorised kernels and those of a build without vector instructions (PRAGAM_SCALAR) agree to the bit.

PRAGAM_SCALAR_KERNELS names that build's compiled module (.ci/run makes one). Each build runs in a process of its own,
which prints a digest of every result.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from hashlib import sha256

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam import _kernels

SOLVERS = {"dcd": None, "newton": None, "pragam": 60, "qp-bmrm": 60, "pegasos-1": 3}


def digest(*results):
    """Of floats and arrays of floats, to the bit."""
    return sha256(b"".join(np.asarray(r, dtype=np.float64).tobytes() for r in results)).hexdigest()


def products(rng):
    """Every product and sum of every storage; rows from empty to longer than any block of lanes."""
    n, d, K = 700, 150, 11
    M = np.where(rng.random((n, d)) < rng.random((n, 1)) ** 2, rng.standard_normal((n, d)), 0.0)
    w, alpha, W, B = (rng.standard_normal(shape) for shape in (d, n, (K, d), (n, K)))
    for value in (np.float32, np.float64):
        X = M.astype(value)
        storages = {"C": X, "F": np.asfortranarray(X), "strided": np.repeat(X, 2, axis=1)[:, ::2]}
        for index in (np.int32, np.int64):
            csr = sparse.csr_array(X)
            csr.indices = csr.indices.astype(index)
            storages[f"CSR {index.__name__}"] = csr
        for name, stored in storages.items():
            S = pragam.operators.check_data(stored)
            results = S.matvec(w), S.rmatvec(alpha), S.matmat(W), S.rmatmat(B), *S.abs_sums()
            results = *results, *S.twofold_matvec(w), *S.twofold_rmatvec(alpha), *S.running_rmatvec(alpha)
            results = *results, S.product_error(w)
            yield f"{name} {value.__name__}", digest(*results, S.row_norms2, S.T.row_norms2, S.norm_bound)


def projections(rng):
    """The passes over a box cut by a plane, with bounds at infinity among others."""
    for n in (1, 63, 64, 5000):
        m, sigma, d = rng.standard_normal(n), rng.standard_normal(n), rng.uniform(0.5, 2.0, n)
        lower, upper = -rng.random(n), rng.random(n)
        lower[::7], upper[::11] = -np.inf, np.inf
        data, out = (m, lower, upper, sigma, d, 0.3), np.empty(n)
        results = {
            "sums": _kernels.get("box_plane_sums")(*data, 1),
            "point": (*_kernels.get("box_plane_point")(*data, out), *out),
            "kink": (_kernels.get("box_plane_kink")(*data, True),),
            "range": _kernels.get("box_plane_range")(lower, upper, sigma, n),
            "support": (_kernels.get("box_plane_support")(m, lower, upper, sigma, 0.1, d),),
            "bound": _kernels.get("box_plane_support_bound")(m, 1e-9 * d, lower, upper, sigma, 0.1, d),
            "dot": _kernels.get("dot_and_size")(m, sigma),
        }
        yield from ((f"{name} {n}", digest(*result)) for name, result in results.items())


def solves(rng):
    """Whole solves: what the products leave out."""
    X = rng.standard_normal((400, 30)).astype(np.float32)
    y = np.where(X[:, 0] + rng.standard_normal(400) > 0, 1, -1)
    for kind, data in {"dense": X, "CSR": sparse.csr_array(X * (np.abs(X) > 1))}.items():
        for solver, max_iter in SOLVERS.items():
            problem = pragam.hinge(data, y, lam=1e-2, bias=solver != "pegasos-1")
            result = pragam.solve(problem, solver, tol=1e-8, max_iter=max_iter)
            yield f"{solver} {kind}", digest(result.w, result.alpha, result.certificate.primal)


def digests(kernels):
    """Name -> digest under this choice of kernels, in a process of its own."""
    environment = os.environ | {"PRAGAM_KERNELS": kernels}
    done = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif("PRAGAM_SCALAR_KERNELS" not in os.environ, reason="no scalar build was made")
def test_both_builds_agree_to_the_bit():
    vectorised, scalar = digests(""), digests(os.environ["PRAGAM_SCALAR_KERNELS"])
    assert len(vectorised) > 30
    assert {name for name in vectorised if vectorised[name] != scalar[name]} == set()


@pytest.mark.skipif(not _kernels.compiled or shutil.which("objdump") is None, reason="needs the extension and objdump")
def test_no_multiply_and_add_is_fused():
    """Else a machine with such instructions would round otherwise than one without."""
    path = sys.modules["pragam._kernels._compiled"].__file__
    code = subprocess.run(["objdump", "-d", path], capture_output=True, text=True, check=True).stdout
    assert re.findall(r"\t(?:vfn?m(?:add|sub)\w+|fn?m(?:add|sub)|fml[as])\b", code) == []
    assert re.search(r"\t(?:vmul|mul|fmul)[sp]?[sd]?\b", code), "the disassembly should show plain products"


def test_a_wrong_choice_of_kernels_is_named():
    with pytest.raises(ImportError, match=r"PRAGAM_KERNELS is 'nowhere\.so'"):
        _kernels.load_file("nowhere.so")


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    print(json.dumps(dict([*products(rng), *projections(rng), *solves(rng)])))
