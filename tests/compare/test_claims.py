"""Each claim on made experiments of known answer: confirmed, refuted, undecided. None is taken to be true."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pragam.compare import claims
from pragam.compare.claims.results import (
    accuracy_late,
    bmrm_linear,
    equal_in_the_end,
    fluctuation,
    liblinear_ahead,
    pegasos_diverges,
    pragam_b,
    pragam_by_iterations,
    pragam_by_time,
    qp_bmrm_fast,
    slow_rivals,
    sparsity,
)
from pragam.compare.claims.verdict import every, most, some

from .made import OPTIMUM, made, made_run

DATA = "made"
PAPER = ("pragam", "ls-bmrm", "pegasos-n", "pegasos-1", "liblinear", "qp-bmrm")


def geometric(decade):
    """err_t / J* that falls tenfold every ``decade`` iterations."""
    return lambda t: 10.0 ** (-t / decade)


def of_speed(count=1000, **decades):
    """An experiment of the paper's solvers, each with its number of iterations to a tenth of the error."""
    return [made_run(DATA, name.replace("_", "-"), geometric(decade), count=count) for name, decade in decades.items()]


def arriving(at):
    """An accuracy of 0.5 before iteration ``at``, then that of the optimum."""
    return lambda t: np.where(t < at, 0.5, 0.9)


def constant(value):
    return lambda t: np.full_like(t, value)


def of_accuracy(count=200, **arrivals):
    """Runs of equal speed that arrive at these iterations."""
    return [
        made_run(DATA, name.replace("_", "-"), geometric(10), count=count, accuracy=arriving(at))
        for name, at in arrivals.items()
    ]


def answer(claim, runs, **facts):
    """The answer of the claim on the one made data set."""
    return claim.judge(made(runs, **facts), DATA).answer


BY_ITERATIONS = pragam_by_iterations.CLAIMS
LIBLINEAR_ITERATIONS, LIBLINEAR_TIME = liblinear_ahead.CLAIMS
(QP_FAST,) = qp_bmrm_fast.CLAIMS
SLOW_FIRST, COMPETITIVE = pragam_by_time.CLAIMS
PEGASOS_SLOW, LS_LONG, PEGASOS_LONG = slow_rivals.CLAIMS
LATE_ITERATIONS, LATE_TIME = accuracy_late.CLAIMS
(EQUAL,) = equal_in_the_end.CLAIMS
B_ACCURATE, B_ITERATIONS, B_TIME = pragam_b.CLAIMS
SPEEDS = {"pragam": 10, "ls_bmrm": 40, "pegasos_n": 40, "pegasos_1": 400, "qp_bmrm": 8, "liblinear": 0.5}


@pytest.mark.parametrize(
    ("claim", "changed", "expected"),
    [
        (BY_ITERATIONS[0], {}, "confirmed"),
        (BY_ITERATIONS[0], {"ls_bmrm": 5}, "refuted"),
        (BY_ITERATIONS[0], {"pragam": 5000, "ls_bmrm": 5001}, "undecided"),  # both over budget everywhere
        (BY_ITERATIONS[0], {"ls_bmrm": 5000}, "confirmed"),  # the budget of the slower one decides nothing else
        (BY_ITERATIONS[1], {}, "confirmed"),
        (BY_ITERATIONS[1], {"pragam": 10.3, "pegasos_n": 10.3}, "refuted"),  # a tie is not faster
        (LIBLINEAR_ITERATIONS, {}, "confirmed"),
        (LIBLINEAR_ITERATIONS, {"liblinear": 2}, "refuted"),
        (LIBLINEAR_TIME, {"pegasos_1": 2, "pragam": 20, "qp_bmrm": 20}, "refuted"),  # counts by time only
        (LIBLINEAR_TIME, {"qp_bmrm": 20, "pragam": 20}, "confirmed"),
        (QP_FAST, {}, "confirmed"),
        (QP_FAST, {"qp_bmrm": 20}, "refuted"),
        (QP_FAST, {"qp_bmrm": 20, "ls_bmrm": 21, "pragam": 30}, "confirmed"),
        (SLOW_FIRST, {}, "refuted"),
        (SLOW_FIRST, {"pragam": 60}, "confirmed"),
        (COMPETITIVE, {}, "confirmed"),
        (COMPETITIVE, {"pragam": 30}, "refuted"),
        (PEGASOS_SLOW, {}, "confirmed"),
        (PEGASOS_SLOW, {"pegasos_1": 90}, "refuted"),
        (LS_LONG, {}, "confirmed"),
        (LS_LONG, {"ls_bmrm": 25}, "refuted"),
        (PEGASOS_LONG, {}, "confirmed"),
        (PEGASOS_LONG, {"pegasos_1": 20}, "refuted"),
    ],
)
def test_speed(claim, changed, expected):
    assert answer(claim, of_speed(**{**SPEEDS, **changed})) == expected


