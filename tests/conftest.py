"""Settings of the whole suite."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from marks import marks_of
from strict_skips import StrictSkips, expected

# Where a verdict must not depend on luck, the same examples every time; elsewhere new ones, to find more.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("dev", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

# No test uses the network. Those of downloads have a server of their own.
os.environ.setdefault("PRAGAM_OFFLINE", "1")

# Real data may lie beside the checkout. Tests that need them are skipped where there are none.
_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
if _BESIDE.is_dir():
    os.environ.setdefault("PRAGAM_DATA", str(_BESIDE))

# A script's background jobs ignore Ctrl-C, and so do all their children: a test that sends it would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    # Under xdist the reports of all workers come to the controller, so it alone judges them.
    if os.environ.get("PRAGAM_STRICT_SKIPS") == "1" and not hasattr(config, "workerinput"):
        config.pluginmanager.register(StrictSkips(expected()), "strict skips")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for name in marks_of(item.nodeid):
            item.add_marker(name)
