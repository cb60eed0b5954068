"""Tables of text: what is read is what was written, and written back with columns it is the same but for these."""

from __future__ import annotations

import csv
import gzip
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pragam.files import source
from pragam.files.table_values import numbers_in, refuse_dates, texts_in
from pragam.files.tables import Column, Table, read_text, with_columns


def read(content):
    data = content.encode() if isinstance(content, str) else content
    with source.opened(io.BytesIO(data)) as opened:
        return read_text(opened)


def fields(table):
    return [list(row) for row in zip(*(column.values for column in table.columns.values()), strict=True)]


def again(content, names=(), columns=()):
    return "".join(with_columns(read(content).origin, names, columns))


#: Any text but what no table of text holds: zero bytes, and halves of characters.
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=6)
NAMES = st.lists(TEXTS.filter(lambda name: name and not name[0].isdigit()), min_size=1, max_size=4, unique=True)


@st.composite
def tables(draw):
    """(names, rows, separator, the text that csv writes, perhaps after a byte-order mark, perhaps unfinished)."""
    names = [f"c{k}{name}" for k, name in enumerate(draw(NAMES))]
    rows = draw(st.lists(st.lists(TEXTS, min_size=len(names), max_size=len(names)), max_size=4))
    separator = draw(st.sampled_from(",\t;")) if len(names) > 1 else ","  # one name does not show it
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    out = io.StringIO()
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    csv.writer(out, delimiter=separator, lineterminator=end, quoting=csv.QUOTE_ALL).writerow(names)
    writer = csv.writer(out, delimiter=separator, lineterminator="\r\n", quoting=quoting)
    for row in rows:
        writer.writerow(row)
    text = out.getvalue() + draw(st.sampled_from(["", "\n", "\r\n\n"]))
    return names, rows, separator, draw(st.sampled_from(["", "\ufeff"])) + text


@given(tables())
def test_what_csv_writes_is_read_and_all_parts_together_are_the_text(made):
    names, rows, _, text = made
    table = read(text)
    assert list(table.columns) == names and table.n == len(rows)
    assert (fields(table) if rows else []) == rows
    origin = table.origin
    assert origin.header + "".join(origin.records) + origin.rest == text


@given(tables(), st.data())
def test_with_columns_only_the_end_of_each_record_is_new(made, data):
    names, rows, _, text = made
    new = data.draw(st.lists(TEXTS.filter(bool), min_size=len(rows), max_size=len(rows)))
    longer = again(text, ["new name, quoted"], [new])
    table = read(longer)
    assert list(table.columns) == [*names, "new name, quoted"]
    assert (fields(table) if rows else []) == [[*row, own] for row, own in zip(rows, new, strict=True)]
    kept, at = read(text).origin, 0
    for part in (kept.header, *kept.records):  # each old record is there, in order, up to its line end
        body = part.rstrip("\r\n")
        at = longer.index(body, at) + len(body)
    assert longer.endswith(kept.rest)


def test_a_header_of_one_name_and_any_line_end():
    for end in ("\n", "\r\n", "\r"):
        table = read(f"a{end}1{end}2{end}")
        assert fields(table) == [["1"], ["2"]] and list(table.lines) == [2, 3]
    assert again("a\r\n1\r\n2", ["b"], [["x", 'y"']]) == 'a,b\r\n1,x\r\n2,"y"""'


def test_the_separator_is_the_one_of_most_fields_in_the_header():
    assert list(read("a;b,c;d\n1;2;3\n").columns) == ["a", "b,c", "d"]
    assert list(read('"a;x"\tb\n1\t2\n').columns) == ["a;x", "b"]
    assert list(read('"a,x,y";b\n1;2\n').columns) == ["a,x,y", "b"]
    assert list(read("a,b;c\n1,2\n").columns) == ["a", "b;c"]


def test_lines_count_those_within_quotes():
    table = read('a,b\n"x\ny",1\nz,2\n')
    assert list(table.lines) == [2, 4] and table.where(1) == "<stream>, line 4"


def test_compressed():
    assert fields(read(gzip.compress("a,é\n1,ü\n".encode()))) == [["1", "ü"]]


