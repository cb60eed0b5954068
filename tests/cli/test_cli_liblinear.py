"""A LIBLINEAR user's command lines: its options are answered by ours, which give its models; its files predict."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import pragam
from pragam.cli import main
from pragam.models import load
from pragam.samples import Rows


@pytest.fixture
def files(tmp_path, monkeypatch):
    """two.svm, three.svm and numbers.svm in the working folder."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 4)).round(3)
    for name, n_classes in (("two", 2), ("three", 3)):
        y = rng.permutation(np.arange(90) % n_classes)
        pragam.datasets.save_svmlight(f"{name}.svm", (X + y[:, None]).round(3), 2 * y - 1)
    pragam.datasets.save_svmlight("numbers.svm", X, (X @ [1, -2, 0, 3] + rng.standard_normal(90)).round(3))
    return tmp_path


def answered(capsys, *argv):
    """The one line that LIBLINEAR's options get."""
    assert main(list(argv)) == 2
    out, err = capsys.readouterr()
    assert not out and err.count("\n") == 1 and err.startswith("pragam: -")
    return err


ANSWERS = [
    ("-s 3 -c 4 -B 1", "--loss hinge -C 4 --penalised 1"),
    ("-s 3", "--loss hinge -C 1 --no-bias"),
    ("-c 0.123456789012", "--loss squared_hinge -C 0.123456789012 --no-bias"),
    ("-c 1", "without -s LIBLINEAR minimises the squared hinge"),
    ("-s 1 -B 2.5 -q", "--loss squared_hinge -C 1 --penalised 2.5 --quiet"),
    ("-s 2 -B 1 -R", "--loss squared_hinge -C 1\n"),
    ("-s 4 -B -1", "--task multiclass -C 1 --no-bias"),
    ("-s 13 -p 0.2", "--task regress -C 1 --epsilon 0.2 --no-bias"),
    ("-s 13", "--epsilon 0.1"),
    ("-s 3 -w1 2 -w-1 0.5", "--class-weight=1=2,-1=0.5"),
    ("-w1 2", "in its own problem, ours in all of them"),
    ("-s 3 -v 5", "pragam tune DATA -o MODEL --loss hinge --no-bias --folds 5"),
    ("-s 3 -v 5 -c 1", "tune chooses lam = 1/(n C) of a grid, --lams"),
    ("-s 3 -e 0.01", "--tol the proven relative gap"),
    ("-s 0", "-s 0 is logistic regression, a risk that pragam does not have"),
    ("-s 5", "the squared hinge with an L1 penalty, a risk that pragam does not have"),
    ("-s 11", "the squared epsilon-insensitive loss, a risk"),
    ("-s 21 -n 0.1", "-s 21 is the one-class SVM"),
    ("-s 9", "-s must be one of 0, 1, 2"),
    ("-s", "-s must be followed by a whole number"),
    ("-s three", "-s must be followed by a whole number, not 'three'"),
    ("-s 3 -c much", "-c must be followed by a number, not 'much'"),
    ("-s 3 -B nan", "-B must be followed by a number"),
    ("-s 3 -w2", "-w2 must be followed by a number"),
    ("-s 3 -v two", "-v must be followed by a whole number"),
]


@pytest.mark.parametrize(("options", "expected"), ANSWERS)
@pytest.mark.parametrize("command", ["train", "tune"])
def test_every_option_is_answered(files, capsys, command, options, expected):
    assert expected in answered(capsys, command, *options.split(), "two.svm", "-o", "m")
    assert not (files / "m").exists()


#: Data, LIBLINEAR's options, and what its file does not say of them.
EQUAL = [
    ("two", "-s 1 -B 1", {"C": 1}),
    ("two", "-s 2 -B 1 -R", {"C": 1, "free_bias": True}),
    ("two", "-s 3 -c 0.3 -B 2", {"C": 0.3}),
    ("two", "-s 3 -w1 3 -w-1 0.5 -B 1", {"C": 1, "class_weight": {1: 3, -1: 0.5}}),
    ("two", "-s 4 -B 1", {"C": 1}),
    ("three", "-s 1", {"C": 1}),
    ("three", "-s 3 -c 0.1 -B 1", {"C": 0.1}),
    ("three", "-s 4 -c 0.5 -B 1 -w1 2", {"C": 0.5, "class_weight": {1: 2}}),
    ("numbers", "-s 13 -p 0.5 -B 1 -c 0.1", {"C": 0.1, "epsilon": 0.5}),
]


