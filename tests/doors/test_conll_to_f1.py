"""A CoNLL file to the F1 of its chunks, by three commands. From docs/sequences.md."""

from __future__ import annotations

import re

from printed import needs_bash, needs_docs, run_shell, taken

TRAIN = """\
printf '%s\\n' 'the D B-NP' 'dog N I-NP' 'sees V O' 'a D B-NP' 'cat N I-NP' '' 'fish N B-NP' 'eats V O' > train.txt
pragam train --task chain train.txt -o chunks.model --lam 0.1 --transitions iob --quiet
"""
PREDICT = "pragam predict chunks.model train.txt -o labelled.txt    # the evaluation goes to standard error\n"
OTHER = """\
printf '%s\\n' 'a D B-NP' 'fish N I-NP' 'eats V O' > other.txt
pragam tune --task chain train.txt --validation other.txt --lams 10^-2..10^1 -o best.model --quiet
"""


def chunks(tags):
    """(first, last, type) of each chunk of IOB2 tags that keep its rules; "" ends a sequence."""
    found, begin = set(), None
    for t, tag in enumerate([*tags, ""]):
        if begin is not None and not tag.startswith("I-"):
            found.add((begin, t - 1, tags[begin][2:]))
            begin = None
        if tag.startswith("B-"):
            begin = t
    return found


@needs_docs
@needs_bash
def test_the_f1_is_that_of_the_labelled_file(tmp_path):
    done = run_shell(taken(TRAIN + PREDICT, "sequences.md"), tmp_path)
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "labelled.txt").read_text().splitlines()
    rows = [line.split() or ["", "", "", ""] for line in lines]
    assert [row[:3] for row in rows if row[0]] == [
        line.split() for line in (tmp_path / "train.txt").read_text().splitlines() if line
    ]
    true, found = (chunks([row[k] for row in rows]) for k in (2, 3))
    f1 = 2 * len(true & found) / (len(true) + len(found))
    _, _, said, *_ = re.search(r"^ +all +(.*)$", done.stderr, re.MULTILINE).group(1).split()
    assert len(true) == 3 and said == f"{100 * f1:.2f}"


@needs_docs
@needs_bash
def test_lam_is_chosen_by_the_f1_of_another_file(tmp_path):
    done = run_shell(taken(TRAIN + OTHER, "sequences.md"), tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "best.model").is_file() and "F1" in done.stdout
