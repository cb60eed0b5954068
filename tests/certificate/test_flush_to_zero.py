"""Certificates stay true in a thread whose processor takes denormal numbers for zero.

A library built with -ffast-math switches that on when it is loaded (FTZ and DAZ in the register MXCSR), for whoever
shares its process. Here a library of three lines does so, in a process of its own; its answers are judged in rational
arithmetic in this one, where every number counts.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import platform
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from math import inf
from pathlib import Path

import numpy as np
import pytest
from test_certificates_exact import faults

import adversarial
import pragam
from exact_judge import exact_dual, exact_optimum
from posed import posed
from pragam.certificate import Lower
from pragam.conjugates import Quadratic
from pragam.operators import LabelRows, ScaledRows
from pragam.polytopes import Box, BoxPlane, Pairs, Simplices

SEEDS = int(os.environ.get("PRAGAM_SEEDS", "2000")) // 4
FIRST = int(os.environ.get("PRAGAM_FIRST_SEED", "0"))
PARTS = 4

SOURCE = """
#include <immintrin.h>
void flush(int on) { _mm_setcsr(on ? _mm_getcsr() | 0x8040u : _mm_getcsr() & ~0x8040u); }
double twice_half(double x) { volatile double y = x * 0.5; return y * 2.0; }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The compiled SOURCE."""
    compiler = shutil.which("cc")
    if platform.machine().lower() not in ("x86_64", "amd64"):
        pytest.skip("MXCSR is a register of x86 processors")
    if compiler is None or os.name == "nt":
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("flush")
    (folder / "flush.c").write_text(SOURCE)
    target = folder / "flush.so"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", target, folder / "flush.c"], check=True)
    return target


@pytest.mark.parametrize("part", range(PARTS))
def test_certificates_hold_where_denormals_are_zero(library, tmp_path, part):
    seeds = range(FIRST + part, FIRST + SEEDS, PARTS)
    out = tmp_path / "answers"
    command = [sys.executable, __file__, str(library), str(out), str(seeds.start), str(seeds.stop), str(seeds.step)]
    environment = {**os.environ, "PRAGAM_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # others have their own MXCSR
    helpers = str(Path(__file__).resolve().parents[1])
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [helpers, os.environ.get("PYTHONPATH")]))
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    answers = pickle.loads(out.read_bytes())
    assert len(answers) > len(seeds)
    false = []
    for text, problem, w, alpha, proof, gaps in answers:
        found = faults(problem, proof, w, alpha)
        if not is_rounded_up(proof, *gaps):
            found.append(f"its gap, there {gaps[0]!r} or {gaps[1]!r}, was rounded down")
        if found:
            false.append(f"{text}: {'; '.join(found)}")
    assert not false, f"{len(false)} of {len(answers)}:\n" + "\n".join(false[:20])


@pytest.mark.parametrize("kappa", [1e-310, np.full(1, 1e-310)])
def test_a_curvature_below_the_normal_numbers_is_counted(library, kappa):
    """D = c alpha - kappa/2 alpha^2 is largest, c^2 / (2 kappa), at alpha = 1e153: without kappa it is twice that."""
    plain = pragam.quantile(np.zeros((1, 1)), np.full(1, 1e-157), 1.0, bias=False)
    problem = replace(plain, c=np.full(1, 1e-157), Q=Box(0.0, np.full(1, 1e153)), g=Quadratic(kappa))
    alpha = np.full(1, 1e153)
    assert problem.g.change_bound(alpha, np.zeros(1, int), alpha) >= 3e306 * 1e-310 / 2
    lower = in_flushing_thread(library, lambda: [getattr(Lower(problem, alpha), level).value for level in Lower.levels])
    assert max(map(Fraction, lower)) <= exact_dual(problem, alpha) == exact_optimum(problem)


def in_flushing_thread(library, work):
    """What ``work`` returns in a thread of its own that takes denormal numbers for zero: the register is a thread's."""
    flush = ctypes.CDLL(str(library)).flush

    def flushing():
        flush(1)
        try:
            return work()
        finally:
            flush(0)

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(flushing).result()


def is_rounded_up(proof, gap, relative_gap):
    """Whether these are no smaller than the certificate's gaps; NaN is."""
    if inf in (proof.primal, -proof.dual):
        return gap == relative_gap == inf
    primal, dual = Fraction(proof.primal), Fraction(proof.dual)
    exact, size = primal - dual, max(abs(primal), abs(dual))
    return gap >= exact and (relative_gap == inf or Fraction(relative_gap) * size >= exact)


def small_all_over(rng, X, y, lam):
    """Bounds, offsets, level and normal of the plane as small as the rows: J and D themselves are nearly denormal."""
    X, storage = adversarial._stored(rng, X, 16)
    n = len(y)
    sizes = 10 ** rng.uniform(-320, 0, 4)
    lower, upper = np.sort(sizes[0] * rng.standard_normal((2, n)) * (rng.random((2, n)) < 0.8), axis=0)
    A, c = ScaledRows(X, rng.standard_normal(n)), sizes[1] * rng.standard_normal(n)
    if rng.random() < 0.5:
        return posed(A, c, Box(lower, upper), lam, adversarial._kappa(rng)), f"small box, {storage}"
    sigma = rng.choice([1.0, -1.0, 0.0, 3.0, sizes[2]], n)
    z = float(sigma @ (lower + rng.random(n) * (upper - lower)))
    Q = BoxPlane(lower, upper, sigma, z)
    return posed(A, c, Q, lam, adversarial._kappa(rng)), f"small box with plane, {storage}"


