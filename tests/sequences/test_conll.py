"""Real sentences: the first of CoNLL-2000's, where the data are at hand."""

from __future__ import annotations

import io
import os
import zipfile
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from pragam import ChainSVC
from pragam.sequences import Template, Vocabulary, default_template, evaluate, read_columns

FILE = Path(os.environ.get("PRAGAM_DATA", "")) / "sequence" / "conll2000.zip"
pytestmark = pytest.mark.skipif(
    not os.environ.get("PRAGAM_DATA") or not FILE.exists(), reason="PRAGAM_DATA has no sequence/conll2000.zip"
)


def sentences(name, n):
    """The first n sentences of a file."""
    with zipfile.ZipFile(FILE).open(f"conll2000/{name}.txt") as lines:
        text = lines.read().decode().split("\n\n")
    return read_columns(io.BytesIO("\n\n".join(islice(text, n)).encode()))


def test_chunks_of_sentences_that_were_not_seen():
    train, test = sentences("train", 300), sentences("test", 200)
    template = Template(default_template(2))
    lines = template.occurrences(train)
    vocabulary = Vocabulary.of_occurrences(lines)
    rows, unseen = vocabulary.vectorise_occurrences(lines)
    assert rows.shape[0] == train.lengths.sum() and unseen == 0
    model = ChainSVC(lam=1 / 30, loss="hamming_sum", tol=0.05, transitions="iob", max_seconds=60)
    model.fit(rows, np.array(train.columns[2]), train.lengths)
    other, unseen = vocabulary.vectorise_occurrences(template.occurrences(test))
    found = evaluate(test.columns[2], model.predict(other, test.lengths), test.lengths)
    assert unseen > 0 and found.accuracy > 0.9 and found.chunks["all"].f1 > 0.85
    assert model.certify(rows, np.array(train.columns[2]), train.lengths) == model.certificate_
