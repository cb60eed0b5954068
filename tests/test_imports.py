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

#: What each room may import of the package, beside itself.
CORE = {
    "_kernels": set(),
    "runtime": set(),
    "numerics": {"_kernels"},
    "polytopes": {"_kernels", "numerics", "runtime"},
    "engines": {"runtime"},
    "operators": {"_kernels", "engines", "numerics", "runtime"},
    "conjugates": {"numerics", "polytopes"},
    "problem": {"conjugates", "numerics", "operators", "polytopes"},
    "views": {"numerics", "operators", "polytopes", "problem"},
    "risks": {"conjugates", "numerics", "operators", "polytopes", "problem"},
    "structured": {"_kernels", "conjugates", "numerics", "operators", "polytopes", "problem", "risks", "runtime"},
    "solvers": {
        "_kernels", "engines", "numerics", "operators", "polytopes", "problem", "runtime", "structured", "views",
    },
    "certificate": {"conjugates", "numerics", "operators", "polytopes", "problem", "runtime"},
    "driver": {
        "certificate", "engines", "files", "numerics", "operators", "polytopes", "problem", "runtime", "solvers",
        "views",
    },
    "samples": {"numerics", "operators", "structured"},
    "files": {"_kernels", "numerics", "samples", "structured"},
    "packed": {"_kernels", "engines", "files", "models", "numerics", "operators", "runtime"},
    "datasets": {"files", "runtime"},
    "sequences": {"files", "numerics", "operators", "problem", "structured"},
    "models": {
        "certificate", "driver", "files", "numerics", "operators", "problem", "risks", "runtime", "samples",
        "sequences", "structured",
    },
    "selection": {
        "certificate", "driver", "models", "numerics", "operators", "problem", "risks", "runtime", "samples",
        "sequences",
    },
    "__init__": {"certificate", "driver", "polytopes", "problem", "risks", "solvers", "structured"},
}  # fmt: skip
#: The rooms above, which nothing in CORE may import. Each may import CORE and those before it; so `compare` and
#: `report` know nothing of the paper, whose reproduction uses them.
ABOVE = (
    "io", "tuning", "auditing", "compare", "report", "plot", "estimators", "distributed", "patch", "onnx", "paper",
    "theory", "cli", "__main__",
)  # fmt: skip
#: An independent judge uses nothing of what it judges: beside itself, NumPy and the standard library alone.
ALONE = ("certificate/exact",)


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
        elif module.startswith("pragam.") and module != "pragam.numerics.vector":  # a type, which everybody may use
            yield module.split(".")[1]


@pytest.mark.parametrize("room", sorted({part_of(path) for path in FILES}))
def test_direction(room):
    assert room in CORE or room in ABOVE, f"{room} has no place in the order of imports: add it to this test"
    for path in (path for path in FILES if part_of(path) == room):
        rooms = set(parts_imported(path)) - {room}
        if room in CORE:
            assert rooms <= CORE[room], f"{path}: {room} may not import {sorted(rooms - CORE[room])}"
        else:
            assert "_kernels" not in rooms, f"{path} must use the public API"
            later = rooms & set(ABOVE[ABOVE.index(room) :])
            assert not later, f"{path}: {room} may not import {sorted(later)}"


@pytest.mark.parametrize("package", ALONE)
def test_a_judge_stands_alone(package):
    files, own = sorted((ROOT / package).rglob("*.py")), f"pragam.{package.replace('/', '.')}"
    assert files, f"{package} has no files"
    for path in files:
        modules = {module for module, _ in imported(path) if module != own and not module.startswith(f"{own}.")}
        others = {m for m in modules if m.split(".")[0] not in {*sys.stdlib_module_names, "numpy"}}
        assert not others, f"{path} must stand alone, and imports {sorted(others)}"


@pytest.mark.parametrize("path", sorted((ROOT / "solvers").rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_a_solver_owns_no_clock_no_printer_and_no_certificate(path):
    modules = {module.split(".")[0] for module, _ in imported(path)}
    assert not modules & {"time", "datetime", "logging", "rich", "sklearn"}
    names = {node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)}
    assert not names & {"print", "certify", "certify_primal", "certify_dual"}


def test_only_the_estimators_import_scikit_learn():
    """And what stands in their place there; the example data set and the peers that are scikit-learn's; kernels."""
    users = {p for p in FILES if any(module.split(".")[0] == "sklearn" for module, _ in imported(p))}
    rooms = ROOT / "compare" / "peers", ROOT / "structured" / "kernels"
    others = {p for p in users if part_of(p) not in ("estimators", "patch") and p.parent not in rooms}
    assert {str(p.relative_to(ROOT)) for p in others} <= {"datasets/registry.py"}


@pytest.mark.parametrize(
    "path",
    sorted(path for room in ("compare/peers", "structured/kernels") for path in (ROOT / room).glob("*.py")),
    ids=lambda p: str(p.relative_to(ROOT)),
)
def test_peers_and_kernels_import_their_packages_in_functions_alone(path):
    tops = (node for node in ast.parse(path.read_text()).body if isinstance(node, ast.Import | ast.ImportFrom))
    names = {name for node in tops for name in (getattr(node, "module", None), *(alias.name for alias in node.names))}
    assert not {str(name).split(".")[0] for name in names} & {"sklearn", "rehline", "skglm", "snapml"}


def test_what_is_loaded_at_first_use_is_a_module_too():
    """``pragam.theory`` is one object, as an attribute, by import and in sys.modules, in whatever order it is asked."""
    program = """
import sys, pragam
from pragam.plot import gap
from pragam.theory import run
import pragam.theory, pragam.plot, pragam.compare, pragam.report, pragam.datasets
for name in ("theory", "plot", "compare", "report", "datasets"):
    assert getattr(pragam, name) is sys.modules[f"pragam.{name}"], name
assert pragam.theory.run is run and pragam.plot.gap is gap
"""
    first = {f"import pragam; pragam.{name}\n" for name in ("theory", "plot")}
    for begin in ("", *sorted(first)):
        subprocess.run([sys.executable, "-c", begin + program], check=True)


def test_importing_pragam_is_light():
    heavy = ("sklearn", "matplotlib", "dask", "distributed", "rich", "safetensors", "pandas", "onnx")
    program = f"import sys, pragam; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