def small_totals(rng, X, y, lam):
    """The same with a simplex or marginals of pairs for each example, without biases."""
    X, storage = adversarial._stored(rng, X, 16)
    n, K = len(y), 3
    totals = 10 ** rng.uniform(-323, 0, n)
    c = (10 ** rng.uniform(-320, 0) * rng.standard_normal((n, K))).ravel()
    wrong = np.tile([True, True, False], (n, 1))
    Q = Simplices(totals, K) if rng.random() < 0.5 else Pairs(totals, wrong)
    return posed(LabelRows(X, K), c, Q, lam, adversarial._kappa(rng)), f"small {type(Q).__name__}, {storage}"


def uneven(rng, X, y, lam):
    """Any risk with weights from the least that are accepted to the largest, and targets as small."""
    X, storage = adversarial._stored(rng, X, 16)
    weights = len(y) * 10 ** np.where(rng.random(len(y)) < 0.5, rng.uniform(-307.6, -250), rng.uniform(-10, 250))
    targets, bias = y * 10 ** rng.uniform(-323, 0, len(y)), bool(rng.random() < 0.5)
    sets = np.column_stack([y > 0, y <= 0, rng.random(len(y)) < 0.5])
    build, labels = adversarial._pick(rng, [
        (pragam.hinge, y), (pragam.squared_hinge, y), (pragam.smoothed_hinge, y), (pragam.quantile, targets),
        (pragam.epsilon_insensitive, targets), (pragam.multiclass_hinge, y), (pragam.multilabel_hinge, sets),
    ], [1] * 7)  # fmt: skip
    bias &= (
        build is not pragam.multilabel_hinge
    )  # with weights as uneven the judge knows no feasible point next to alpha
    text = f"{build.__name__}{' with bias' * bias}, weights {weights.min():.1e}..{weights.max():.1e}, {storage}"
    return build(X, labels, lam, bias=bias, sample_weight=weights), text


def tiny(seed):
    """What makes a problem around the smallest numbers there are."""
    rng = np.random.default_rng([seed, 3])
    X, y, _ = adversarial._data(rng)
    largest = np.abs(X).max(initial=0.0)
    scale = 10 ** rng.uniform(-322, -140)
    X = X / largest * scale if largest > 0 else X
    lam = 10 ** rng.uniform(-300, 0)
    if rng.random() < 0.5:  # the rows matter
        lam = max(scale * scale, 1e-300) * 10 ** rng.uniform(-4, 4)
    if rng.random() < 0.3:  # rows that make weights below TINY matter
        scale = 10 ** rng.uniform(0, 150)
        X, lam = (X / largest * scale if largest > 0 else X), 10 ** rng.uniform(-300, 300)
    builders = [*adversarial.BUILDERS, small_all_over, small_totals, uneven]
    build = adversarial._pick(rng, builders, [1] * len(adversarial.BUILDERS) + [8, 4, 8])
    return rng, build, X, y, float(lam), scale


def child(library, out, *seeds):
    """Solve and certify with denormals flushed; write what is to be judged."""
    flush = ctypes.CDLL(library).flush
    twice_half = ctypes.CDLL(library).twice_half
    twice_half.restype, twice_half.argtypes = ctypes.c_double, [ctypes.c_double]
    answers = []
    for seed in range(*map(int, seeds)):
        rng, build, X, y, lam, scale = tiny(seed)
        try:
            flush(int(rng.random() < 0.5))  # a problem may be stored where small numbers count
            problem, text = build(rng, X, y, lam)
            flush(1)
            assert twice_half(3e-308) == 0 and (np.array([3e-308]) * 0.5 == 0).all()
            settings = adversarial._settings(rng, problem) | {"max_seconds": 0.1}
            pairs = []
            if settings["solver"] is not None:
                result = pragam.solve(problem, **settings)
                pairs.append((f"seed {seed} {settings['solver']}", result.w, result.alpha, result.certificate))
            size = 10 ** rng.uniform(-323, 0)
            w = size * rng.standard_normal(problem.n_weights)
            alpha = problem.domain.project(10 ** rng.uniform(-323, 0) * rng.standard_normal(problem.Q.size))
            pairs.append((f"seed {seed} any pair", w, alpha, pragam.certify(problem, w, alpha)))
            bits = rng.integers(1, 2**52, problem.n_weights) | rng.integers(0, 2, problem.n_weights) << 63
            smallest = bits.view(np.float64)  # denormal numbers of both signs
            pairs.append((f"seed {seed} denormal w", smallest, alpha, pragam.certify(problem, smallest, alpha)))
            gaps = [(proof.gap, proof.relative_gap) for *_, proof in pairs]
        except ValueError:  # refused
            continue
        finally:
            flush(0)
        text = f"{text}, |x| {scale:.1e}, lam {lam:.1e}"
        answers += [(f"{name}: {text}", problem, *pair, gap) for (name, *pair), gap in zip(pairs, gaps, strict=True)]
    Path(out).write_bytes(pickle.dumps(answers))


if __name__ == "__main__":
    child(*sys.argv[1:])
