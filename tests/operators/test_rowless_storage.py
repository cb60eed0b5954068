"""A storage that hands out no rows, as one out of core would: solvers that walk rows are refused, others run."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from pragam.operators.storage import WALKING, Dense


class OutOfCore(Dense):
    """Products only. Whoever asks for a row has not asked whether there are any."""

    rigorous = True
    lacks = WALKING

    def rows(self):
        raise AssertionError("this storage has no rows")

    take = gram = add_outer = rows


def problems():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 4)), rng.integers(0, 3, 60)
    return {
        "hinge": pragam.hinge(OutOfCore(X), np.where(y > 0, 1, -1), 0.1),
        "squared hinge": pragam.squared_hinge(OutOfCore(X), np.where(y > 0, 1, -1), 0.1),
        "ordinal": pragam.ordinal_hinge(OutOfCore(X), y, 0.1),
        "multiclass": pragam.multiclass_hinge(OutOfCore(X), y, 0.1),
    }


@pytest.mark.parametrize("solver", ["dcd", "newton", "newton-dense", "pegasos-1"])
@pytest.mark.parametrize("name", ["hinge", "squared hinge", "ordinal"])
def test_a_solver_that_walks_rows_is_refused_before_the_start(name, solver):
    problem = problems()[name]
    with pytest.raises(
        ValueError, match=rf"'{solver}' does not fit .* needs A\.rows, which {type(problem.A).__name__}"
    ):
        pragam.solve(problem, solver)


@pytest.mark.parametrize("name", problems())
def test_auto_picks_one_that_does_not(name):
    result = pragam.solve(problems()[name], tol=1e-6)
    assert result.converged and result.certificate.rigorous
