"""With PRAGAM_STRICT_SKIPS=1 a skip that ``skips.txt`` does not expect fails the run: what is skipped is not tested."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import pytest

LIST = Path(__file__).with_name("skips.txt")


def expected(path: Path = LIST) -> list[str]:
    """The patterns of a list: each line is ``pattern | reason``, and # begins a comment."""
    lines = [line.split("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines()]
    return [line.rpartition(" | ")[0].strip() for line in lines if line]


class StrictSkips:
    """Collects the skips that no pattern names, of tests and of whole files. A pattern is of "test: its words"."""

    def __init__(self, patterns: list[str]) -> None:
        self.patterns = patterns
        self.unexpected: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.pytest_runtest_logreport(report)

    def pytest_runtest_logreport(self, report: pytest.CollectReport | pytest.TestReport) -> None:
        if not report.skipped or hasattr(report, "wasxfail"):
            return
        words = report.longrepr[-1] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        skip = f"{report.nodeid}: {words.removeprefix('Skipped: ')}"
        if not any(fnmatchcase(skip, pattern) for pattern in self.patterns):
            self.unexpected.append(skip)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.unexpected and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.unexpected:
            terminalreporter.section("skips that tests/skips.txt does not expect", red=True)
            for skip in sorted(self.unexpected):
                terminalreporter.line(skip)
