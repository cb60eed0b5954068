"""Imports point one way, and ``import pragam`` stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pragam

ROOT = Path(pragam.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))

#: What each part may import of the package, beside itself. "*" is the public API and everything below it.
CORE = {
    "_kernels": set(),
    "arguments": set(),
    "rounding": {"_kernels"},
    "slope_search": set(),
    "vector": set(),  # a type, which everybody may import
    "polytopes": {"_kernels", "arguments", "rounding", "slope_search"},
    "operators": {"_kernels", "interrupts", "rounding", "threads"},
    "conjugates": {"polytopes", "rounding"},
    "problem": {"arguments", "conjugates", "operators", "polytopes"},
    "views": {"operators", "polytopes", "problem"},
    "risks": {"arguments", "conjugates", "operators", "polytopes", "problem"},
    "structured": {
        "_kernels",
        "arguments",
        "conjugates",
        "interrupts",
        "operators",
        "polytopes",
        "problem",
        "rounding",
        "threads",
    },
    "sequences": {"_kernels", "arguments", "datasets", "operators", "problem", "structured", "threads"},
    "solvers": {"_kernels", "operators", "polytopes", "problem", "slope_search", "structured", "threads", "views"},
    "certificate": {"arguments", "operators", "problem", "rounding", "threads"},
    "optimum": {"certificate", "operators", "problem", "rounding"},
    "result": {"certificate", "operators"},
    "threads": set(),
    "exact": set(),  # an independent judge uses nothing of what it judges
    "interrupts": set(),
    "screening": {"certificate", "operators", "optimum", "problem", "rounding", "solvers", "views"},
    "screened": {"certificate", "operators", "problem", "screening", "solvers", "views"},
    "record": {"certificate", "operators", "problem", "result", "solvers"},
    "turn": {"certificate", "interrupts", "problem", "record", "result", "solvers"},
    "solve": {
        "arguments",
        "certificate",
        "interrupts",
        "operators",
        "polytopes",
        "problem",
        "record",
        "result",
        "screened",
        "solvers",
        "threads",
        "turn",
    },
    "progress": {"path", "solve"},
    "path": {"arguments", "problem", "result", "solve", "solve_all", "solvers"},
    "solve_all": {"interrupts", "operators", "problem", "result", "solvers", "threads"},
    "atomic": set(),
    "datasets": {"_kernels", "atomic"},
    "__init__": {"polytopes", "solvers", "certificate", "path", "problem", "result", "risks", "solve", "structured"},
}
#: Nothing below may import these.
ABOVE = {
    "__main__",
    "auditing",
    "cli",
    "compare",
    "distributed",
    "estimators",
    "io",
    "plot",
    "report",
    "theory",
    "tuning",
}


def part_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(path):
    """(module, names) of every import in the file, at any depth."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the direction"
            yield node.module, tuple(alias.name for alias in node.names)


def parts_imported(path):
    """The parts of pragam that the file imports."""
    for module, names in imported(path):
        if module == "pragam":
            yield from names
        elif module.startswith("pragam."):
            yield module.split(".")[1]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_direction(path):
    part = part_of(path)
    parts = set(parts_imported(path)) - {part, "vector"}
    if part in CORE:
        assert parts <= CORE[part], f"{part} may import {sorted(CORE[part])}"
    else:
        assert part in ABOVE, f"{part} has no place in the order of imports: add it to this test"
        assert not parts & {"_kernels"}, f"{part} must use the public API"


@pytest.mark.parametrize("path", sorted((ROOT / "solvers").rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_a_solver_owns_no_clock_no_printer_and_no_certificate(path):
    modules = {module.split(".")[0] for module, _ in imported(path)}
    assert not modules & {"time", "datetime", "logging", "rich", "sklearn"}
    names = {node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)}
    assert not names & {"print", "certify", "certify_primal", "certify_dual"}


def test_only_the_estimators_import_scikit_learn():
    """Apart from the example data set, which is scikit-learn's own, and the peers that are scikit-learn's."""
    users = {p for p in FILES if any(module.split(".")[0] == "sklearn" for module, _ in imported(p))}
    others = {p for p in users if part_of(p) != "estimators" and p.parent != ROOT / "compare" / "peers"}
    assert {str(p.relative_to(ROOT)) for p in others} <= {"datasets/registry.py"}


@pytest.mark.parametrize("path", sorted((ROOT / "compare" / "peers").glob("*.py")), ids=lambda p: p.name)
def test_a_peer_imports_its_package_in_fit_alone(path):
    tops = (node for node in ast.parse(path.read_text()).body if isinstance(node, ast.Import | ast.ImportFrom))
    names = {name for node in tops for name in (getattr(node, "module", None), *(alias.name for alias in node.names))}
    assert not {str(name).split(".")[0] for name in names} & {"sklearn", "rehline", "skglm", "snapml"}


def test_importing_pragam_is_light():
    heavy = ("sklearn", "matplotlib", "dask", "distributed", "rich", "safetensors", "pandas")
    program = f"import sys, pragam; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
