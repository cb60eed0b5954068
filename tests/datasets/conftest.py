"""A server that misbehaves, and the way to it."""

from __future__ import annotations

import faulty_server
import pytest


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("PRAGAM_OFFLINE", "0")
    with faulty_server.running() as running:
        yield running
