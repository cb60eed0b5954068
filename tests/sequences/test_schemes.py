"""Chunks of every scheme, of whole tags and of broken ones: against brute force, and against seqeval.

Two conventions for tags that break the rules of their scheme. Without a name of a scheme they are read as conlleval
reads them, as seqeval does by default. With one they are in no chunk, as with seqeval's mode="strict". Where that mode
differs on broken IOB1, and misses whole chunks of IOE1, is written out here.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pragam.sequences import ChunkScore, chunk_scores, evaluate
from pragam.structured.rules import Rules

LETTERS = {"iob": "BI", "iob1": "BI", "ioe1": "IE", "ioe2": "IE", "bioes": "BIES", "bilou": "BILU"}
#: The letters of a chunk, by the number of its tokens and whether one of its type touches it before and behind.
WRITTEN = {
    "iob": lambda n, before, behind: "B" + "I" * (n - 1),
    "iob1": lambda n, before, behind: ("B" if before else "I") + "I" * (n - 1),
    "ioe1": lambda n, before, behind: "I" * (n - 1) + ("E" if behind else "I"),
    "ioe2": lambda n, before, behind: "I" * (n - 1) + "E",
    "bioes": lambda n, before, behind: "S" if n == 1 else "B" + "I" * (n - 2) + "E",
    "bilou": lambda n, before, behind: "U" if n == 1 else "B" + "I" * (n - 2) + "L",
}


def tags_of(scheme):
    return [*(f"{letter}-{kind}" for letter in LETTERS[scheme] for kind in "xy"), "O"]


def pairs_of(tags):
    """Some sentences of true tags beside predicted ones, which are often the same."""
    one = st.sampled_from(tags)
    pair = st.one_of(st.tuples(one, one), one.map(lambda tag: (tag, tag)))
    return st.lists(st.lists(pair, min_size=1, max_size=6), min_size=1, max_size=3)


def split(pairs):
    """The true sentences, and the predicted ones."""
    return [[[pair[side] for pair in sentence] for sentence in pairs] for side in (0, 1)]


def by_type(found):
    """(right, predicted, true) of each type that has chunks, from sets of (sentence, begin, end, type)."""
    true, predicted = found
    kinds = {chunk[3] for chunk in true | predicted}
    sides = (true & predicted, predicted, true)
    return {kind: ChunkScore(*(sum(chunk[3] == kind for chunk in side) for side in sides)) for kind in kinds}


def ours(true, predicted, scheme):
    flat = [[tag for own in side for tag in own] for side in (true, predicted)]
    scores = chunk_scores(*flat, [len(own) for own in true], scheme)
    total = scores.pop("all")
    assert tuple(total) == tuple(np.sum(list(scores.values()), axis=0)) if scores else total == (0, 0, 0)
    return {kind: score for kind, score in scores.items() if any(score)}


def read(sentence):
    """The chunks (begin, end, type) of tags as conlleval reads them, whatever their scheme."""
    found, last, kind_before = [], "O", ""
    for t, tag in enumerate(sentence):
        letter, _, kind = tag.partition("-")
        letter = {"L": "E", "U": "S"}.get(letter, letter)
        if letter != "O":
            if letter in "BS" or last in "OES" or kind != kind_before:
                found.append([t, t + 1, kind])
            else:
                found[-1][1] = t + 1
        last, kind_before = letter, kind
    return found


def strictly(sentence, scheme):
    """Of these the chunks that the scheme would write so, where chunks of the same type touch them."""
    chunks = read(sentence)
    begins, ends = ({(chunk[side], chunk[2]) for chunk in chunks} for side in (0, 1))
    for begin, end, kind in chunks:
        letters = WRITTEN[scheme](end - begin, (begin, kind) in ends, (end, kind) in begins)
        if "".join(tag[0] for tag in sentence[begin:end]) == letters:
            yield begin, end, kind


@pytest.mark.parametrize("scheme", LETTERS)
@given(data=st.data())
def test_chunks_that_count_are_those_that_the_scheme_would_write_so(scheme, data):
    true, predicted = split(data.draw(pairs_of(tags_of(scheme))))
    for name, chunks in ((None, read), (scheme, lambda sentence: strictly(sentence, scheme))):
        found = [{(i, *chunk) for i, own in enumerate(side) for chunk in chunks(own)} for side in (true, predicted)]
        assert ours(true, predicted, name) == by_type(found)


@pytest.mark.parametrize("scheme", LETTERS)
@given(data=st.data())
def test_tags_that_keep_the_rules_have_the_same_chunks_in_both_conventions(scheme, data):
    tags = tags_of(scheme)
    rules = Rules.named(scheme, tags)
    sentences = []
    for length in data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=3)):
        numbers = [data.draw(st.sampled_from(np.flatnonzero(rules.starts).tolist()))]
        while len(numbers) < length:
            numbers.append(data.draw(st.sampled_from(np.flatnonzero(rules.transitions[numbers[-1]]).tolist())))
        assume(rules.ends[numbers[-1]])
        sentences.append([tags[k] for k in numbers])
    assert ours(sentences, sentences, scheme) == ours(sentences, sentences, None)


@pytest.fixture(scope="module")
def seqeval():
    return pytest.importorskip("seqeval.scheme", reason="seqeval, a peer, is not installed")


def strict_of_seqeval(module, sentences, scheme):
    name = {"iob": "IOB2", "bioes": "IOBES"}.get(scheme, scheme.upper())
    found = module.Entities(sentences, getattr(module, name)).entities
    return {(i, one.start, one.end, one.tag) for i, own in enumerate(found) for one in own}


def is_beyond_seqeval(sentence, scheme):
    """Whether seqeval's strict mode is known to misread a sentence.

    IOB1: an I behind a B that stands at the end of no chunk of its type begins a chunk there; and a chunk that begins
    with B is dropped before a B of another type. IOE1: a chunk of an E alone is not seen, but behind another E.
    """
    for before, tag, behind in zip(["O", *sentence], sentence, [*sentence[1:], "O"], strict=False):
        touches = [other != "O" and other[1:] == tag[1:] for other in (before, behind)]
        if scheme == "iob1" and tag[0] == "B":
            if not touches[0] and touches[1] and behind[0] == "I":
                return True
            if touches[0] and behind[0] == "B" and not touches[1]:
                return True
        if scheme == "ioe1" and tag[0] == "E" and not touches[0] and touches[1]:
            return True
    return False


@pytest.mark.parametrize("scheme", LETTERS)
@given(data=st.data())
def test_strict_counts_are_those_of_seqeval(seqeval, scheme, data):
    drawn = zip(*split(data.draw(pairs_of(tags_of(scheme)))), strict=True)
    kept = [pair for pair in drawn if not any(is_beyond_seqeval(sentence, scheme) for sentence in pair)]
    true, predicted = ([list(pair[side]) for pair in kept] for side in (0, 1))
    found = [strict_of_seqeval(seqeval, side, scheme) for side in (true, predicted)]
    assert ours(true, predicted, scheme) == by_type(found)


@pytest.mark.parametrize("scheme", [scheme for scheme in LETTERS if scheme != "bilou"])  # it reads no L and no U
@given(data=st.data())
def test_lenient_counts_are_those_of_seqeval(seqeval, scheme, data):
    from seqeval.metrics.sequence_labeling import get_entities

    true, predicted = split(data.draw(pairs_of(tags_of(scheme))))
    found = [
        {(i, begin, last + 1, kind) for i, own in enumerate(side) for kind, begin, last in get_entities(own)}
        for side in (true, predicted)
    ]
    assert ours(true, predicted, None) == by_type(found)


def test_a_broken_chunk_by_both_conventions():
    true, predicted = [["B-x", "I-x", "E-x", "O"]], [["B-x", "I-x", "I-x", "O"]]
    assert evaluate(true, predicted).chunks["all"] == ChunkScore(1, 1, 1)
    assert evaluate(true, predicted, scheme="bioes").chunks["all"] == ChunkScore(0, 0, 1)
    assert evaluate([["I-x", "O"]], [["I-x", "O"]], scheme="iob").chunks["all"] == ChunkScore(0, 0, 0)


@pytest.mark.parametrize("scheme", [None, "iob"])
def test_sequences_without_tokens_have_no_chunks(scheme):
    tags = ["B-x", "I-x", "B-x"]
    assert chunk_scores(tags, tags, [0, 2, 0, 1, 0], scheme)["all"] == ChunkScore(2, 2, 2)
    assert chunk_scores([], [], [0], scheme) == {"all": ChunkScore(0, 0, 0)}


def test_a_scheme_refuses_labels_of_others():
    for true, scheme, text in (
        ([["S-x", "O"]], "iob", r"scheme='iob' has tags such as B-x, I-x, O, not 'S-x'"),
        ([["noun"]], "bioes", "not 'noun'"),
        ([["B-x"]], "BIO", "scheme must be one of 'iob', .*'bilou', not 'BIO'"),
    ):
        with pytest.raises(ValueError, match=text):
            evaluate(true, true, scheme=scheme)
    assert evaluate([["O"]], [["O"]], scheme="iob").chunks["all"] == ChunkScore(0, 0, 0)