BAD = {
    "empty": ("", "no header"),
    "only lines": ("\n\n", "no header"),
    "numbers": ("1,2\n3,4\n", "line 1: numbers, where a header must name the columns"),
    "no name": (",a\n0,1\n", "line 1: column 1 has no name (pandas writes its index so, which to_csv(index=False)"),
    "no last name": ("a,\n0,1\n", "line 1: column 2 has no name"),
    "twice": ("a,b,a\n1,2,3\n", "line 1: two columns are called 'a'"),
    "short": ("a,b\n1,2\n3\n", "line 3: 1 fields, and the header names 2 columns"),
    "long": ('a,b\n"1\n1",2\n3,4,5\n', "line 4: 3 fields, and the header names 2 columns"),
    "an empty line": ("a,b\n1,2\n\n3,4\n", "line 3: is empty, and rows follow it"),
    "behind a quote": ('a,b\n"1"x,2\n', "line 2: ',' expected after '\"'"),
    "an open quote": ('a,b\n1,"2\n3,4\n', "line 2: unexpected end of data"),
    "latin-1": ("a,b\n1,x\n2,\xe9\n".encode("latin-1"), "line 3: byte 0xe9 is not UTF-8: save the table as UTF-8"),
    "utf-16": ("a,b\n1,2\n".encode("utf-16"), "is UTF-16: save it as UTF-8"),
    "zero": ("a,b\n1,\0\n", "line 2: a zero byte, so it is no table of text"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_no_table_is_one_line(what):
    content, message = BAD[what]
    with pytest.raises(ValueError) as caught:
        read(content)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def table_with(values):
    return Table({"x": Column(values)}, len(values), "t")


@given(st.lists(st.floats(allow_infinity=False, allow_nan=False)))
def test_floats_are_read_to_the_last_bit(values):
    found = numbers_in(table_with([repr(value) for value in values]), "x")
    assert found.tobytes() == np.array(values, dtype=np.float64).tobytes()


@pytest.mark.parametrize("text", ["1", " -2.5 ", "+1e3", ".5", "5.", "1E-2", "9007199254740992", "007", "1e16"])
def test_what_a_number_is(text):
    assert numbers_in(table_with([text]), "x").tolist() == [float(text)]


@pytest.mark.parametrize("text", ["1_000", "1,5", "x", "0x1F", "1 2", "--1", "True", "NA", "12%"])
def test_what_no_number_is(text):
    assert numbers_in(table_with(["1", text]), "x") is None


@pytest.mark.parametrize("text", ["", "  ", "nan", "NaN"])
def test_what_is_missing(text):
    assert np.isnan(numbers_in(table_with([text]), "x")).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("inf", "t, row 2: column 'x' has 'inf', which is not finite"),
        ("1e999", "which is not finite"),
        ("9007199254740993", "has 9007199254740993, a whole number that float64 does not hold: --categorical"),
        ("-12345678901234567890", "-12345678901234567890, a whole number that float64 does not hold"),
    ],
)
def test_what_float64_does_not_hold_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        numbers_in(table_with(["1", text]), "x")
    assert texts_in(Column(["1", text])) == ["1", text]  # a category keeps it


def test_whole_numbers_of_a_frame_too():
    values = np.array([2**53, 2**53 + 1])
    with pytest.raises(ValueError, match="row 2: column 'x' has 9007199254740993"):
        numbers_in(table_with(values), "x")
    assert texts_in(Column(values)) == ["9007199254740992", "9007199254740993"]


DATES = [
    "1990-01-31", "31.12.1999", "1/2/98", "2020/1/5", "2020-01-31T12:30:00Z", "2020-01-31 12:30", "23:59",
    "1:02:03.5 PM",
]  # fmt: skip


@pytest.mark.parametrize("text", DATES)
def test_dates_are_refused(text):
    with pytest.raises(ValueError, match=r"holds dates or times .* write numbers instead"):
        refuse_dates(table_with([text, "", text]), "x")


@pytest.mark.parametrize(
    "text", ["1990-01/31", "1-2", "a 1990-01-31", "192.168.0.1", "1:2:3:4", "2020", "", "555-1234"]
)
def test_what_no_date_is(text):
    refuse_dates(table_with([text]), "x")
    refuse_dates(table_with([text, "1990-01-31", "word"]), "x")


@pytest.mark.parametrize("texts", [["1,5", "-20,25"], ["1,000,000", "12,000"], ["3", "", "3,5"]])
def test_numbers_with_commas_are_refused(texts):
    with pytest.raises(ValueError, match="numbers with commas"):
        refuse_dates(table_with(texts), "x")
    refuse_dates(table_with([*texts, "x"]), "x")
