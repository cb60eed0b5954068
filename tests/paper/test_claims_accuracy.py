"""The claims on test accuracy and its explanation, on made experiments of known answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from claim_runs import DATA, PAPER, answer, arriving, constant, ended, of_accuracy

from made import made, made_run
from pragam.paper.claims.results import accuracy_late, equal_in_the_end, pragam_b, sparsity

LATE_ITERATIONS, LATE_TIME = accuracy_late.CLAIMS
(EQUAL,) = equal_in_the_end.CLAIMS
B_ACCURATE, B_ITERATIONS, B_TIME = pragam_b.CLAIMS
ON_TIME = {"pragam": 100, "ls_bmrm": 10, "pegasos_n": 10, "pegasos_1": 10, "liblinear": 1, "qp_bmrm": 10}


@pytest.mark.parametrize("claim", accuracy_late.CLAIMS, ids=lambda claim: claim.sentence)
def test_accuracy_late(claim):
    assert answer(claim, of_accuracy(**ON_TIME)) == "confirmed"
    assert answer(claim, of_accuracy(**{**ON_TIME, "pragam": 5})) == "refuted"
    assert answer(claim, of_accuracy(pragam=100, ls_bmrm=10)) == "undecided"
    assert answer(claim, of_accuracy(**dict.fromkeys(ON_TIME, 1000))) == "undecided"  # nobody arrives
    no_test = made(of_accuracy(**ON_TIME))
    no_test = replace(no_test, data={DATA: replace(no_test.data[DATA], n_test=0)})
    assert claim.judge(no_test, DATA).answer == "undecided"


def test_an_iteration_of_one_example_is_not_compared():
    sooner = {"ls_bmrm": 10, "pegasos_n": 200, "liblinear": 1, "qp_bmrm": 200, "pegasos_1": 1, "pragam": 100}
    assert answer(LATE_ITERATIONS, of_accuracy(count=400, **sooner)) == "refuted"  # two of four
    assert answer(LATE_TIME, of_accuracy(count=400, **sooner)) == "confirmed"  # three of five


def test_accuracy_has_arrived_only_if_it_stays():
    leaves = made_run(DATA, "pragam", accuracy=lambda t: np.where((t > 5) & (t != 150), 0.9, 0.5))
    runs = [run for run in of_accuracy(**ON_TIME) if run.solver != "pragam"]
    assert answer(LATE_ITERATIONS, [*runs, leaves]) == "confirmed"


ALIKE = dict.fromkeys((name.replace("-", "_") for name in PAPER), 0.9)


def test_equal_in_the_end():
    assert answer(EQUAL, ended(**{**ALIKE, "pragam": 0.91})) == "confirmed"
    assert answer(EQUAL, ended(**{**ALIKE, "pragam": 0.93})) == "refuted"
    assert answer(EQUAL, ended(error=0.1, **{**ALIKE, "pragam": 0.93})) == "undecided"  # that was not the end
    assert answer(EQUAL, ended(pragam=0.9, ls_bmrm=0.9)) == "undecided"
    assert answer(EQUAL, ended(**{**ALIKE, "pragam": np.nan})) == "undecided"


def with_bias(accuracy, error=1e-4, at=1.0):
    run = made_run(
        DATA, "pragam-b", lambda t: 1 / t + error, accuracy=lambda t: np.where(t < at, 0.5, accuracy), count=2000,
        problem="hinge with a bias",
    )  # fmt: skip
    return run


def test_pragam_b_is_as_accurate():
    runs = ended(**ALIKE)
    assert answer(B_ACCURATE, [*runs, with_bias(0.95)]) == "confirmed"
    assert answer(B_ACCURATE, [*runs, with_bias(0.89)]) == "confirmed"  # similar
    assert answer(B_ACCURATE, [*runs, with_bias(0.85)]) == "refuted"
    # Not converged: what it converges to has the accuracy of its reference, 0.9.
    assert answer(B_ACCURATE, [*runs, with_bias(0.5, error=0.1)]) == "confirmed"
    better = ended(**dict.fromkeys(ALIKE, 0.95))
    assert answer(B_ACCURATE, [*better, with_bias(0.99, error=0.1)]) == "refuted"
    open_end = made([*runs, with_bias(0.95, error=0.1)])
    key = (DATA, "hinge with a bias")
    rough = {**open_end.references, key: replace(open_end.references[key], relative_gap=0.1)}
    assert B_ACCURATE.judge(replace(open_end, references=rough), DATA).answer == "undecided"
    assert answer(B_ACCURATE, runs) == "undecided"
    assert answer(B_ACCURATE, [with_bias(0.95)]) == "undecided"


@pytest.mark.parametrize("claim", [B_ITERATIONS, B_TIME], ids=lambda claim: claim.sentence)
def test_pragam_b_arrives_sooner(claim):
    runs = of_accuracy(pragam=50)
    assert answer(claim, [*runs, with_bias(0.9, at=20)]) == "confirmed"
    assert answer(claim, [*runs, with_bias(0.9, at=100)]) == "refuted"
    assert answer(claim, [*runs, with_bias(0.5)]) == "refuted"  # it never comes within 2000 iterations
    assert answer(claim, runs) == "undecided"


def supported(**supports):
    """Runs of constant support, of 1000 rows."""
    return [made_run(DATA, name.replace("_", "-"), support=constant(s)) for name, s in supports.items()]


PREMISE, ACROSS, AT_EQUAL, WITHIN = sparsity.CLAIMS


def test_premise_of_sparsity():
    assert answer(PREMISE, supported(pragam=950, ls_bmrm=400, qp_bmrm=300)) == "confirmed"
    assert answer(PREMISE, supported(pragam=500, ls_bmrm=400, qp_bmrm=300)) == "refuted"
    assert answer(PREMISE, supported(pragam=950, ls_bmrm=1000, qp_bmrm=300)) == "refuted"
    assert answer(PREMISE, supported(pragam=950, ls_bmrm=np.nan, qp_bmrm=300)) == "undecided"


def test_sparsity_across_solvers():
    def runs(*supports):
        return [
            made_run(DATA, f"s{i}", support=constant(s), accuracy=arriving(10 * (i + 1)))
            for i, s in enumerate(supports)
        ]

    assert answer(ACROSS, runs(100, 200, 300, 400)) == "confirmed"
    assert answer(ACROSS, runs(400, 300, 200, 100)) == "refuted"
    assert answer(ACROSS, runs(100, 200, 300)) == "undecided"
    assert answer(ACROSS, runs(100, 100, 100, 100)) == "undecided"
    assert answer(ACROSS, runs(200, 400, 100, 300)) == "refuted"  # a rank correlation of 0


def test_sparsity_at_equal_objective():
    # All errors are 10^(-t/10): who arrives later has the lower error there.
    assert answer(AT_EQUAL, of_accuracy(**ON_TIME)) == "confirmed"
    assert answer(AT_EQUAL, of_accuracy(**{**ON_TIME, "pragam": 10})) == "refuted"
    assert answer(AT_EQUAL, of_accuracy(**{**ON_TIME, "pragam": 12})) == "refuted"  # 1.6 times lower is not twice
    assert answer(AT_EQUAL, of_accuracy(pragam=10, ls_bmrm=5)) == "undecided"
    slow = made_run(DATA, "pragam", lambda t: 1 / t, accuracy=constant(0.5))  # ends at an error of 1/200
    rest = [run for run in of_accuracy(**{**ON_TIME, "liblinear": 10}) if run.solver != "pragam"]
    assert answer(AT_EQUAL, [*rest, slow]) == "confirmed"  # it is below 1/20 already, and still not there
    rest = [run for run in of_accuracy(**dict.fromkeys(ON_TIME, 40)) if run.solver != "pragam"]
    assert answer(AT_EQUAL, [*rest, slow]) == "undecided"


def test_sparsity_within_runs():
    shrinking, growing = (lambda t: 1000 / t), (lambda t: 100 + t)
    names = ("pragam", "ls-bmrm", "qp-bmrm")
    assert answer(WITHIN, [made_run(DATA, name, support=shrinking) for name in names]) == "confirmed"
    grows = made_run(DATA, "dcd", support=growing)
    assert answer(WITHIN, [*(made_run(DATA, name, support=shrinking) for name in names), grows]) == "refuted"
    assert answer(WITHIN, [made_run(DATA, name) for name in names]) == "refuted"  # the support never changes
    assert answer(WITHIN, [made_run(DATA, "pragam", support=shrinking)]) == "undecided"
