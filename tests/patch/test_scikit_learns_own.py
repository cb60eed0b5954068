"""scikit-learn's own tests that name LinearSVC or LinearSVR pass under the patch, but for those of a list with reasons.

python tests/patch/test_scikit_learns_own.py           prints what passed and what failed
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from fnmatch import fnmatchcase
from pathlib import Path

import sklearn

ROOT = Path(sklearn.__file__).parent
EXPECTED = Path(__file__).with_name("expected_failures.txt")
NAMES = re.compile(r"\bLinearSV[CR]\b")


def naming_them() -> list[str]:
    """``file::function``: the function, or a decorator of it, has one of the names; or it uses a helper that has."""
    found = []
    for path in sorted(ROOT.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if NAMES.search(text):
            own = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
            said = {node.name: _source(text, node) for node in own}
            helpers = [name for name, source in said.items() if NAMES.search(source) and not name.startswith("test_")]
            wanted = re.compile("|".join([NAMES.pattern, *(rf"\b{name}\b" for name in helpers)]))
            tests = [name for name, source in said.items() if name.startswith("test_") and wanted.search(source)]
            found += [f"{path.relative_to(ROOT).as_posix()}::{name}" for name in tests]
    return found


def _source(text: str, node: ast.FunctionDef | ast.ClassDef) -> str:
    return "\n".join(ast.get_source_segment(text, each) or "" for each in (*node.decorator_list, node))


def outcomes(report: Path) -> dict[str, str]:
    """The outcome of each case, by ``file::function[case]``."""
    found = {}
    command = [sys.executable, "-m", "pragam.patch", "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider"]
    command += [f"--junitxml={report}", "-o", "junit_family=xunit1", f"--rootdir={ROOT}", *naming_them()]
    quiet = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, **quiet})
    assert done.returncode in (0, 1), done.stdout[-3000:] + done.stderr[-3000:]
    for case in ElementTree.parse(report).iter("testcase"):
        outcome = next((each.tag for each in case if each.tag in ("failure", "error", "skipped")), "passed")
        found[f"{case.get('file')}::{case.get('name')}"] = outcome
    return found


def expected() -> list[str]:
    lines = EXPECTED.read_text(encoding="utf-8").splitlines()
    return [line.partition(" | ")[0] for line in lines if not line.startswith("#")]


def test_they_pass_but_for_the_list(tmp_path):
    found = outcomes(tmp_path / "report.xml")
    failed = [name for name, outcome in found.items() if outcome in ("failure", "error")]
    assert list(found.values()).count("passed") > 200
    assert [name for name in failed if not any(fnmatchcase(name, _literal(each)) for each in expected())] == []
    assert [each for each in expected() if not any(fnmatchcase(name, _literal(each)) for name in failed)] == []


def _literal(pattern: str) -> str:
    """Brackets are those of a case."""
    return pattern.replace("[", "[[]")


if __name__ == "__main__":
    for name, outcome in sorted(outcomes(Path("report.xml")).items(), key=lambda each: each[1]):
        print(f"{outcome:8} {name}")