SPEED_CLAIMS = [*BY_ITERATIONS, *liblinear_ahead.CLAIMS, QP_FAST, SLOW_FIRST, COMPETITIVE, *slow_rivals.CLAIMS]


@pytest.mark.parametrize("claim", SPEED_CLAIMS, ids=lambda claim: claim.sentence)
def test_speed_is_undecided_without_runs_or_with_too_small_a_budget_or_without_a_reference(claim):
    runs = of_speed(**SPEEDS)
    assert answer(claim, [made_run(DATA, "dcd")]) == "undecided"
    assert answer(claim, of_speed(count=1, **dict.fromkeys(SPEEDS, 50))) == "undecided"
    rough = made(runs)
    rough = replace(
        rough, references={key: replace(r, dual=0.0, relative_gap=1.0) for key, r in rough.references.items()}
    )
    assert claim.judge(rough, DATA).answer == "undecided"
    assert claim.judge(replace(rough, references={}), DATA).answer == "undecided"


def test_time_is_undecided_within_the_spread_of_the_repeats():
    """The repeats of a made run differ by up to 10 %."""
    assert answer(LS_LONG, of_speed(pragam=10, ls_bmrm=31)) == "undecided"
    assert answer(LS_LONG, of_speed(pragam=10, ls_bmrm=34)) == "confirmed"
    assert answer(PEGASOS_SLOW, of_speed(pragam=9.9, pegasos_1=105)) == "confirmed"  # iterations have no spread


def test_a_missing_rival_can_refute_but_not_confirm():
    runs = of_speed(pragam=10, ls_bmrm=40, qp_bmrm=8)
    assert answer(QP_FAST, runs) == "undecided"  # pegasos-n might be ahead
    assert answer(QP_FAST, of_speed(pragam=10, ls_bmrm=40, qp_bmrm=20)) == "refuted"


def test_liblinear_may_be_run_through_scikit_learn_but_not_with_a_bias():
    runs = of_speed(**{**SPEEDS, "qp_bmrm": 20})
    renamed = [replace(run, solver="scikit-learn") if run.solver == "liblinear" else run for run in runs]
    assert answer(LIBLINEAR_ITERATIONS, renamed) == "confirmed"
    biased = [replace(run, problem="hinge with a bias") if run.solver == "liblinear" else run for run in runs]
    assert answer(LIBLINEAR_ITERATIONS, biased) == "undecided"


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


def test_accuracy_has_arrived_only_if_it_stays():
    leaves = made_run(DATA, "pragam", accuracy=lambda t: np.where((t > 5) & (t != 150), 0.9, 0.5))
    runs = [run for run in of_accuracy(**ON_TIME) if run.solver != "pragam"]
    assert answer(LATE_ITERATIONS, [*runs, leaves]) == "confirmed"


def ended(error=1e-4, **accuracies):
    """Runs that end with these accuracies and this error. The standard error of 0.9 on 250 rows is 0.019."""
    return [
        made_run(DATA, name.replace("_", "-"), lambda t: 1 / t + error, accuracy=constant(a), count=2000)
        for name, a in accuracies.items()
    ]


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
    assert answer(B_ACCURATE, [*runs, with_bias(0.95, error=0.1)]) == "undecided"
    assert answer(B_ACCURATE, runs) == "undecided"
    assert answer(B_ACCURATE, [with_bias(0.95)]) == "undecided"


@pytest.mark.parametrize("claim", [B_ITERATIONS, B_TIME], ids=lambda claim: claim.sentence)
def test_pragam_b_arrives_sooner(claim):
    runs = of_accuracy(pragam=50)
    assert answer(claim, [*runs, with_bias(0.9, at=20)]) == "confirmed"
    assert answer(claim, [*runs, with_bias(0.9, at=100)]) == "refuted"
    assert answer(claim, [*runs, with_bias(0.5)]) == "refuted"  # it never comes within 2000 iterations
    assert answer(claim, runs) == "undecided"


def test_pegasos_diverges():
    n, _ = pegasos_diverges.CLAIMS
    assert answer(n, [made_run(DATA, "pegasos-n", lambda t: 10 + 0 * t)]) == "confirmed"
    assert answer(n, [made_run(DATA, "pegasos-n", lambda t: 100 / t)]) == "refuted"
    falling = made_run(DATA, "pegasos-n", lambda t: 100 / t)
    assert answer(n, [replace(falling, iterate=np.full(200, 50.0))]) == "undecided"
    assert answer(n, [replace(falling, iterate=np.full(200, 50.0), primal=np.full(200, np.nan))]) == "confirmed"
    assert answer(n, [made_run(DATA, "dcd")]) == "undecided"
    named = {
        v.data
        for v in claims.verdicts(made([made_run("a9a", "pegasos-n"), made_run("w8a", "pegasos-n")]))
        if "diverges" in v.claim
    }
    assert named == {"a9a"}


