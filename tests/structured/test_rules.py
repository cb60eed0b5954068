"""Which labellings are allowed: schemes of tags against chunks written out; what rules say of lengths and truths."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from pragam.structured.rules import Rules
from pragam.structured.tags import SCHEMES, are_tags

LETTERS = {
    "iob": "BI", "iob1": "BI", "iob2": "BI", "ioe1": "IE", "ioe2": "IE", "bioes": "BIES", "iobes": "BIES",
    "bilou": "BILU",
}  # fmt: skip


def written(chunks, length, scheme):
    """The tags of disjoint chunks (begin, end, type)."""
    tags = ["O"] * length
    before, behind = {end: kind for _, end, kind in chunks}, {begin: kind for begin, _, kind in chunks}
    for begin, end, kind in chunks:
        tags[begin:end] = [f"I-{kind}"] * (end - begin)
        if scheme in ("iob", "iob2") or (scheme == "iob1" and before.get(begin) == kind):
            tags[begin] = f"B-{kind}"
        if scheme == "ioe2" or (scheme == "ioe1" and behind.get(end) == kind):
            tags[end - 1] = f"E-{kind}"
        if scheme in ("bioes", "iobes", "bilou"):
            last, single = "LU" if scheme == "bilou" else "ES"
            tags[begin], tags[end - 1] = f"B-{kind}", f"{last}-{kind}"
            if end == begin + 1:
                tags[begin] = f"{single}-{kind}"
    return tuple(tags)


def all_chunks(length, begin=0):
    """All ways to place chunks of two types from here on."""
    if begin == length:
        yield []
        return
    for rest in all_chunks(length, begin + 1):
        yield rest
    for end in range(begin + 1, length + 1):
        for kind, rest in product("xy", all_chunks(length, end)):
            yield [(begin, end, kind), *rest]


def keeps(rules, numbers):
    pairs = all(rules.transitions[a, b] for a, b in pairwise(numbers))
    return bool(rules.starts[numbers[0]] and rules.ends[numbers[-1]] and pairs)


def test_every_scheme_is_here():
    assert set(LETTERS) == set(SCHEMES)


@pytest.mark.parametrize("scheme", LETTERS)
@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_a_scheme_allows_exactly_the_tags_of_chunks(scheme, length):
    labels = [*(f"{letter}-{kind}" for letter in LETTERS[scheme] for kind in "xy"), "O"]
    rules = Rules.named(scheme, labels)
    allowed = {
        tuple(labels[k] for k in numbers)
        for numbers in product(range(len(labels)), repeat=length)
        if keeps(rules, numbers)
    }
    assert allowed == {written(chunks, length, scheme) for chunks in all_chunks(length)}


def test_types_may_be_left_out():
    rules = Rules.named("bioes", ["B", "I", "O", "E", "S"])
    assert keeps(rules, [0, 1, 3, 2, 4]) and not keeps(rules, [0, 1]) and not keeps(rules, [2, 3])


@pytest.mark.parametrize(
    "transitions", ["bio", np.ones((2, 2)), np.ones((3, 3), dtype=bool), "iob", "bioes", True, [[True]]]
)
def test_refuses_what_says_nothing_about_these_labels(transitions):
    with pytest.raises(ValueError, match="transitions"):
        Rules.named(transitions, ["a", "b"])


def test_a_scheme_refuses_tags_of_another_one():
    with pytest.raises(ValueError, match="transitions='iob' needs labels such as B-x, I-x, O"):
        Rules.named("iob", ["B-x", "E-x", "O"])
    with pytest.raises(ValueError, match=r"not .*; their letters are those of 'bilou'$"):
        Rules.named("bioes", ["B-x", "I-x", "U-x", "O"])
    with pytest.raises(ValueError, match=r"not \['a', 'b'\]$"):
        Rules.named("iob", ["a", "b"])


def test_what_are_tags():
    assert all(map(are_tags, (["O", "B-x"], ["I", "O"], ["S-x"], ["B", "I", "E", "S"], ["U-x", "O"], ["B-x", "L-x"])))
    assert not any(map(are_tags, (["O"], [], ["E", "S", "O"], ["B-x", "noun"], ["B-x", 3], ["B-"])))
    assert not any(map(are_tags, (["L-1", "U-1"], ["B", "L", "U"])))  # perhaps levels, or letters


@pytest.mark.parametrize("seed", range(10))
def test_lengths_that_have_a_labelling(seed):
    rng = np.random.default_rng(seed)
    K = int(rng.integers(1, 4))
    rules = Rules(rng.random((K, K)) < 0.4, rng.random(K) < 0.6, rng.random(K) < 0.6)
    lengths = np.array([5, 1, 3, 6, 2, 4])
    expected = [any(keeps(rules, numbers) for numbers in product(range(K), repeat=n)) for n in lengths.tolist()]
    assert rules.have_labelling(lengths).tolist() == expected


def test_lengths_need_no_walk_to_their_end():
    turns = Rules(np.array([[False, True], [True, False]]), [True, False], [True, False])  # odd lengths alone
    assert turns.have_labelling(np.array([10**12, 10**12 + 1])).tolist() == [False, True]
    once = Rules(np.eye(3, k=1, dtype=bool), [True, False, False])  # 0, 1, 2 and no more
    assert once.have_labelling(np.array([1, 3, 4, 10**12])).tolist() == [True, True, False, False]


def test_what_a_forbidden_truth_breaks():
    rules = Rules(np.eye(3, k=1, dtype=bool), [True, False, False], [True, True, False])
    labels = np.array([0, 1, 0, 0, 1])
    rules.check(labels, np.array([2, 1, 2]))
    for lengths, end, text in (
        ([2, 3], [True] * 3, "sequence 1: its true labels have the transition 'a' 'a', which is not allowed"),
        ([1, 2, 2], [True] * 3, "sequence 1: its true labels start with 'b', which is not allowed"),
        ([2, 1, 2], [False, True, True], "sequence 1: its true labels end with 'a', which is not allowed"),
    ):
        with pytest.raises(ValueError, match=text):
            Rules(rules.transitions, rules.starts, end).check(labels, np.array(lengths), ["a", "b", "c"])
