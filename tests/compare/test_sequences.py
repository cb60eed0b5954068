"""Comparisons on sequences: who takes part, what is measured, and CRFsuite's model in our order of weights."""

from __future__ import annotations

from zipfile import ZipFile

import numpy as np
import pytest

from pragam import compare, datasets
from pragam.cli import main
from pragam.compare import peers
from pragam.compare.data import load as load_rows
from pragam.compare.data import prepare, save
from pragam.compare.fold import fold
from pragam.compare.journal import read
from pragam.compare.problems import CHAIN
from pragam.compare.sequences import SequenceJudge, SequenceLabels, chain_problem
from pragam.paper.claims import verdicts

#: Noun phrases as chunks. The other one has a word and a label that do not occur in these.
SENTENCES = ("the D B-NP\ndog N I-NP\nsees V O\na D B-NP\ncat N I-NP", "fish N B-NP\neats V O", "a D B-NP\nfish N I-NP")
SURPRISE = "fish N B-NP\neats V O\nnow R B-ADVP"

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
    with ZipFile(_made(path / "sequence" / "conll2000.zip"), "w") as archive:
        for name, extra in (("train", []), ("test", [SURPRISE])):
            archive.writestr(f"conll2000/{name}.txt", "\n\n".join([*SENTENCES, *extra]) + "\n\n")
    return path


def _made(path):
    path.parent.mkdir()
    return path


@pytest.fixture(scope="module")
def chunks_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("chunks")


@pytest.fixture(scope="module")
def chunks(folder, chunks_folder):
    solvers = ["flow-ascent", *(["crfsuite"] if HAS_CRFSUITE else [])]
    return compare.run(
        ["conll-chunks"], solvers, folder=chunks_folder, quick=True, seconds=60.0, max_iter=150, tol=1e-2, lam=1e-2,
        data_dir=str(folder),
    )  # fmt: skip


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
    assert experiment.run("ocr-letters", "dcd") is None and "dcd" in experiment.unfit["ocr-letters"]
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
        assert "".join(one.names) == "abcdefghijklmnopqrstuvwxyz"
    assert len(y.first(3)) == y.lengths[:3].sum()


def test_the_chunks_are_learned_and_a_label_that_was_not_seen_is_wrong(chunks):
    """Of 12 test tokens and 6 chunks, one is a B-ADVP, which has no weights: what it becomes may be a chunk or none."""
    facts = chunks.data["conll-chunks"]
    assert (facts.sequences, facts.n, facts.n_test) == (3, 9, 12)
    for run in chunks.runs:
        assert run.has_points, run.status
        assert run.accuracy[-1] == pytest.approx(11 / 12)
        assert run.chunk_f1[-1] in (pytest.approx(2 * 5 / (6 + 6)), pytest.approx(2 * 5 / (5 + 6)))
    assert chunks.run("conll-chunks", "flow-ascent").gap[-1] <= 1e-2


def test_the_command_shows_the_f1_of_chunks(chunks, chunks_folder, folder, capsys):
    """The same call again measures nothing, and prints the table."""
    options = ["--quick", "--seconds", "60", "--max-iter", "150", "--tol", "1e-2", "--lam", "1e-2", "--no-page"]
    names = [run.solver for run in chunks.runs]
    folders = ["--data-dir", str(folder), "-o", str(chunks_folder)]
    assert main(["compare", "conll-chunks", *options, *folders, "--solvers", *names]) == 0
    out = capsys.readouterr().out
    assert "chunk F1" in out and f"{chunks.runs[0].chunk_f1[-1]:.4f}" in out


def test_words_and_tags_become_the_features_of_the_default_template(folder, monkeypatch):
    monkeypatch.setenv("PRAGAM_DATA", str(folder))
    with pytest.warns(UserWarning, match="not the file on record"):
        split = datasets.load_sequences("conll-chunks")
        prepared = prepare("conll-chunks")
    assert split.labels == ["B-NP", "I-NP", "O", "B-ADVP"] and split.K == 3
    assert split.train.X[0][:3] == ["the", "dog", "sees"] and split.test.lengths.tolist() == [5, 2, 2, 3]
    X, X_test = prepared.X.toarray(), prepared.X_test.toarray()
    assert (X[:, -1] == 1).all() and (X_test[:, -1] == 1).all() and X.shape[1] == X_test.shape[1]
    assert np.array_equal(X_test[: len(X)], X)
    # "now" and its tag were not seen, nor "fish" and "eats" before a word; the tags N, V and N|V before it were.
    assert X_test[-1].sum() == 1 + 3


def test_without_the_file_a_comparison_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("PRAGAM_DATA", str(tmp_path))
    with pytest.raises(ValueError, match=r"^conll-chunks: no .*sequence/conll2000\.zip"):
        compare.run(["conll-chunks"], ["flow-ascent"], folder=tmp_path / "out", quick=True, data_dir=str(tmp_path))


def test_data_without_chunks_have_no_f1(experiment):
    assert np.isnan(experiment.run("ocr-letters", "flow-ascent").chunk_f1).all()
    assert np.isnan(experiment.run("example", "liblinear").chunk_f1).all()


def test_a_journal_without_the_f1_of_chunks_is_still_read(chunks, chunks_folder):
    """One that was written before this was measured."""
    records = read(chunks_folder / "experiment.jsonl")
    assert any("chunk_f1" in record for record in records)
    before = fold([{key: value for key, value in record.items() if key != "chunk_f1"} for record in records])
    for old, new in zip(before.runs, chunks.runs, strict=True):
        assert np.array_equal(old.accuracy, new.accuracy) and np.isnan(old.chunk_f1).all()


def test_an_unknown_set_of_sequences_is_named():
    with pytest.raises(ValueError, match="'words'"):
        datasets.load_sequences("words")


def test_crfsuites_weights_label_as_its_own_tagger_does(tmp_path):
    crfsuite = pytest.importorskip("pycrfsuite")
    rng = np.random.default_rng(1)
    y = SequenceLabels(rng.integers(0, 3, 40), np.array([1, 4, 5] * 4), 3, "xyz")
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
