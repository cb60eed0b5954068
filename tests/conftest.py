"""Settings of the whole suite."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from hypothesis import settings

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
