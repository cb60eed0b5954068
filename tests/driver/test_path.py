"""The regularisation path: equal to separate solves, certified everywhere, and nothing lost when it ends early."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam import Status
from pragam.driver.path import PathProgress
from risk_zoo import CASES, RISKS, SLOW

LAMS = [2.0**-k for k in (8, 0, 3, 5)]  # in no order
FAST = [case for case in CASES if case not in SLOW]


def drawn(name="hinge", bias=True, seed=0):
    return RISKS[name](np.random.default_rng(seed), bias, weighted=False).problem


@pytest.mark.parametrize(("name", "bias"), FAST, ids=str)
def test_every_point_is_certified_and_equals_a_separate_solve(name, bias):
    problem = drawn(name, bias)
    results = pragam.path(problem, LAMS, tol=1e-8)
    for lam, result in zip(LAMS, results, strict=True):
        alone = replace(problem, lam=lam)
        proof, other = result.certificate, pragam.solve(alone, tol=1e-8).certificate
        assert result.converged and proof.relative_gap <= 1e-8
        assert pragam.certify(alone, result.w, result.alpha) == proof
        assert max(proof.dual, other.dual) <= min(proof.primal, other.primal)  # one optimum between all bounds


@pytest.mark.parametrize(("name", "bias"), FAST, ids=str)
def test_the_optimal_value_rises_and_the_weights_shrink_with_lam(name, bias):
    r"""J*(lam) = min of lam/2 |w|^2 + R(w) is a minimum of functions that rise with lam, and |w*| falls.

    |w - w*| <= sqrt(2 gap / lam), so the lengths are known up to that.
    """
    lams = [2.0**-k for k in range(0, 12, 2)]
    results = pragam.path(drawn(name, bias, seed=1), lams, tol=1e-9)
    for (large, first), (small, second) in zip(
        list(zip(lams, results, strict=True))[:-1], list(zip(lams, results, strict=True))[1:], strict=True
    ):
        assert second.certificate.dual <= first.certificate.primal
        slack = sum(np.sqrt(2 * r.certificate.gap / lam) for lam, r in ((large, first), (small, second)))
        assert np.linalg.norm(first.w) <= np.linalg.norm(second.w) + slack


def test_results_come_in_the_order_of_lams_and_duplicates_are_solved_once():
    seen = []
    results = pragam.path(drawn(), [0.1, 1.0, 0.1, 0.5], callback=lambda progress: seen.append(progress))
    assert results[0] is results[2]
    norms = [np.linalg.norm(results[k].w) for k in (1, 3, 0)]  # by falling lam
    assert norms == sorted(norms)
    assert all(isinstance(progress, PathProgress) and progress.n_points == 3 for progress in seen)
    assert [progress.lam for progress in seen] == sorted((progress.lam for progress in seen), reverse=True)


def test_one_lam_is_a_plain_solve():
    problem = drawn()
    (result,) = pragam.path(problem, np.array([0.01]), tol=1e-6)
    alone = pragam.solve(replace(problem, lam=0.01), tol=1e-6)
    assert (result.w == alone.w).all() and result.certificate == alone.certificate


@pytest.mark.parametrize(
    "lams", [[], [0.0], [1.0, -1.0], [np.nan], [np.inf], "12", None, 1.0, [[1.0]], ["a"], [1j], [True]], ids=repr
)
def test_what_is_no_list_of_lams_is_refused_by_name(lams):
    with pytest.raises(ValueError, match="lams"):
        pragam.path(drawn(), lams)


def test_a_point_out_of_time_keeps_its_status_and_its_gap():
    results = pragam.path(drawn(), LAMS, tol=0.0, max_seconds=0.0)
    assert {result.status for result in results} == {Status.MAX_SECONDS}
    assert all(0 < result.certificate.relative_gap < np.inf for result in results)


def test_a_callback_ends_the_path():
    stops_at = 2.0**-3
    results = pragam.path(
        drawn(seed=2), LAMS, tol=1e-9, solver="pragam", callback=lambda progress: progress.lam <= stops_at
    )
    by_lam = dict(zip(LAMS, results, strict=True))
    assert by_lam[1.0].status is not Status.STOPPED
    assert all(by_lam[lam].status is Status.STOPPED for lam in LAMS if lam <= stops_at)
    assert all(by_lam[lam].n_iter == 0 for lam in LAMS if lam < stops_at)


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_keeps_the_points_done_and_certifies_the_others_where_they_start():
    problem = drawn(seed=2)

    def interrupt(progress):
        if progress.lam == 2.0**-3:
            os.kill(os.getpid(), signal.SIGINT)

    results = dict(zip(LAMS, pragam.path(problem, LAMS, tol=1e-9, solver="pragam", callback=interrupt), strict=True))
    assert results[1.0].converged
    for lam in (2.0**-3, 2.0**-5, 2.0**-8):
        assert results[lam].status is Status.INTERRUPTED
        again = pragam.certify(replace(problem, lam=lam), results[lam].w, results[lam].alpha)
        assert again == results[lam].certificate
        assert again.primal <= problem.primal(np.zeros(problem.n_weights))  # no worse than w = 0


def test_equal_calls_give_equal_bits():
    first, second = (pragam.path(drawn(seed=4), LAMS, tol=1e-7, random_state=3) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        assert (one.w == other.w).all() and (one.alpha == other.alpha).all()
        assert one.certificate == other.certificate and one.n_iter == other.n_iter


def test_a_point_where_the_neighbours_pair_will_do_takes_no_step():
    problem = drawn()
    lams = [0.5, 0.5 * (1 - 1e-9)]
    first, second = pragam.path(problem, lams, tol=1e-4)
    assert second.converged and second.n_iter == 0 and second.history.passes[-1] == 0
    assert (second.w == first.w).all()
    assert pragam.certify(problem.at(lams[1]), second.w, second.alpha) == second.certificate


@pytest.mark.parametrize("name", ["hinge", "squared hinge", "epsilon-insensitive", "ordinal, all"])
def test_what_is_prepared_once_is_what_each_point_would_prepare(name):
    """On a problem that keeps, solves at many lam have the bits of solves that prepare everything themselves."""
    for solver in ("newton-dense", "newton", "dcd"):
        keeping, start = drawn(name).keeping(), None
        for lam in (0.3, 1e-2, 7e-4):
            start = pragam.solve(keeping.at(lam), solver, tol=1e-6, start=start)
            alone = pragam.solve(drawn(name).at(lam), solver, tol=1e-6)
            kept = pragam.solve(keeping.at(lam), solver, tol=1e-6)
            assert (kept.w == alone.w).all() and (kept.alpha == alone.alpha).all()


def test_binary_rows_are_packed_once_for_all_points(monkeypatch):
    from pragam.operators.pattern import PatternRows

    calls = []
    pack = PatternRows.by_length.__func__
    monkeypatch.setattr(PatternRows, "by_length", classmethod(lambda cls, A: calls.append(A) or pack(cls, A)))
    rng = np.random.default_rng(0)
    X = sparse.csr_matrix((rng.random((900, 400)) < 0.05).astype(float))
    y = np.where(X @ rng.standard_normal(400) > 0, 1.0, -1.0)
    pragam.path(pragam.hinge(X, y), [2.0**-k for k in range(4, 9)], tol=1e-4, solver="dcd")
    assert sum(A.rows().kind == "csr" for A in calls) == 1
