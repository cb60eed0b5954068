"""Counts of tokens, sequences and chunks: against conlleval's rules tag by tag, and against seqeval."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pragam.sequences import ChunkScore, chunk_scores, evaluate

TAGS = ["O", "B-x", "I-x", "B-y", "I-y", "B-x-z", "I-x-z"]
sentences = st.lists(st.lists(st.tuples(st.sampled_from(TAGS), st.sampled_from(TAGS)), min_size=1, max_size=8),
                     min_size=1, max_size=5)  # fmt: skip


def chunks(tags):
    """conlleval's startOfChunk and endOfChunk, one tag after the other."""
    found, begin = set(), None
    before, kind_before = "O", ""
    for t, tag in enumerate([*tags, "O"]):
        prefix, _, kind = tag.partition("-")
        ends = before != "O" and (prefix in "BO" or kind != kind_before)
        starts = prefix == "B" or (prefix == "I" and (before == "O" or kind != kind_before))
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
    assert scores[""] == ChunkScore(right, predicted, true)
    assert tuple(sum(column) for column in zip(*list(scores.values())[1:], strict=True)) in (
        (right, predicted, true),
        (),
    )


def test_agrees_with_seqeval():
    metrics = pytest.importorskip("seqeval.metrics", reason="seqeval, a peer, is not installed")
    rng = np.random.default_rng(0)
    for _ in range(20):
        lengths = rng.integers(1, 12, 30)
        true, predicted = (rng.choice(TAGS[:5], lengths.sum()) for _ in range(2))
        where = rng.random(len(true)) < 0.6
        predicted[where] = true[where]
        parts = [[part.tolist() for part in np.split(tags, np.cumsum(lengths)[:-1])] for tags in (true, predicted)]
        scores = chunk_scores(true, predicted, lengths)
        assert scores[""].f1 == pytest.approx(metrics.f1_score(*parts), abs=1e-12)
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
    assert (found.chunks[""].precision, found.chunks[""].recall, found.chunks[""].f1) == (0.0, 0.0, 0.0)
    assert found.to_dict()["chunks"]["all"]["true"] == 1


@pytest.mark.parametrize("arguments", [(["a"], ["a", "b"]), ([], []), (["a"], ["a"], [2]), (["a"], ["a"], [1, 0])])
def test_refuses_what_does_not_fit(arguments):
    with pytest.raises(ValueError, match=r"true and predicted|lengths"):
        evaluate(*arguments)
