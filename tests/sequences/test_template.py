"""Templates: against features made token by token, and the errors of bad ones."""

from __future__ import annotations

import numpy as np
import pytest

from pragam.sequences import ColumnData, Template, Vocabulary, default_template

WORDS = ["The", "dog", "Barks", "at", "1999", "the", "dog", "a"]
TAGS = ["D", "N", "V", "P", "X", "D", "N", "D"]
DATA = ColumnData([WORDS, TAGS], np.array([5, 2, 1]))


def by_token(template, data):
    """The features of each token, by the words of the documentation."""
    out, begin = [], 0
    for length in data.lengths.tolist():
        for t in range(length):
            own = set()
            for name, parts in template.features.items():
                places = [t + part.offset for part in parts]
                if all(0 <= place < length for place in places):
                    pairs = zip(parts, places, strict=True)
                    values = [shaped(data.columns[part.column][begin + place], part.form) for part, place in pairs]
                    own.add(f"{name}={'|'.join(values)}")
            out.append(own)
        begin += length
    return out


def shaped(value, form):
    forms = {"": value, "lower": value.lower(), "prefix2": value[:2], "suffix3": value[-3:]}
    return forms[form] if form in forms else {"The": "Xxx", "Barks": "Xxx", "1999": "00"}.get(value, "x" * len(value))


@pytest.mark.parametrize(
    "text",
    [default_template(1), default_template(2), "w[0].lower\nw[-1].suffix3|p[0] # why\n\n0[+1].prefix2\nw[0]|w[0]"],
)
def test_same_features_as_token_by_token(text):
    template = Template(text)
    lines = template.occurrences(DATA)
    vocabulary = Vocabulary.of_occurrences(lines)
    X, unseen = vocabulary.vectorise_occurrences(lines)
    assert unseen == 0 and set(X.data.tolist()) == {1.0}
    names = np.array(vocabulary.names)
    assert [set(names[X[[t]].indices].tolist()) for t in range(len(WORDS))] == by_token(template, DATA)


def test_shape_makes_runs_short():
    lines = Template("w[0].shape").occurrences(DATA)
    assert {"w[0].shape=Xxx", "w[0].shape=00", "w[0].shape=xx", "w[0].shape=x"} == set(lines[0].names)


def test_unseen_features_are_left_out_and_counted():
    template = Template("w[0]\np[0]")
    vocabulary = Vocabulary.of_occurrences(template.occurrences(DATA))
    other = ColumnData([["dog", "zebra"], ["N", "N"]], np.array([2]))
    X, unseen = vocabulary.vectorise_occurrences(template.occurrences(other))
    assert unseen == 1 and np.diff(X.indptr).tolist() == [2, 1] and X.shape == (2, len(vocabulary.names))


@pytest.mark.parametrize("text", ["w", "w[x]", "q[0]", "w[0].upper", "w[0]||p[0]", "w[0] p[0]"])
def test_refuses_a_bad_line(text):
    with pytest.raises(ValueError, match="template, line 2"):
        Template(f"w[0]\n{text}")


def test_refuses_an_empty_template_and_a_column_that_is_not_there():
    with pytest.raises(ValueError, match="no features"):
        Template("# nothing\n")
    with pytest.raises(ValueError, match="column 2, and there are 2"):
        Template("2[0]").occurrences(DATA)


def test_words_with_bars_make_different_features():
    """ "a|b" before "c" is not "a" before "b|c"; the parts are joined by bars, and those of words are marked."""
    data = ColumnData([["a|b", "c", "a", "b|c", "\\", "|"]], np.array([2, 2, 2]))
    (line,) = Template("w[-1]|w[0]").occurrences(data)
    assert len(set(line.names)) == 3 and line.codes.tolist().count(-1) == 3
    assert Vocabulary.of_occurrences([line]).names == sorted(line.names)
    (plain,) = Template("w[0]").occurrences(data)
    assert "w[0]=a|b" in plain.names  # alone, a word stays as it is