def test_fluctuation():
    claim = fluctuation.CLAIMS[2]
    assert answer(claim, [made_run(DATA, "ls-bmrm")]) == "refuted"
    assert answer(claim, [made_run(DATA, "ls-bmrm", lambda t: np.where(t % 7, 1 / t, 30 / t))]) == "confirmed"
    only_at_first = lambda t: np.where((t % 7 > 0) | (t > 50), 1 / t, 30 / t)  # noqa: E731
    assert answer(claim, [made_run(DATA, "ls-bmrm", only_at_first)]) == "refuted"
    assert answer(claim, [made_run(DATA, "ls-bmrm", count=5)]) == "undecided"
    assert answer(claim, [made_run(DATA, "ls-bmrm", lambda t: 0 * t)]) == "undecided"  # at the optimum all along
    mean = made_run(DATA, "pegasos-n")
    raw = replace(mean, iterate=OPTIMUM * (1 + np.where(mean.iteration % 7, 1, 30) / mean.iteration))
    assert answer(fluctuation.CLAIMS[0], [mean]) == "refuted"
    assert answer(fluctuation.CLAIMS[0], [raw]) == "confirmed"  # the answer does not, the iterate does


def test_bmrm_looks_linear():
    claim = bmrm_linear.CLAIMS[0]
    assert answer(claim, [made_run(DATA, "qp-bmrm", geometric(20))]) == "confirmed"
    assert answer(claim, [made_run(DATA, "qp-bmrm", lambda t: 1 / t)]) == "refuted"
    stairs = made_run(DATA, "qp-bmrm", lambda t: np.where(t < 100, 1.0, np.where(t < 101, 1e-2, 1e-4)))
    assert answer(claim, [stairs]) == "undecided"  # neither curve fits
    assert answer(claim, [made_run(DATA, "qp-bmrm", lambda t: 1 / t, count=20)]) == "undecided"  # too short
    assert answer(claim, [made_run(DATA, "dcd")]) == "undecided"
    assert bmrm_linear.straight_line(np.arange(4.0), 3 - 2 * np.arange(4.0)) == pytest.approx((-2, 1))


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


def test_logic():
    c, r, u = "confirmed", "refuted", "undecided"
    assert [every(x) for x in ([c, c], [c, u], [c, r], [u, r], [])] == [c, u, r, r, u]
    assert [some(x) for x in ([r, r], [r, u], [c, r], [u, c], [])] == [r, u, c, c, u]
    assert [most(x) for x in ([c, c, r], [c, r], [c, c, u, u], [r, u, u], [r, r, u], [])] == [c, r, u, u, r, u]


def test_verdicts_have_a_row_for_each_set_and_one_for_all():
    runs = [replace(run, data=name) for name in ("one", "two") for run in of_speed(**SPEEDS)]
    table = claims.verdicts(made(runs))
    general = [claim for claim in claims.claims() if not claim.only]
    assert len(table) == 3 * len(general)
    assert [v.data for v in table[:3]] == ["one", "two", "all"]
    for verdict in table:
        assert verdict.answer in ("confirmed", "refuted", "undecided")
        assert verdict.claim.endswith(".") and verdict.numbers.endswith(".") and verdict.reference
    assert (
        "Of 2 sets: confirmed on 2" in next(v for v in table if v.data == "all" and "than ls-bmrm" in v.claim).numbers
    )


def test_a_claim_on_every_set_fails_on_one():
    runs = [replace(run, data="one") for run in of_speed(**SPEEDS)]
    runs += [replace(run, data="two") for run in of_speed(**{**SPEEDS, "ls_bmrm": 5})]
    rows = {v.data: v.answer for v in claims.verdicts(made(runs)) if v.claim == BY_ITERATIONS[0].sentence}
    assert rows == {"one": "confirmed", "two": "refuted", "all": "refuted"}


def test_stand_ins_are_named_and_are_not_the_sets_of_the_paper():
    experiment = made([made_run("adult9", "pegasos-n", lambda t: 10 + 0 * t)])
    facts = replace(experiment.data["adult9"], stand_in_for="adult9")
    table = claims.verdicts(replace(experiment, data={"adult9": facts}))
    assert not any("diverges" in verdict.claim for verdict in table)
    assert {verdict.data for verdict in table} == {facts.title}


def test_an_empty_experiment_has_no_verdicts_and_failed_runs_are_undecided():
    assert claims.verdicts(made([])) == []
    failed = [replace(made_run(DATA, name, count=0), status="It failed.") for name in PAPER]
    assert {verdict.answer for verdict in claims.verdicts(made(failed))} == {"undecided"}


def test_claims_are_discovered_in_the_order_of_the_paper():
    found = claims.claims()
    assert len({claim.sentence for claim in found}) == len(found)
    assert found[0].reference == "Section 5, Results, paragraph 2, sentence 2"
    assert found[-1].reference.startswith("Appendix D")
