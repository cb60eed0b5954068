"""A LIBLINEAR user's command line: what it is told to type does what was meant. From docs/command-line.md."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from pragam import models
from pragam.samples import Rows
from printed import needs_bash, needs_docs, run_shell, taken

DATA = """\
python -c "import pragam; X, y = pragam.datasets.load_example(); pragam.datasets.save_svmlight('cancer.svm', X, y)"
"""
TYPED = 'pragam train cancer.svm -s 3 -c 4 -B 1 || echo "exit status $?"\n'
TOLD = """\
pragam train cancer.svm -o cancer.model --loss hinge -C 4 --penalised 1 --liblinear cancer.txt --quiet
pragam predict cancer.txt cancer.svm -o labels.txt
pragam audit cancer.txt cancer.svm -C 4 --fail-above 1e-5
"""


@needs_docs
@needs_bash
def test_a_liblinear_users_commands(tmp_path):
    typed = run_shell(taken(DATA + TYPED, "command-line.md"), tmp_path)
    assert typed.stdout == "exit status 2\n" and typed.stderr.count("\n") == 1
    options = typed.stderr.partition("-o MODEL ")[2].strip()
    assert options and options in TOLD
    done = run_shell(taken(TOLD, "command-line.md"), tmp_path)
    assert done.returncode == 0, done.stderr
    model, (X, y) = models.load_liblinear(tmp_path / "cancer.txt"), pragam.datasets.load_example()
    predicted = np.loadtxt(tmp_path / "labels.txt")
    assert (predicted == model.predict(Rows.of(X))).all() and np.mean(predicted == y) > 0.9


@needs_docs
@needs_bash
def test_liblinear_itself_reads_the_model_and_predicts_the_same(tmp_path):
    util = pytest.importorskip("liblinear.liblinearutil")
    done = run_shell(taken(DATA + TOLD, "command-line.md"), tmp_path)
    assert done.returncode == 0, done.stderr
    _, X = util.svm_read_problem(str(tmp_path / "cancer.svm"), return_scipy=True)
    labels, _, _ = util.predict([], X, util.load_model(str(tmp_path / "cancer.txt")), "-q")
    assert labels == np.loadtxt(tmp_path / "labels.txt").tolist()
