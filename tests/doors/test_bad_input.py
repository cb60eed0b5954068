"""Bad input of every door: each row of the tables of docs/bad-input.md is run, and says what the table says.

A command prints one line, on standard error, and exits with 2. Neither it nor a line of Python writes a file.
"""

from __future__ import annotations

import re
import shlex

import pytest

from pragam.cli import main
from pragam.patch import __main__ as patch
from printed import ROOT, blocks, needs_bash, needs_docs, run_python, run_shell

PAGE = ROOT / "docs" / "bad-input.md"
_ROW = re.compile(r"^\| `([^`]+)` \| `([^`]+)` \|$", re.MULTILINE)
ROWS = _ROW.findall(PAGE.read_text(encoding="utf-8")) if PAGE.is_file() else []
COMMANDS = [row for row in ROWS if row[0].startswith(("pragam ", "python "))]
LINES = [row for row in ROWS if row not in COMMANDS]

pytestmark = [needs_docs, needs_bash]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of the files that the page makes."""
    folder = tmp_path_factory.mktemp("bad")
    done = run_shell("\n".join(blocks(PAGE, "sh")), folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def unchanged(made, monkeypatch):
    """The working folder, in which no file appears, vanishes or changes."""
    monkeypatch.chdir(made)
    before = _contents(made)
    yield made
    assert _contents(made) == before


def _contents(folder):
    """Of all files; None of a folder."""
    return {str(path): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def test_no_row_of_a_table_is_overlooked():
    """Each begins with a code that is a command or a line of Python; headings and rules are the others."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    others = [line for line in lines if not _ROW.match(line)]
    assert len(others) == 2 * others.count("|---|---|") and len(ROWS) == len(lines) - len(others)
    doors = {"train", "tune", "predict", "certify", "show", "audit", "pack", "compare", "-m"}
    assert {shlex.split(command)[1] for command, _ in COMMANDS} == doors
    assert any(".onnx" in line for line, _ in LINES) and any("ChainSVC" in line for line, _ in LINES)


@pytest.mark.parametrize(("command", "said"), COMMANDS)
def test_a_command_says_so_in_one_line_and_exits_with_2(command, said, unchanged, capsys):
    words = shlex.split(command)
    try:
        status = patch.main(words[3:]) if words[0] == "python" else main(words[1:])
    except SystemExit as error:  # argparse
        status = error.code
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert err.startswith(said) and err.count("\n") == 1 and err.endswith("\n")


@pytest.mark.parametrize(("line", "said"), LINES)
def test_a_line_of_python_raises_what_names_the_argument(line, said, unchanged):
    if ".onnx" in line:
        pytest.importorskip("onnx", reason="onnx is not installed")
        pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
    names = run_python("\n".join(blocks(PAGE, "python")))
    kind, _, rest = said.partition(": ")
    kinds = {each.__name__: each for each in (TypeError, FileNotFoundError)}
    with pytest.raises(kinds.get(kind, ValueError)) as raised:
        eval(line, names)
    assert str(raised.value).startswith(rest if kind in kinds else said)
