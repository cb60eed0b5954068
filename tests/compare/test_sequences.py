"""Comparisons on sequences: who takes part, what is measured, and CRFsuite's model in our order of weights."""

from __future__ import annotations

import numpy as np
import pytest

from pragam import compare, datasets
from pragam.compare import peers
from pragam.compare.claims import verdicts
from pragam.compare.data import load as load_rows
from pragam.compare.data import prepare, save
from pragam.compare.problems import CHAIN
from pragam.compare.sequences import SequenceJudge, SequenceLabels, chain_problem

HAS_CRFSUITE = peers.is_installed(peers.by_name("crfsuite"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A data folder with sixteen words of five labels, in two folds."""
    rng, path = np.random.default_rng(0), tmp_path_factory.mktemp("data")
    lengths = rng.integers(1, 6, 16)
    y = rng.integers(0, 5, int(lengths.sum()))
    X = (rng.random((len(y), 128)) < 0.1 + 0.6 * (np.arange(128) % 5 == y[:, None])).astype(np.uint8)
    (path / "structured").mkdir()
    np.savez(
        path / "structured" / "letters_ocr_taskar.npz",
        X=np.packbits(X, axis=1), y=y.astype(np.uint8), length=lengths, fold=np.arange(16) % 2,
    )  # fmt: skip
    return path


@pytest.fixture(scope="module")
def experiment(folder, tmp_path_factory):
    """On words and on rows, both, so that everybody meets what he does not take."""
    solvers = ["flow-ascent", "pragam", "dcd", "liblinear", *(["crfsuite"] if HAS_CRFSUITE else [])]
    return compare.run(
        ["ocr-letters", "example"], solvers, folder=tmp_path_factory.mktemp("out"), quick=True, seconds=60.0,
        max_iter=150, tol=1e-2, lam=5.0, data_dir=str(folder),
    )  # fmt: skip


def test_our_solvers_are_certified_on_sequences(experiment):
    facts = experiment.data["ocr-letters"]
    assert facts.sequences == 8 and facts.d == 129 and "8 sequences" in facts.caption
    for name in ("flow-ascent", "pragam"):
        run = experiment.run("ocr-letters", name)
        assert run.problem == CHAIN and run.has_points, run.status
        assert np.isfinite(run.primal).all() and (run.accuracy[-1:] > 0).all()
    assert experiment.run("ocr-letters", "flow-ascent").gap[-1] <= 1e-2
    assert "dcd" in experiment.run("ocr-letters", "dcd").status
    assert (experiment.data["ocr-letters"].name, CHAIN) in experiment.references


def test_nobody_meets_data_that_he_does_not_take(experiment):
    assert experiment.run("ocr-letters", "liblinear") is None
    assert experiment.run("example", "crfsuite") is None
    assert experiment.run("example", "liblinear").has_points
    assert {verdict.data for verdict in verdicts(experiment)} == {"example"}


@pytest.mark.skipif(not HAS_CRFSUITE, reason="python-crfsuite is not installed")
def test_crfsuite_has_an_accuracy_and_no_j(experiment):
    run = experiment.run("ocr-letters", "crfsuite")
    assert run.has_points and run.iteration.tolist() == sorted(run.iteration)
    assert np.isnan(run.primal).all() and run.accuracy[-1] > 1 / 5


def test_sequences_are_laid_out_and_read_back(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("PRAGAM_DATA", str(folder))
    with pytest.warns(UserWarning, match="not the file on record"):
        prepared = prepare("ocr-letters")
    save(prepared, tmp_path)
    X, y, X_test, y_test = load_rows(tmp_path)
    assert np.array_equal(X, prepared.X) and np.array_equal(X_test, prepared.X_test)
    for one, two in ((y, prepared.y), (y_test, prepared.y_test)):
        assert np.array_equal(one.labels, two.labels) and np.array_equal(one.lengths, two.lengths) and one.K == 26
    assert len(y.first(3)) == y.lengths[:3].sum()


def test_an_unknown_set_of_sequences_is_named():
    with pytest.raises(ValueError, match="'words'"):
        datasets.load_sequences("words")


def test_crfsuites_weights_label_as_its_own_tagger_does(tmp_path):
    crfsuite = pytest.importorskip("pycrfsuite")
    rng = np.random.default_rng(1)
    y = SequenceLabels(rng.integers(0, 3, 40), np.array([1, 4, 5] * 4), 3)
    X = rng.standard_normal((40, 4)) + np.eye(3, 4)[y.labels]
    peer = peers.by_name("crfsuite")
    trainer, shape = peer.convert(X, y)
    fitted = peer.fit(trainer, shape, 1.0, False, 20, peer.tightest)
    assert 1 <= fitted.n_iter <= 20
    judge = SequenceJudge(chain_problem(X, y, 1.0), X, y)
    trainer.train(str(tmp_path / "model"))
    tagger, first, right = crfsuite.Tagger(), 0, 0
    tagger.open(str(tmp_path / "model"))
    for length in y.lengths.tolist():
        words = [{str(j): float(v) for j, v in enumerate(row)} for row in X[first : first + length]]
        right += sum(
            int(k) == true for k, true in zip(tagger.tag(words), y.labels[first : first + length], strict=True)
        )
        first += length
    assert judge.accuracy(fitted.w()) == right / 40
