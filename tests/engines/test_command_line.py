"""``pragam train DIR --cluster``."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from killed import lives
from pragam.cli import main


def packed(folder):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 4))
    pragam.pack([(X, np.where(X @ [1, 2, 0, -1] + rng.standard_normal(4000) > 0, 1, -1))], folder, chunk_bytes=10_000)
    return str(folder)


def test_workers_train_the_model_that_one_process_trains(tmp_path, capsys):
    data = packed(tmp_path / "rows")
    words = ["train", data, "--lam", "1e-2", "--tol", "1e-6", "--quiet"]
    assert main([*words, "--cluster", "local:2", "-o", str(tmp_path / "there.model")]) == 0
    assert main([*words, "-o", str(tmp_path / "here.model")]) == 0
    assert "block-newton" in capsys.readouterr().out
    assert main(["certify", str(tmp_path / "there.model"), data]) == 0
    there, here = (pragam.models.load(tmp_path / f"{name}.model") for name in ("there", "here"))
    np.testing.assert_allclose(there.weights()[0], here.weights()[0], atol=1e-2)


def test_a_client_that_is_killed_goes_on_to_the_same_bits(tmp_path, monkeypatch):
    data, kept = packed(tmp_path / "rows"), str(tmp_path / "kept")
    words = ["train", data, "--lam", "1e-3", "--tol", "1e-9", "--quiet", "--cluster", "local:1"]
    assert main([*words, "-o", str(tmp_path / "alone.model")]) == 0
    resumed = [*words, "--checkpoint", kept, "-o", str(tmp_path / "killed.model")]
    code, deaths = lives(monkeypatch, lambda: main(resumed), after=3)
    assert code == 0 and deaths > 1
    alone, killed = (pragam.models.load(tmp_path / f"{name}.model") for name in ("alone", "killed"))
    np.testing.assert_array_equal(alone.weights()[0], killed.weights()[0])
    assert [proof.certificate for proof in alone.proofs] == [proof.certificate for proof in killed.proofs]


def test_what_is_wrong_is_one_line(tmp_path, capsys):
    data = packed(tmp_path / "rows")
    for words, message in (
        (["train", "--cluster", "local:2"], "--cluster is for a packed directory"),
        (["train", data, "--cluster", "local:2", "--memory", "1MB", "--quiet"], "memory is for rows that one process"),
        (["train", data, "--cluster", "local:none"], "--cluster must be local:N with N processes, or an address"),
        (["train", data, "--cluster", "nowhere"], "--cluster nowhere: no Dask scheduler answers"),
    ):
        assert main(words) == 2
        said = capsys.readouterr().err.strip().splitlines()
        assert len(said) == 1 and message in said[0]


def test_no_client_is_made_for_what_is_no_address(tmp_path, capsys, monkeypatch):
    """Its end would take a minute, and a traceback behind the line."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "Client", None)
    assert main(["train", packed(tmp_path / "rows"), "--cluster", "nowhere"]) == 2
    said = capsys.readouterr().err.strip()
    assert said == "pragam: --cluster nowhere: no Dask scheduler answers: missing port number in address 'nowhere'"
