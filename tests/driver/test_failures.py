"""A solve ends with a Result: what fails inside it is the end of an algorithm's turn, and of nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import pragam
from pragam import Status
from pragam.solvers import Dcd, Newton, NewtonDense, Pragam
from zoo import hinge_case

ERRORS = [np.linalg.LinAlgError("singular"), ZeroDivisionError(), FloatingPointError(), MemoryError(), KeyError(3)]


def failing(kind, method, error):
    """A solver whose method fails at its third call."""
    calls = []

    def fail(self, *arguments):
        calls.append(1)
        if len(calls) == 3:
            raise error
        return getattr(kind, method)(self, *arguments)

    return type("Failing", (kind,), {method: fail})()


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize("kind", [Dcd, Newton, Pragam])
@pytest.mark.parametrize("method", ["step", "estimate"])
def test_a_failing_solver_keeps_what_was_certified(kind, method, error):
    problem = hinge_case("plain", True, 0).problem
    result = pragam.solve(problem, failing(kind, method, error), tol=1e-15)
    assert result.status is Status.FAILED and type(error).__name__ in result.reason
    assert pragam.certify(problem, result.w, result.alpha) == result.certificate


@pytest.mark.parametrize(("scale", "lam"), [(1e100, 1e-3), (1.0, 1e-200), (1e60, 1e-10)])
def test_the_reason_names_numbers_that_are_too_far_apart(scale, lam):
    problem = pragam.hinge(scale * np.eye(4), [1, -1, 1, -1], lam)
    error = np.linalg.LinAlgError("3-th leading minor of the array is not positive definite")
    reason = pragam.solve(problem, failing(Pragam, "estimate", error), tol=0, stall=False).reason
    assert "its arithmetic broke down (LinAlgError: 3-th leading minor" in reason
    assert f"Rows of X as long as {scale:.1e} and lam = {lam:.1e} are too far apart" in reason


def test_the_reason_blames_no_ordinary_numbers():
    error = ZeroDivisionError("float division by zero")
    reason = pragam.solve(hinge_case("plain", True, 0).problem, failing(Dcd, "step", error), tol=1e-15).reason
    assert reason.endswith("its arithmetic broke down (ZeroDivisionError: float division by zero).")


@pytest.mark.parametrize("method", ["init", "step", "candidate", "estimate"])
@pytest.mark.parametrize("kind", [Dcd, Newton])
def test_auto_goes_on_with_another_algorithm(monkeypatch, kind, method):
    def fail(self, *arguments):
        raise np.linalg.LinAlgError("singular")

    monkeypatch.setattr(kind, method, fail)
    monkeypatch.setattr(NewtonDense, "step", fail)  # which small problems begin with
    result = pragam.solve(hinge_case("plain", True, 0).problem, tol=1e-6)
    assert result.converged and result.solver not in (f"auto ({kind.name})", "auto (newton-dense)")
    assert "failed in iteration 0: its arithmetic broke down" in result.reason  # no fallback is silent
    assert "It went on as 'auto (" in result.reason


def test_an_error_in_a_callback_is_the_callers_own():
    def callback(progress):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        pragam.solve(hinge_case("plain", True, 0).problem, callback=callback)


@pytest.mark.parametrize("solver", ["auto", "newton"])
@pytest.mark.parametrize("bias", [False, True])
def test_columns_that_occur_twice(solver, bias):
    """lam is below the rounding of the Hessian, which is singular without it."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        B = rng.standard_normal((200, 4))
        y = np.where(B @ rng.standard_normal(4) + 0.5 * rng.standard_normal(200) > 0, 1, -1)
        result = pragam.solve(pragam.hinge(1e6 * np.c_[B, B], y, 5e-6, bias=bias), solver, tol=1e-6)
        assert result.status is not Status.FAILED, f"seed {seed}"


BEYOND = pragam.max_affine(1e200 * np.eye(3), np.zeros(3))


@pytest.mark.parametrize("solver", [s for s in pragam.solvers.names() if not pragam.solvers.by_name(s).missing(BEYOND)])
def test_numbers_beyond_float64_end_in_a_result(solver):
    assert not pragam.solve(BEYOND, solver, max_iter=20).converged


@pytest.mark.parametrize("solver", ["dcd", "newton"])
@pytest.mark.parametrize("exponent", [-145, -40, -20, -10, -7])
def test_a_bias_is_found_where_the_data_hardly_matter(solver, exponent):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 20))
    y = np.where(X[:, :5] @ np.ones(5) + 2 * rng.standard_normal(400) > 0, 1, -1)
    assert pragam.solve(pragam.hinge(10.0**exponent * X, y, 1e-3), solver, tol=1e-6, max_iter=1000).converged


@pytest.mark.parametrize("solver", ["dcd", "newton", "pegasos-1"])
@pytest.mark.parametrize("exponent", [-145, -80, -10, 10, 150])
def test_the_units_of_x_do_not_matter(solver, exponent):
    """10^e X with 10^2e lam is the same problem; one column, so that sparse rows are packed."""
    rng = np.random.default_rng(29)
    X = rng.standard_normal((112, 1))
    y = np.where(X[:, 0] + rng.standard_normal(112) > 0, 1, -1)
    tol, bias = (1e-2, False) if solver == "pegasos-1" else (1e-6, True)
    values = [
        pragam.solve(pragam.hinge(csr_array(10.0**e * X), y, 3e-3 * 10.0 ** (2 * e), bias=bias), solver, tol=tol)
        for e in (0, exponent)
    ]
    assert all(result.converged for result in values)
    assert values[1].certificate.primal == pytest.approx(values[0].certificate.primal, rel=2 * tol)


def test_a_climb_from_far_below_is_no_stall():
    """Frank-Wolfe begins at a D far below 0, the bound of the start: for long no certified bound moves."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 20))
    y = np.where(X[:, 0] + rng.standard_normal(300) > 0, 1, -1)
    result = pragam.solve(pragam.hinge(X, y, 1e-6, bias=False), "ls-bmrm", tol=1e-2, max_iter=3000)
    assert result.status is Status.MAX_ITER
