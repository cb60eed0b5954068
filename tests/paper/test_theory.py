"""The statements of pragam.theory, all of them, and the machinery that runs them."""

from __future__ import annotations

import inspect
import re
from dataclasses import FrozenInstanceError, replace
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from pragam import theory
from pragam.paper import theory as paper_theory
from pragam.paper.theory import Check
from pragam.paper.theory._check import worst
from pragam.paper.theory._trace import trace
from pragam.risks import hinge
from pragam.solvers import LsBmrm, Pegasos1, PegasosN, Pragam, QpBmrm

SECTIONS = ["Problem", "Algorithm", "Guarantee", "Source", "Tight", "Corrected"]


@cache
def checks_of(name):
    return theory.run([name])


@pytest.fixture(scope="module")
def checks():
    return [check for name in theory.names() for check in checks_of(name)]


@pytest.mark.parametrize("name", theory.names())
def test_statement_holds(name):
    checks = checks_of(name)
    assert checks
    assert [check for check in checks if not check.holds] == []


def test_names_of_checks_are_unique_and_begin_with_their_file(checks):
    names = [check.name for check in checks]
    assert len(set(names)) == len(names)
    assert {name.split(".")[0] for name in names} == set(theory.names())


def test_records_are_complete(checks):
    for check in checks:
        assert check.relation in ("==", "<=", ">=")
        assert check.statement.endswith(".") and check.reference
        assert type(check.measured) is float and type(check.bound) is float
        assert 0 <= check.tolerance <= 1e-9


def test_every_check_can_fail(checks):
    """Move the bound to the wrong side of what was measured: no check may still hold."""
    for check in checks:
        margin = 1e-6 * max(abs(check.measured), abs(check.bound)) or 1e-6
        wrong = check.measured + (margin if check.relation == ">=" else -margin)
        assert not replace(check, bound=wrong).holds, check.name


def test_run_is_deterministic(checks):
    assert theory.run(["pragam_rate"]) == [check for check in checks if check.name.startswith("pragam_rate.")]


@pytest.mark.parametrize("name", theory.names())
def test_docstring_has_exactly_the_sections(name):
    text = inspect.getdoc(import_module(f"pragam.paper.theory.{name}"))
    assert re.findall(r"^(\w+):\s+\S", text, flags=re.MULTILINE) == SECTIONS


def test_discovery_finds_every_file():
    files = {path.stem for path in Path(paper_theory.__file__).parent.glob("[!_]*.py")}
    assert set(theory.names()) == files


def test_unknown_name_is_refused():
    with pytest.raises(ValueError, match="no_such_theorem"):
        theory.run(["no_such_theorem"])


@pytest.mark.parametrize(
    ("measured", "bound", "relation", "holds"),
    [
        (1.0, 1.0, "==", True),
        (1.0 + 1e-10, 1.0, "==", True),
        (1.0 + 1e-8, 1.0, "==", False),
        (1.0 - 1e-8, 1.0, "==", False),
        (1.0, 2.0, "<=", True),
        (2.0, 1.0, "<=", False),
        (2.0, 1.0, ">=", True),
        (1.0, 2.0, ">=", False),
        (1e-20, 2e-20, "==", False),
        (-3.0, -2.0, "<=", True),
        (-2.0, -3.0, "<=", False),
        (1e-10, 0.0, "<=", True),
        (1e-8, 0.0, "<=", False),
        (np.nan, 1.0, "<=", False),
        (np.nan, 1.0, ">=", False),
        (np.inf, 1.0, "<=", False),
    ],
)
def test_holds(measured, bound, relation, holds):
    assert Check("a.b", "A statement.", measured, bound, relation, 1e-9, "A paper").holds is holds


def test_check_is_frozen():
    check = Check("a.b", "A statement.", 1.0, 1.0, "==", 1e-9, "A paper")
    with pytest.raises(FrozenInstanceError):
        check.bound = 2.0


def test_worst_is_the_pair_with_the_least_margin():
    pairs = [(1.0, 2.0), (9.0, 10.0), (0.1, 1.0)]
    assert worst(pairs, "<=") == (9.0, 10.0)
    assert worst(pairs, ">=") == (0.1, 1.0)
    assert worst(pairs, "==") == (0.1, 1.0)
    assert np.isnan(worst([*pairs, (np.nan, 1.0)], "<=")[0])
    with pytest.raises(ValueError, match="at least one"):
        worst([], "<=")


@pytest.mark.parametrize("solver", [QpBmrm(), LsBmrm(), PegasosN(), Pegasos1(), Pragam()])
def test_trace_counts_w0_as_iterate_0(solver):
    rng = np.random.default_rng(0)
    problem = hinge(rng.standard_normal((20, 4)), rng.choice([-1.0, 1.0], 20), lam=0.1, bias=False)
    iterates = list(trace(problem, solver, 5))
    assert [iterate.t for iterate in iterates] == [0, 1, 2, 3, 4, 5]
    assert not iterates[0].w.any()
    assert iterates[1].w.any()
    for iterate in iterates:
        exact = problem.primal(iterate.w)
        assert exact <= iterate.certificate.primal <= exact * (1 + 1e-13)
        exact = problem.dual(iterate.alpha)
        assert exact - 1e-12 * abs(exact) <= iterate.certificate.dual <= exact
