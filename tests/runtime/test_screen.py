"""One line that changes: drawn on a terminal, silent elsewhere, and what is said stays."""

from __future__ import annotations

import io
import logging

import pragam
from pragam.runtime.screen import Screen


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_where_nobody_watches_nothing_is_shown_and_what_is_said_stays():
    stream = io.StringIO()
    with Screen(stream) as screen:
        assert not screen.is_live
        assert list(screen.track("abc", "letters", 3)) == ["a", "b", "c"]
        screen.show("working", 1, 2)
        screen.say("a note [1 of 2]")
        screen.close("the end")
    assert stream.getvalue() == "a note [1 of 2]\nthe end\n"


def test_on_a_terminal_the_line_is_replaced(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    stream = Terminal()
    with Screen(stream) as screen:
        assert screen.is_live
        screen.show("first [bold]", 1, 2)
        screen.say("a note that stays")
        screen.show("second", 12_345)
        screen.close("the end")
    shown = stream.getvalue()
    assert "first [bold] " + "━" * 12 + "─" * 12 + " 1 of 2" in shown  # no markup
    assert "\x1b[2K" in shown and "a note that stays\n" in shown  # the line is erased, and drawn again below
    assert shown.endswith("the end\n") and "\x1b[?25h" in shown  # the cursor is back


def test_a_failure_leaves_no_line(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    try:
        with Screen(stream) as screen:
            screen.show("working")
            raise ValueError
    except ValueError:
        screen.say("after it")
    assert stream.getvalue().endswith("after it\n")


def test_the_logger_hears_what_is_shown(caplog):
    with caplog.at_level(logging.DEBUG, logger="pragam"), Screen(quiet=True) as screen:
        screen.show("working", 1, 2)
        screen.say("a note")
        screen.close("the end")
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("DEBUG", "working 1 of 2"), ("INFO", "a note"), ("INFO", "the end"),
    ]  # fmt: skip


def test_a_fit_is_logged_where_somebody_reads_the_log_and_printed_where_it_is_verbose(caplog, capsys):
    X, y = pragam.datasets.load_example()
    pragam.LinearSVC().fit(X, y)
    assert not caplog.records
    with caplog.at_level(logging.INFO, logger="pragam"):
        pragam.LinearSVC().fit(X, y)
    (said,) = {record.getMessage() for record in caplog.records}
    assert "relative gap" in said and not capsys.readouterr().err
    pragam.LinearSVC(verbose=1).fit(X, y)
    assert "relative gap" in capsys.readouterr().err
