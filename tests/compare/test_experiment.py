"""What an experiment derives from its points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from made import OPTIMUM, made, made_run


def test_an_iterate_without_a_finite_value_does_not_hide_the_others():
    run = made_run("data", "pegasos-n", count=5)
    primal = run.primal.copy()
    primal[[0, 2]] = np.nan
    run = replace(run, primal=primal)
    assert np.isnan(run.best[0]) and np.array_equal(run.best[1:], primal[[1, 1, 3, 4]])
    assert made([run]).iterations_to(run, 0.26) == 4


def test_the_soonest_point_counts_whatever_its_iterations():
    run = made_run("data", "peer", lambda t: 1e-3 / t, count=3, repeats=1, is_peer=True)
    run = replace(run, seconds=np.array([[3.0, 1.0, 2.0]]))
    experiment = made([run])
    assert experiment.time_to(run, 1e-2) == 1.0 and experiment.time_to(run, 4e-4) == 2.0
    assert experiment.time_to(run, 1e-9) == np.inf and experiment.references["data", "hinge"].primal == OPTIMUM
