"""Counts of tokens, sequences and chunks: against conlleval's rules tag by tag, and against seqeval."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pragam import ChainSVC
from pragam.sequences import ChunkScore, chunk_scores, evaluate

TAGS = ["O", "B-x", "I-x", "B-y", "I-y", "B-x-z", "I-x-z", "E-x", "S-x", "E-y"]
sentences = st.lists(st.lists(st.tuples(st.sampled_from(TAGS), st.sampled_from(TAGS)), min_size=1, max_size=8),
                     min_size=1, max_size=5)  # fmt: skip


def chunks(tags):
    """conlleval's startOfChunk and endOfChunk, one tag after the other, with those of its E and S."""
    found, begin = set(), None
    before, kind_before = "O", ""
    for t, tag in enumerate([*tags, "O"]):
        prefix, _, kind = tag.partition("-")
        ends = before != "O" and (prefix in "BSO" or before in "ES" or kind != kind_before)
        starts = prefix in "BS" or (prefix in "IE" and (before in "OES" or kind != kind_before))
        if ends:
            found.add((begin, t, kind_before))
        if starts:
            begin = t
        before, kind_before = prefix, kind
    return found


def flat(pairs):
    true, predicted = zip(*(pair for sentence in pairs for pair in sentence), strict=True)
    return list(true), list(predicted), [len(sentence) for sentence in pairs]


@given(sentences)
def test_chunks_are_counted_as_conlleval_counts_them(pairs):
    scores = chunk_scores(*flat(pairs))
    right = predicted = true = 0
    for sentence in pairs:
        gold, guess = (chunks(tags) for tags in zip(*sentence, strict=True))
        right, predicted, true = right + len(gold & guess), predicted + len(guess), true + len(gold)
    assert scores["all"] == ChunkScore(right, predicted, true)
    assert tuple(sum(column) for column in zip(*list(scores.values())[1:], strict=True)) in (
        (right, predicted, true),
        (),
    )


def test_agrees_with_seqeval():
    metrics = pytest.importorskip("seqeval.metrics", reason="seqeval, a peer, is not installed")
    rng = np.random.default_rng(0)
    for seed in range(20):
        lengths = rng.integers(1, 12, 30)
        tags = TAGS[:5] if seed % 2 else [tag for tag in TAGS if "z" not in tag]
        true, predicted = (rng.choice(tags, lengths.sum()) for _ in range(2))
        where = rng.random(len(true)) < 0.6
        predicted[where] = true[where]
        parts = [[part.tolist() for part in np.split(tags, np.cumsum(lengths)[:-1])] for tags in (true, predicted)]
        scores = chunk_scores(true, predicted, lengths)
        assert scores["all"].f1 == pytest.approx(metrics.f1_score(*parts), abs=1e-12)
        report = metrics.classification_report(*parts, output_dict=True, zero_division=0)
        for kind in ("x", "y"):
            assert scores[kind].precision == pytest.approx(report[kind]["precision"], abs=1e-12)
            assert scores[kind].recall == pytest.approx(report[kind]["recall"], abs=1e-12)
            assert scores[kind].true == report[kind]["support"]


def test_accuracy_confusion_and_whole_sequences():
    found = evaluate(["a", "b", "b", "c"], ["a", "b", "c", "c"], [2, 1, 1])
    assert (found.accuracy, found.sequence_accuracy, found.n_sequences) == (0.75, 2 / 3, 3)
    assert found.labels == ["a", "b", "c"] and found.confusion.tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
    assert found.chunks == {}
    assert evaluate([1, 2], [1, 1]).accuracy == 0.5


def test_nothing_found_scores_zero_and_json_holds_it():
    found = evaluate(["B-x", "O"], ["O", "O"])
    assert (found.chunks["all"].precision, found.chunks["all"].recall, found.chunks["all"].f1) == (0.0, 0.0, 0.0)
    assert found.to_dict()["chunks"]["all"]["true"] == 1


@pytest.mark.parametrize("arguments", [(["a"], ["a", "b"]), ([], []), (["a"], ["a"], [2]), (["a"], ["a"], [2, -1])])
def test_refuses_what_does_not_fit(arguments):
    with pytest.raises(ValueError, match=r"true and predicted|lengths"):
        evaluate(*arguments)


def test_lists_of_sequences_are_the_same_as_labels_in_a_row():
    true, predicted = [["B-x", "I-x"], [], ["O"], ["B-x"]], [["B-x", "O"], [], ["O"], ["B-x"]]
    row = evaluate(["B-x", "I-x", "O", "B-x"], ["B-x", "O", "O", "B-x"], [2, 0, 1, 1])
    for own in (predicted, [np.array(part, dtype=str) for part in predicted], tuple(map(tuple, predicted))):
        assert evaluate(true, own).to_dict() == row.to_dict()
    assert row.n_sequences == 3 and row.sequence_accuracy == 2 / 3


@pytest.mark.parametrize(
    ("true", "predicted", "lengths", "text"),
    [
        ([["a"]], [["a"], ["b"]], None, "as many sequences, not 1 and 2"),
        ([["a"], ["b"]], [["a"], ["b", "b"]], None, "sequence 1: true and predicted have 1 and 2 labels"),
        ([["a"]], ["a"], None, "both be lists of sequences"),
        ([["a"]], [["a"]], [1], "without lengths"),
        ([[]], [[]], None, "labels of as many tokens"),
        ("a", "a", None, "labels of as many tokens"),
    ],
)
def test_refuses_lists_that_do_not_fit(true, predicted, lengths, text):
    with pytest.raises(ValueError, match=text):
        evaluate(true, predicted, lengths)


def test_what_a_model_predicts_is_evaluated_as_it_is():
    X, y = [np.eye(2)[[0, 1, 1]], np.eye(2)[[1]]], [["B-x", "O", "O"], ["O"]]
    found = evaluate(y, ChainSVC(lam=1e-3).fit(X, y).predict(X))
    assert (found.accuracy, found.n_sequences, found.chunks["all"]) == (1.0, 2, ChunkScore(1, 1, 1))


def test_the_name_of_all_chunks():
    found = evaluate(["B-all", "B", "O"], ["B-all", "O", "O"]).chunks
    assert found == {"all": ChunkScore(1, 1, 2), "-all": ChunkScore(1, 1, 1)}
    assert found[""] == found["all"]
    with pytest.raises(KeyError):
        found["none"]
    with pytest.raises(KeyError):
        evaluate(["a"], ["b"]).chunks[""]


def test_its_text_has_the_tables():
    lines = str(evaluate(["B-x", "I-x", "O", "S-y"], ["B-x", "O", "O", "S-y"])).splitlines()
    assert lines[:2] == ["tokens     75.00 % of 4 right", "sequences  0.00 % of 1 right"]
    cells = [line.split() for line in lines]
    assert ["all", "50.00", "50.00", "50.00", "1", "2", "2"] in cells and cells[-1] == ["I-x", "O", "1"]
    assert "chunks" not in str(evaluate(["a"], ["b"])) and len(str(evaluate(["a"], ["a"])).splitlines()) == 2
