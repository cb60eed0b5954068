"""The documentation runs: Python and shell blocks of README.md and docs/, the examples, links and tables."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import pragam
from pragam import estimators
from printed import ROOT, blocks, environment, needs_bash, run_shell

INDEX = ROOT / "docs" / "index.md"
PAGES = [ROOT / "README.md", *(page for page in sorted((ROOT / "docs").glob("*.md")) if page != INDEX)]
PROSE = [*PAGES, INDEX, *(ROOT / name for name in ("CONTRIBUTING.md", "NOTATION.md", "CHANGELOG.md", "SECURITY.md"))]
#: What the code of a page needs beside the extra `test`.
NEEDS = {"onnx.md": ("onnx", "skl2onnx", "onnxruntime")}
#: What only the last blocks of a page need: those before them run in any case.
NEEDED_LAST = ("mapie",)
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def run_page(page: Path) -> None:
    """Execute the Python blocks of a page in order, in one namespace."""
    namespace = {"__name__": "__main__"}
    for block in blocks(page, "python"):
        for package in NEEDED_LAST:
            if f"from {package}." in block:
                pytest.importorskip(package, reason=f"{package} is not installed")
        exec(compile(block, str(page), "exec"), namespace)


def id_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=id_of)
def test_python_blocks_run(page, tmp_path, monkeypatch):
    for package in NEEDS.get(page.name, ()):
        pytest.importorskip(package, reason=f"{package} is not installed")
    monkeypatch.chdir(tmp_path)
    assert blocks(page, "python")
    run_page(page)


def test_a_block_that_fails_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("Text.\n\n```python\nx = 1\n```\n\n```python\nassert x == 2\n```\n")
    with pytest.raises(AssertionError) as failure:
        run_page(page)
    assert failure.traceback[-1].lineno + 1 == 8


@needs_bash
@pytest.mark.parametrize("page", PAGES, ids=id_of)
def test_shell_blocks_run(page, tmp_path):
    commands = "\n".join(block for block in blocks(page, "sh") if "pip install" not in block)
    done = run_shell(commands, tmp_path)
    assert done.returncode == 0, done.stderr
    if page.name == "command-line.md":
        assert "exit status 3" in done.stdout and (tmp_path / "rough.model").exists()


@pytest.mark.parametrize("example", EXAMPLES, ids=id_of)
def test_examples_run(example, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example)], cwd=tmp_path, env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout and not done.stderr


@pytest.mark.parametrize("page", PROSE, ids=id_of)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if target.startswith("https://"):
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        assert file.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in [re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles], target


def test_readme_has_exactly_the_two_install_commands():
    lines = [line for line in PAGES[0].read_text(encoding="utf-8").splitlines() if line.startswith("pip install")]
    assert lines == ["pip install . && pragam train", "pip install '.[test]' && pytest"]


def test_readme_and_the_index_have_the_same_table_of_models():
    """Every estimator is in it."""
    tables = []
    for page in (PAGES[0], INDEX):
        _, head, rest = page.read_text(encoding="utf-8").partition("| y | estimator | what it minimises |\n")
        tables.append(head + rest.partition("\n\n")[0])
    assert tables[0] == tables[1]
    named = set(re.findall(r"`(\w+)`", tables[0]))
    assert set(estimators.__all__) <= named


def test_all_solvers_are_listed():
    page = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    table = page.partition("### All of them")[2].partition("\n### ")[0]
    assert sorted(re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)) == sorted(pragam.solvers.names())


def test_every_status_is_explained():
    page = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    assert all(re.search(rf"^\|.*\b{status.name}\b", page, re.MULTILINE) for status in pragam.Status)


def test_every_exit_status_is_documented():
    from pragam.cli import status as cli

    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)}
    assert documented == {
        cli.CERTIFIED, cli.FALSE, cli.BAD_INPUT, cli.NOT_CERTIFIED, cli.ABORTED, cli.BROKEN_PIPE,
    }  # fmt: skip


def test_the_index_names_every_page():
    named = re.findall(r"\]\(([a-z_-]+\.md)\)", INDEX.read_text(encoding="utf-8"))
    assert set(named) == {page.name for page in PAGES if page.parent == INDEX.parent}
