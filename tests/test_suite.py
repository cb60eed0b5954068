"""The suite's own settings: marks, skips that are expected, Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from marks import MARKS, marks_of
from strict_skips import LIST, expected

TESTS = Path(__file__).resolve().parent
SKIPPING = """
import pytest

def test_here():
    pass

def test_elsewhere():
    pytest.skip("no such thing")

@pytest.mark.xfail
def test_known():
    assert False
"""
STRICT = """
import os
from pathlib import Path
from strict_skips import StrictSkips, expected

def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(StrictSkips(expected(Path("list.txt"))))
"""


@pytest.mark.parametrize("place", sorted({place for places in MARKS.values() for place in places}))
def test_a_mark_is_of_something_that_is_there(place):
    file, _, function = place.partition("::")
    (path,) = (path for path in TESTS.rglob("*.py") if path.as_posix().endswith(f"/{file}"))
    assert not function or re.search(rf"^def {function}\(", path.read_text(encoding="utf-8"), re.MULTILINE)


def test_marks_are_those_of_the_file_and_of_the_function():
    assert marks_of("tests/sequences/test_conll.py::test_any[a/b]") == marks_of("test_conll.py::test_any")
    assert "data" in marks_of("tests/sequences/test_conll.py::test_any[a/b]")
    assert "data" in marks_of("tests/datasets/test_registry.py::test_real_sizes[a9a]")
    assert marks_of("tests/datasets/test_registry.py::test_example") == []


def test_each_expected_skip_has_a_reason():
    lines = [line for line in LIST.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    assert len(expected()) == len(lines) > 0
    assert all(re.fullmatch(r"\S.*: .* \| \S.*", line) for line in lines)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """pytest in a folder, with this suite's helpers and none of its settings."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", "."]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run([*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("workers", [("-p", "no:xdist"), ("-n2",)])
@pytest.mark.parametrize(
    ("listed", "status", "named"),
    [
        ("", 1, ["test_one.py::test_elsewhere: no such thing", "test_two.py: no such module"]),
        ("*: no such thing | it is elsewhere\n", 1, ["test_two.py: no such module"]),
        ("*: no such thing | it is elsewhere\ntest_two.py: * | none\n", 0, []),
    ],
)
def test_a_skip_that_is_not_expected_fails_the_run(tmp_path, workers, listed, status, named):
    (tmp_path / "test_one.py").write_text(SKIPPING)
    (tmp_path / "test_two.py").write_text("import pytest\npytest.importorskip('no_such', reason='no such module')")
    (tmp_path / "conftest.py").write_text(STRICT)
    (tmp_path / "list.txt").write_text(listed)
    done = run(tmp_path, *workers)
    assert done.returncode == status, done.stdout
    assert [line for line in done.stdout.splitlines() if line.startswith("test_")] == named


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_a_child_of_the_suite_can_be_interrupted_though_its_parents_cannot():
    """The settings undo an ignored Ctrl-C for this process, and so for the processes that it starts."""
    child = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    program = f"import subprocess, sys, conftest; subprocess.run([sys.executable, '-c', {child!r}])"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=TESTS, capture_output=True, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )  # fmt: skip
    assert done.stdout == "True\n", done.stderr