@pytest.mark.parametrize(("data", "options", "training"), EQUAL)
def test_what_is_answered_is_the_same_problem(files, capsys, data, options, training):
    """Our options, run as they are printed, reach the optimum that LIBLINEAR's model of its options is next to."""
    util = pytest.importorskip("liblinear.liblinearutil")
    line = answered(capsys, "train", f"{data}.svm", *options.split())
    words = re.search(r"pragam train DATA -o MODEL ([^(\n]*)", line).group(1).split()
    assert main(["train", f"{data}.svm", "-o", "m", "--tol", "1e-9", *words, "--quiet"]) == 0
    y, X = util.svm_read_problem(f"{data}.svm", return_scipy=True)
    util.save_model("theirs", util.train(y, X, f"{options} -e 1e-9 -q"))
    audit = pragam.audit("theirs", *pragam.datasets.load(f"{data}.svm"), **training)
    assert audit.relative.upper < 1e-4  # its dual coordinates end after 1000 passes
    ours = load("m").certificate
    assert audit.total.optimum.lower <= ours.primal and ours.dual <= audit.total.optimum.upper
    assert audit.total.optimum.upper == pytest.approx(ours.primal, rel=1e-6)


@pytest.mark.parametrize("options", ["-s 11 -B 1", "-s 13", "-s 21"])
def test_predict_reads_regressions_and_one_class(files, capsys, options):
    util = pytest.importorskip("liblinear.liblinearutil")
    name = "two" if "21" in options else "numbers"
    y, X = util.svm_read_problem(f"{name}.svm", return_scipy=True)
    model = util.train(y, X, f"{options} -q")
    util.save_model("m", model)
    assert main(["predict", "m", f"{name}.svm", "--decision", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    labels, _, scores = util.predict([], X, model, "-q")
    np.testing.assert_allclose(record["predictions"], labels, rtol=1e-12)
    np.testing.assert_allclose(record["decision"], np.ravel(scores), rtol=1e-12)
    measured = record["evaluation"]
    assert measured.keys() == ({"accuracy"} if name == "two" else {"mean_absolute_error", "r2"})


CERTIFIED = [
    (0, "two", "L2R_LR minimises logistic regression"),
    (6, "two", "L1R_LR minimises logistic regression with an L1 penalty"),
    (12, "numbers", "the squared epsilon-insensitive loss, a risk that pragam does not have"),
    (21, "two", "ONECLASS_SVM minimises the one-class SVM"),
    (3, "two", "is audited: pragam audit MODEL DATA -C C"),
]


@pytest.mark.parametrize(("number", "data", "why"), CERTIFIED)
def test_certify_names_the_risk(files, capsys, number, data, why):
    util = pytest.importorskip("liblinear.liblinearutil")
    y, X = util.svm_read_problem(f"{data}.svm", return_scipy=True)
    util.save_model("m", util.train(y, X, f"-s {number} -q"))
    assert main(["certify", "m", f"{data}.svm"]) == 2
    err = capsys.readouterr().err
    assert why in err and err.count("\n") == 1


@pytest.mark.parametrize("task", ["classify", "multiclass", "regress"])
def test_a_penalised_intercept_is_that_of_liblinear(files, capsys, task):
    """--penalised S poses the problem with a column of S, and certify and predict know it."""
    data = "numbers.svm" if task == "regress" else "three.svm"
    assert main(["train", data, "--task", task, "--penalised", "2", "-o", "m", "--liblinear", "t", "--quiet"]) == 0
    assert main(["certify", "m", data]) == 0
    assert "bias 2\n" in (files / "t").read_text()
    X, y = pragam.datasets.load(data)
    model = load("m")
    Z = np.column_stack([X.toarray(), np.full(X.shape[0], 2.0)])
    (problem, *_) = model.risk.pose(Rows.of(Z, y), model.labels)
    w, _ = model.points()[0]
    assert pragam.certify(problem, w).primal == pytest.approx(model.proofs[0].certificate.primal, rel=1e-12)
    capsys.readouterr()
    for source in ("m", "t"):
        assert main(["predict", source, data]) == 0
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 180 and np.allclose(np.array(out[:90], float), np.array(out[90:], float))
