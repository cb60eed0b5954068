"""Every peer solves the problem that it names, obeys its limit, and is found by being a file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pragam.compare import peers
from pragam.compare.problems import BIASED, CHAIN, HINGE

SCRIPT = Path(__file__).with_name("peer_fits.py")


#: Those of sequences are in test_sequences.py.
OF_ROWS = [name for name in peers.names() if peers.by_name(name).problem != CHAIN]


@pytest.mark.parametrize("name", OF_ROWS)
def test_it_solves_the_problem_that_it_names_and_obeys_its_limit(name):
    """SGD's last iterate, and Snap ML's single precision, come less near."""
    if not peers.is_installed(peers.by_name(name)):
        pytest.skip(f"{peers.by_name(name).package} is not installed")
    done = subprocess.run([sys.executable, str(SCRIPT), name], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    fits = json.loads(done.stdout.splitlines()[-1])
    within = {"sgd": 0.05, "snapml": 1e-4}.get(name, 1e-6)
    for storage in ("sparse", "dense"):
        ratio, _, length = fits[storage]
        assert 1 - 1e-12 <= ratio <= 1 + within and length == 8
    assert fits["few"] == fits["again"]
    ratio, n_iter, _ = fits["few"]
    assert ratio > 1.01 and n_iter in (None, 1)


def test_each_file_is_a_peer():
    files = {path.stem for path in Path(peers.__file__).parent.glob("*.py")} - {"__init__", "base"}
    assert files == set(peers.names())
    for name in peers.names():
        peer = peers.by_name(name)
        assert peer.problem in (HINGE, BIASED, CHAIN) and peer.title and peer.package and peer.tightest < 1e-12


def test_a_peer_that_does_not_exist_is_named():
    with pytest.raises(ValueError, match="'nobody'"):
        peers.by_name("nobody")


def test_svc_needs_a_bias():
    with pytest.raises(ValueError, match="bias"):
        peers.by_name("svc").fit(np.eye(2), np.array([1.0, -1.0]), 1.0, False, 1, 1e-3)
