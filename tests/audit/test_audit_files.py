"""``pragam audit MODEL DATA``: model files of ours and of LIBLINEAR, plain weights, and what is no model."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
from audited import graphs, overlapping, sequences, targets

import pragam
from pragam.cli import main
from pragam.cli.tasks import TASKS


@pytest.fixture
def files(tmp_path, monkeypatch):
    """two.svm and three.svm in the working folder."""
    monkeypatch.chdir(tmp_path)
    for name, n_classes in (("two", 2), ("three", 3)):
        X, y, _ = overlapping(n_classes=n_classes)
        pragam.datasets.save_svmlight(f"{name}.svm", X, y)
    return tmp_path


def audited(capsys, *argv):
    """(exit status, the JSON object)."""
    status = main(["audit", *argv, "--json"])
    return status, json.loads(capsys.readouterr().out)


def refused(capsys, *argv):
    """The one line of an audit that is refused."""
    assert main(["audit", *argv]) == 2
    captured = capsys.readouterr()
    assert not captured.out and len(captured.err.splitlines()) == 1
    return captured.err


@pytest.mark.parametrize("data", ["two", "three"])
def test_our_own_file(files, capsys, data):
    assert main(["train", f"{data}.svm", "-o", "m", "-C", "0.5"]) == 0
    capsys.readouterr()
    status, record = audited(capsys, "m", f"{data}.svm")
    assert status == 0 and record["within"] and record["predictions"]["differ"] == 0
    assert "hinge" in record["claim"]


def written(folder):
    """The data of every task, by its name."""
    X, y, _ = overlapping(n=40, n_classes=3)
    rng = np.random.default_rng(0)
    for name, labels in (("numbers", X[:, 0] + rng.standard_normal(40)), ("levels", y)):
        pragam.datasets.save_svmlight(f"{name}.svm", X, labels)
    np.savez("sets.npz", X=X, Y=targets("sets", X, y))
    tokens, labels, lengths = sequences()
    np.savez("chain.npz", X=tokens, y=labels, lengths=lengths)
    column_file = [f"w{label}{rng.integers(9)} {label}" + "\n" * (1 + (k % 4 == 3)) for k, label in enumerate(labels)]
    (folder / "chain.txt").write_text("\n".join(column_file) + "\n")
    trees = graphs([[0, 1], [1, 2], [1, 3]])
    edges = np.concatenate([4 * k + tree.edges for k, tree in enumerate(trees)])
    nodes, labels = np.concatenate([tree.X for tree in trees]), np.concatenate([tree.y for tree in trees])
    np.savez("graphs.npz", X=nodes, y=labels, sizes=[4] * len(trees), edges=edges)
    return {
        "classify": "levels.svm", "multiclass": "levels.svm", "multilabel": "sets.npz", "ordinal": "levels.svm",
        "regress": "numbers.svm", "quantile": "numbers.svm", "chain": "chain.npz", "graph": "graphs.npz",
    }  # fmt: skip


def test_a_file_of_every_task(files, capsys):
    """What train certifies to 1e-6, an audit proves to be within 1e-5 of the optimum."""
    tasks = [*written(files).items(), ("chain", "chain.txt")]
    assert {task for task, _ in tasks} == set(TASKS)
    for task, data in tasks:
        assert main(["train", "--task", task, data, "-o", "m", "--tol", "1e-6", "--lam", "0.1", "--quiet"]) == 0, task
        capsys.readouterr()
        status, record = audited(capsys, "m", data, "--tol", "1e-5")
        assert status == 0 and record["within"] and record["rigorous"], task
        assert (record["predictions"] is None) == (task in ("regress", "quantile", "chain", "graph"))
        refused(capsys, "m", data, "-C", "1")


def test_a_rough_model_of_ours_is_found_rough(files, capsys):
    assert main(["train", "two.svm", "-o", "m", "--solver", "pegasos-n", "--max-iter", "3"]) == 3
    capsys.readouterr()
    status, record = audited(capsys, "m", "two.svm")
    assert status == 3 and record["within"] is False and record["relative"][0] > 1e-6
    assert main(["audit", "m", "two.svm", "--tol", "10"]) == 0
    assert "verdict" in capsys.readouterr().out


def test_other_data_are_refused(files, capsys):
    assert main(["train", "two.svm", "-o", "m"]) == 0
    capsys.readouterr()
    X, y, _ = overlapping(seed=1)
    pragam.datasets.save_svmlight("other.svm", X, y)
    assert "the certificate belongs to other data" in refused(capsys, "m", "other.svm")
    assert "C and lam are for LIBLINEAR" in refused(capsys, "m", "two.svm", "-C", "1")
    assert "--penalised is for plain weights" in refused(capsys, "m", "two.svm", "--penalised", "1")


@pytest.mark.parametrize("bias", ["-1", "1", "0.3"])
@pytest.mark.parametrize(
    ("solver", "data"), [(1, "two"), (2, "two"), (3, "two"), (1, "three"), (2, "three"), (3, "three"), (4, "three")]
)
def test_a_file_that_liblinear_wrote(files, capsys, solver, data, bias):
    """Trained by LIBLINEAR itself, so it is near the optimum of what its solver_type says, and of nothing else."""
    liblinear = pytest.importorskip("liblinear.liblinearutil", reason="liblinear-official is not installed")
    y, X = liblinear.svm_read_problem(f"{data}.svm")
    model = liblinear.train(y, X, f"-s {solver} -c 0.03 -B {bias} -e 1e-7 -q")
    liblinear.save_model("m", model)
    status, record = audited(capsys, "m", f"{data}.svm", "-C", "0.03", "--tol", "1e-5")
    assert status == 0 and record["relative"][1] < 1e-5
    status, record = audited(capsys, "m", f"{data}.svm", "-C", "0.003")  # it was trained with another C
    assert status == 3 and record["relative"][0] > 1e-3
    answer = pragam.audit("m", *pragam.datasets.load(f"{data}.svm"), C=0.03)
    assert answer.predictions.differ == 0


def test_liblinear_models_of_other_problems_are_refused(files, capsys):
    liblinear = pytest.importorskip("liblinear.liblinearutil", reason="liblinear-official is not installed")
    y, X = liblinear.svm_read_problem("two.svm")
    for solver, name in ((0, "L2R_LR"), (5, "L1R_L2LOSS_SVC")):
        liblinear.save_model("m", liblinear.train(y, X, f"-s {solver} -q"))
        assert f"made by LIBLINEAR's {name}" in refused(capsys, "m", "two.svm", "-C", "1")
    liblinear.save_model("m", liblinear.train(y, X, "-s 3 -q"))
    assert "C must be given" in refused(capsys, "m", "two.svm")


GOOD = "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel 1 0\nnr_feature 6\nbias -1\nw\n" + "0.5\n" * 6


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("bias -1\n", "bias -1\nbias 1\n", "twice"),
        ("w\n", "", "no line 'w'|twice"),
        ("bias -1\n", "bias nan\n", "bias nan"),
        ("nr_class 2", "nr_class 1_000", "not a whole number"),
        ("nr_feature 6", "nr_feature 99999999999", "lines of 1 numbers"),
        ("label 1 0", "label 1 1", "two different classes"),
        ("0.5\n", "x\n", "not a usable LIBLINEAR model"),
        ("L2R_L1LOSS_SVC_DUAL", "L9", "solver_type"),
        ("nr_class", "more\n" * 20 + "nr_class", "twice"),
        ("nr_class", "".join(f"key{k} 1\n" for k in range(20)) + "nr_class", "among the first 16"),
    ],
)
def test_a_damaged_liblinear_file_is_refused_in_one_line(files, capsys, old, new, why):
    (files / "good").write_text(GOOD)
    assert main(["audit", "good", "two.svm", "-C", "1"]) == 3
    capsys.readouterr()
    (files / "bad").write_text(GOOD.replace(old, new, 1))
    assert re.search(why, refused(capsys, "bad", "two.svm", "-C", "1"))


def test_plain_weights(files, capsys):
    X, y, _ = overlapping()
    result = pragam.solve(pragam.hinge(X, y, lam=0.01), tol=1e-9)
    np.savez("w.npz", coef=result.w, intercept=result.bias)
    np.savez_compressed("c.npz", coef=result.w, intercept=[result.bias], classes=[0, 1])
    for name in ("w.npz", "c.npz"):
        status, record = audited(capsys, name, "two.svm", "--lam", "0.01")
        assert status == 0 and "not penalised" in record["claim"]
    status, record = audited(capsys, "w.npz", "two.svm", "--lam", "0.01", "--penalised", "2")
    assert status == 3 and "a column of 2" in record["claim"]
    np.save("w.npy", np.zeros(6))
    status, record = audited(capsys, "w.npy", "two.svm", "-C", "1", "--loss", "squared_hinge")
    assert status == 3 and record["objective"] == pytest.approx([1.0, 1.0])


def test_what_is_no_model_is_refused_in_one_line(files, capsys):
    (files / "p.pkl").write_bytes(pickle.dumps({"coef": [1]}))
    assert "a Python pickle is never loaded" in (line := refused(capsys, "p.pkl", "two.svm"))
    assert "pragam.audit(joblib.load('p.pkl'), X, y)" in line
    np.save("w.npy", np.zeros(6))
    assert "-C or --lam" in refused(capsys, "w.npy", "two.svm")
    np.save("o.npy", np.array([{}], dtype=object), allow_pickle=True)
    assert "real numbers" in refused(capsys, "o.npy", "two.svm", "-C", "1")
    np.savez("n.npz", weights=np.zeros(6))
    assert "no array 'coef'" in refused(capsys, "n.npz", "two.svm", "-C", "1")
    content = (files / "n.npz").read_bytes()
    (files / "cut.npz").write_bytes(content[: len(content) // 2])
    assert "not usable weights" in refused(capsys, "cut.npz", "two.svm", "-C", "1")
    np.save("wide.npy", np.zeros(3))
    refused(capsys, "wide.npy", "two.svm", "-C", "1")
    refused(capsys, "absent", "two.svm")
    refused(capsys, "two.svm", "two.svm")


def test_through_a_pipe(files):
    """The model from the standard input, in a process of its own."""
    assert main(["train", "two.svm", "-o", "m", "--quiet"]) == 0
    with open("m", "rb") as model:
        done = subprocess.run(
            [sys.executable, "-m", "pragam", "audit", "-", "two.svm", "--json"],
            stdin=model, capture_output=True, text=True,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["within"] is True


def test_fail_above_decides_the_exit_status(files, capsys):
    """0 only if the distance is proven to be at most that; without --tol no more is asked of the optimum."""
    assert main(["train", "two.svm", "-o", "m", "--solver", "pegasos-n", "--max-iter", "30", "--tol", "1e-2"]) in (0, 3)
    capsys.readouterr()
    _, record = audited(capsys, "m", "two.svm")
    lower, upper = record["relative"]
    assert lower > 1e-5 and upper < 10
    for above, status in ((2 * upper, 0), (lower / 2, 3)):
        found, record = audited(capsys, "m", "two.svm", "--fail-above", str(above))
        assert found == status and record["passed"] is (status == 0)
        assert record["fail_above"] == record["tol"] == above
        found, record = audited(capsys, "m", "two.svm", "--fail-above", str(above), "--tol", "1e-9")
        assert found == status and record["tol"] == 1e-9 and record["within"] is False
        assert main(["audit", "m", "two.svm", "--fail-above", str(above)]) == status
        assert ("passed: proven to be" if status == 0 else "failed: proven not to be") in capsys.readouterr().out
    found, record = audited(capsys, "m", "two.svm", "--fail-above", str(lower * 1.0001), "--max-seconds", "0")
    assert found == 3 and record["passed"] is None
    for options, why in (
        (["--fail-above", "0"], "--fail-above must be above 0"),
        (["--fail-above", "1e-3", "--tol", "1e-2"], "--tol 0.01 must be at most --fail-above 0.001"),
        (["--tol", "-1"], "--tol must be above 0"),
    ):
        assert why in refused(capsys, "m", "two.svm", *options)


def test_what_a_liblinear_file_does_not_say(files, capsys):
    """-p, -wi and -R of its training, of which C alone has no default."""
    liblinear = pytest.importorskip("liblinear.liblinearutil", reason="liblinear-official is not installed")
    X, y, _ = overlapping()
    pragam.datasets.save_svmlight("numbers.svm", X, X[:, 0] + np.random.default_rng(0).standard_normal(len(X)))
    y, X = liblinear.svm_read_problem("numbers.svm")
    liblinear.save_model("m", liblinear.train(y, X, "-s 13 -p 0.2 -c 0.05 -e 1e-8 -q"))
    status, record = audited(capsys, "m", "numbers.svm", "-C", "0.05", "--epsilon", "0.2", "--tol", "1e-4")
    assert status == 0 and "[|y_i - f(x_i)| - 0.2]_+" in record["claim"] and record["predictions"] is None
    assert "epsilon must be given" in refused(capsys, "m", "numbers.svm", "-C", "0.05")
    assert "class_weight is for classifiers" in refused(
        capsys, "m", "numbers.svm", "-C", "1", "--epsilon", "0.1", "--class-weight", "1=2"
    )
    y, X = liblinear.svm_read_problem("two.svm")
    liblinear.save_model("m", liblinear.train(y, X, "-s 2 -R -B 1 -c 0.3 -w1 3 -e 1e-9 -q"))
    options = ["-C", "0.3", "--class-weight", "1=3,0=1"]
    assert audited(capsys, "m", "two.svm", *options)[1]["relative"][0] > 1e-5
    status, record = audited(capsys, "m", "two.svm", *options, "--free-bias", "--tol", "1e-5")
    assert status == 0 and "the intercept is not penalised" in record["claim"]
    assert "epsilon is for regressions" in refused(capsys, "m", "two.svm", "-C", "1", "--epsilon", "0.1")
    assert "--loss is for plain weights" in refused(capsys, "m", "two.svm", "-C", "1", "--loss", "hinge")
    assert main(["train", "two.svm", "-o", "ours"]) == 0
    capsys.readouterr()
    assert "as are epsilon, class_weight and free_bias" in refused(capsys, "ours", "two.svm", "--free-bias")


@pytest.mark.parametrize(
    ("number", "why"),
    [(0, "logistic regression"), (5, "the squared hinge with an L1 penalty"), (21, "the one-class SVM")],
)
def test_the_name_of_the_risk_that_is_not_ours(files, capsys, number, why):
    liblinear = pytest.importorskip("liblinear.liblinearutil", reason="liblinear-official is not installed")
    y, X = liblinear.svm_read_problem("two.svm")
    liblinear.save_model("m", liblinear.train(y, X, f"-s {number} -q"))
    assert f"{why}, a risk that pragam does not have" in refused(capsys, "m", "absent.svm")


def test_two_classes_of_crammer_and_singer(files, capsys):
    """Two opposite columns in the file: their difference is what the first alone says, twice."""
    liblinear = pytest.importorskip("liblinear.liblinearutil", reason="liblinear-official is not installed")
    y, X = liblinear.svm_read_problem("two.svm")
    liblinear.save_model("m", liblinear.train(y, X, "-s 4 -c 0.03 -B 1 -e 1e-8 -q"))
    status, record = audited(capsys, "m", "two.svm", "-C", "0.03", "--tol", "1e-5")
    assert status == 0 and "max over k" in record["claim"] and record["predictions"]["differ"] == 0


def test_plain_weights_of_other_losses(files, capsys):
    X = overlapping()[0]
    t = X[:, 0] + np.random.default_rng(0).standard_normal(len(X))
    pragam.datasets.save_svmlight("numbers.svm", X, t)
    for risk, options in (
        (pragam.quantile(X, t, lam=0.01, q=0.3), ["--loss", "quantile", "--quantile", "0.3", "--lam", "0.01"]),
        (
            pragam.epsilon_insensitive(X, t, lam=0.01),
            ["--loss", "epsilon_insensitive", "--epsilon", "0.1", "--lam", "0.01"],
        ),
        (pragam.quantile(X, t, lam=1e-12), ["--loss", "quantile", "--lam", "0"]),
    ):
        result = pragam.solve(risk, tol=1e-10)
        np.savez("w.npz", coef=result.w, intercept=result.bias)
        status, record = audited(capsys, "w.npz", "numbers.svm", *options)
        assert status == 0 and ("nothing is penalised" in record["claim"]) == (options[-1] == "0")
    assert "--quantile is for --loss quantile" in refused(
        capsys, "w.npz", "numbers.svm", "--lam", "1", "--quantile", "0.3"
    )
    assert "--free-bias is for LIBLINEAR" in refused(capsys, "w.npz", "numbers.svm", "--lam", "1", "--free-bias")
