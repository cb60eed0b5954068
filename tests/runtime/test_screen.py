"""One line that changes: drawn on a terminal, silent elsewhere, and what is said stays."""

from __future__ import annotations

import io

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
