"""train, predict, certify and theory: what they print, write and return."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from cli_data import make_data, start
from scipy import sparse

import pragam
from forged import forge, stored
from pragam import theory
from pragam.cli import main
from pragam.models import load, load_liblinear
from pragam.samples import Rows
from pragam.samples.fingerprint import data_fingerprint


@pytest.fixture
def data(tmp_path):
    X, y = make_data(tmp_path / "data.svm")
    return SimpleNamespace(path=str(tmp_path / "data.svm"), model=str(tmp_path / "model"), X=X, y=y)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "options", [[], ["--no-bias"], ["--class-weight", "balanced"], ["--lam", "0.03"], ["-C", "0.2"]]
)
def test_train_then_certify_reproduces_the_numbers(tmp_path, capsys, n_classes, options):
    path, file = str(tmp_path / "data.svm"), str(tmp_path / "model")
    X, y = make_data(path, n_classes)
    assert main(["train", path, "-o", file, *options]) == 0
    table = capsys.readouterr().out
    model = load(file)
    labels = model.labels.tolist()
    assert labels == list(range(n_classes)) and all(type(label) is int for label in labels)
    assert model.fingerprint == data_fingerprint(X, y)
    assert str(pragam.Status.CONVERGED) in table
    assert f"accuracy {100 * np.mean(model.predict(Rows.of(X)) == y):.2f} %" in table
    assert all(proof.certificate.relative_gap <= 1e-6 for proof in model.proofs)
    assert main(["certify", file, path]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    for name in ("primal", "dual"):
        printed = [line[1:] for line in lines if line[:1] == [name]]
        assert printed == [[repr(getattr(proof.certificate, name))] * 2 for proof in model.proofs]


def test_the_model_solves_the_problem_that_was_asked_for(data):
    assert main(["train", data.path, "-o", data.model, "-C", "0.3", "--class-weight", "balanced"]) == 0
    model = load(data.model)
    lam = 1 / (60 * 0.3)
    problem = pragam.hinge(data.X, data.y, lam, class_weight="balanced")
    assert model.risk.lam == pytest.approx(lam, rel=1e-15) and model.risk.class_weight == "balanced"
    assert model.certificate.relative_gap <= 1e-6
    best = pragam.solve(problem, tol=1e-10).certificate
    ours = pragam.certify(problem, model.tensors["coef"][0], model.proofs[0].dual)
    assert best.dual <= ours.primal <= best.primal * (1 + 2e-6)


def test_train_without_data_and_without_output(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["train", "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert "569 x 30" in out and "not written" in out and err == ""
    assert os.listdir(tmp_path) == []


def test_the_built_in_example_can_be_certified(tmp_path, capsys):
    file = str(tmp_path / "model")
    assert main(["train", "-o", file]) == 0
    assert "relative gap" in capsys.readouterr().err  # the progress line
    assert main(["certify", file]) == 0
    assert "Certified" in capsys.readouterr().out


def test_a_budget_that_ends_first(data, capsys):
    assert main(["train", data.path, "-o", data.model, "--solver", "newton", "--max-iter", "1", "--tol", "1e-9"]) == 3
    assert str(pragam.Status.MAX_ITER) in " ".join(capsys.readouterr().out.split())
    model = load(data.model)
    assert 1e-9 < model.certificate.relative_gap < np.inf
    assert model.proofs[0].status is pragam.Status.MAX_ITER
    assert main(["certify", data.model, data.path]) == 3
    assert main(["certify", data.model, data.path, "--tol", "1"]) == 0
    assert main(["train", data.path, "--max-seconds", "0"]) == 3


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_predict_and_the_liblinear_export(tmp_path, capsys, n_classes, bias):
    path, file, text = (str(tmp_path / name) for name in ("data.svm", "model", "model.txt"))
    X, y = make_data(path, n_classes)
    assert main(["train", path, "-o", file, "--liblinear", text, *([] if bias else ["--no-bias"])]) == 0
    model = load(file)
    np.testing.assert_array_equal(load_liblinear(text).tensors["coef"], model.tensors["coef"])
    expected = [str(label) for label in model.predict(Rows.of(X))]
    capsys.readouterr()
    for source in (file, text):
        assert main(["predict", source, path]) == 0
        out, err = capsys.readouterr()
        assert out.splitlines() == expected
        right = np.sum(model.predict(Rows.of(X)) == y)
        assert err.splitlines()[0] == f"accuracy {100 * right / 60:.2f} % ({right} of 60)"
        assert ("confusions" in err) == (n_classes > 2 and right < 60)
    assert main(["predict", file, path, "-o", str(tmp_path / "labels")]) == 0
    assert (tmp_path / "labels").read_text().splitlines() == expected
    assert capsys.readouterr().out == ""


def test_predict_on_data_with_other_columns_or_without_labels(tmp_path, data, capsys):
    assert main(["train", data.path, "-o", data.model]) == 0
    narrow, wide, bare = (str(tmp_path / name) for name in ("narrow.svm", "wide.svm", "bare.npy"))
    pragam.datasets.save_svmlight(narrow, data.X[:, :3], data.y)
    pragam.datasets.save_svmlight(wide, np.hstack([data.X, data.X]), data.y)
    np.save(bare, data.X)
    model = load(data.model)
    capsys.readouterr()
    assert main(["predict", data.model, narrow]) == 0
    padded = np.where(np.arange(5) < 3, data.X, 0)
    assert capsys.readouterr().out.split() == [str(label) for label in model.predict(Rows.of(padded))]
    assert main(["predict", data.model, bare]) == 0
    out, err = capsys.readouterr()
    assert out.split() == [str(label) for label in model.predict(Rows.of(data.X))] and err == ""
    assert main(["predict", data.model, wide]) == 0
    out, err = capsys.readouterr()
    assert out.split() == [str(label) for label in model.predict(Rows.of(data.X))]
    warning, _ = err.splitlines()
    assert warning == (
        f"pragam: warning: {wide}: 300 entries are in columns that the model does not have, and are ignored"
    )
    np.save(bare, np.hstack([data.X, data.X]))
    assert main(["predict", data.model, bare]) == 2
    assert "bare.npy: 10 columns, and the model needs 5" in capsys.readouterr().err


def test_certify_knows_the_data_in_another_storage(tmp_path, data, capsys):
    assert main(["train", data.path, "-o", data.model]) == 0
    X = sparse.csr_array(data.X)
    np.savez(tmp_path / "data.npz", data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=data.y)
    assert main(["certify", data.model, str(tmp_path / "data.npz")]) == 0


def test_certify_refuses_other_data(tmp_path, data, capsys):
    assert main(["train", data.path, "-o", data.model]) == 0
    data.X[17, 2] += 1e-9
    pragam.datasets.save_svmlight(data.path, data.X, data.y)
    capsys.readouterr()
    assert main(["certify", data.model, data.path]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and "the certificate belongs to other data" in err


def _change(**risk):
    return lambda record, tensors: record["risk"]["each"].update(risk)


def _scale(factor, *names):
    return lambda record, tensors: tensors.update({name: factor * tensors[name] for name in names})


def _shift(name, by):
    return lambda record, tensors: tensors.update({name: tensors[name] + by})


TAMPERED = {
    "weights": (_scale(1.1, "coef"), 3, "Not certified"),
    "negative alpha": (_shift("dual.0.alpha", -1e-6), 2, "alpha is not in Q"),
    "smaller alpha": (_scale(0.9, "dual.0.alpha"), 3, "Not certified"),
    "short alpha": (lambda r, t: t.update({"dual.0.alpha": t["dual.0.alpha"][1:]}), 2, "alpha has 59 entries"),
    "intercept": (_shift("intercept", 0.1), 3, "Not certified"),
    "labels": (lambda r, t: r.update(labels=r["labels"][::-1]), 3, "Not certified"),
    "other labels": (lambda r, t: r.update(labels=[r["labels"][0], 7777]), 2, "y has the labels .* and the model"),
    "text labels": (lambda r, t: r.update(labels=["0", "1"]), 2, "y has the labels .* and the model"),
    "lam": (lambda r, t: r["risk"]["each"].update(lam=2 * r["risk"]["each"]["lam"]), 3, "Not certified"),
    "bad lam": (_change(lam=-1.0), 2, "lam must be a finite number > 0"),
    "no lam": (lambda r, t: r["risk"]["each"].pop("lam"), 2, "its risk 'hinge' must have bias, class_weight, lam"),
    "text lam": (_change(lam="1"), 2, "lam must be a"),
    "bias of 1": (_change(bias=1), 2, "bias must be"),
    "odd weights": (lambda r, t: r["risk"].update(class_weight=[["0", 2]]), 2, "class_weight"),
    "no risk": (lambda r, t: r.update(risk={}), 2, "it names no risk"),
    "unstated": (lambda r, t: r.update(risk={"name": "unstated"}), 2, "it names no risk"),
    "no tol": (lambda r, t: r.update(settings={}), 2, "its tol must be a number, not None; --tol"),
    "other risk": (_change(name="logistic"), 2, "its risk is 'logistic', and this pragam knows hinge"),
    "no proof": (lambda r, t: r.update(proofs=[]), 2, "no dual points"),
    "no point": (lambda r, t: r["proofs"][0].update(dual=None), 2, "no dual point"),
    "no print": (lambda r, t: r.update(fingerprint={}), 2, "does not say which data the certificate belongs to"),
    "other print": (lambda r, t: r["fingerprint"].update(sha256="0" * 64), 2, "belongs to other data"),
    "other size": (lambda r, t: r["fingerprint"].update(n=61), 2, "belongs to other data"),
    "other nnz": (lambda r, t: r["fingerprint"].update(nnz=1), 2, "belongs to other data"),
    "short weights": (lambda r, t: t.update({"given.weights": np.ones(59)}), 2, "sample_weight must hold 60 numbers"),
    "no weights": (lambda r, t: t.update({"given.weights": np.zeros(60)}), 2, "sample_weight must not be zero"),
    "negative weights": (lambda r, t: t.update({"given.weights": -np.ones(60)}), 2, "given.weights must be a vector"),
    "other weights": (lambda r, t: t.update({"given.weights": np.linspace(1, 2, 60)}), 3, "Not certified"),
    "unknown weights": (lambda r, t: t.update({"given.masses": np.ones(60)}), 2, "given.masses"),
}  # fmt: skip


@pytest.mark.parametrize("exact", [[], ["--exact"]], ids=["", "exact"])
@pytest.mark.parametrize("what", TAMPERED)
def test_certify_sees_through_a_tampered_model(data, capsys, what, exact):
    tamper, status, message = TAMPERED[what]
    assert main(["train", data.path, "-o", data.model]) == 0
    forge(data.model, tamper)
    capsys.readouterr()
    found = main(["certify", data.model, data.path, *exact])
    out, err = capsys.readouterr()
    assert found == status or (exact and found != 0)  # what is repaired in floats may be refused in fractions
    assert exact or re.search(message, err if status == 2 else out)
    assert err.count("\n") == (found == 2) and (found != 2 or err.startswith(f"pragam: {data.model}: "))


def test_an_intercept_is_alien_to_a_model_without_bias(data, capsys):
    assert main(["train", data.path, "-o", data.model, "--no-bias"]) == 0
    model = load(data.model)
    assert model.tensors["intercept"].tolist() == [0.0]
    other = data.model + "2"
    forge(data.model, _shift("intercept", 1e-9), other)
    assert main(["certify", other, data.path]) == 2
    forge(data.model, _scale(1.1, "coef"), other)
    assert main(["certify", other, data.path]) == 3


def test_of_several_best_intercepts_any_will_do(data, capsys):
    # At w = 0 with as many rows in either class, every bias in [-1, 1] has the same risk.
    assert main(["train", data.path, "-o", data.model, "--max-iter", "0"]) == 3
    assert not load(data.model).tensors["coef"].any()
    for intercept in (0.25, -1.0, 5.0):
        forge(data.model, lambda record, tensors, b=intercept: tensors.update(intercept=np.array([b])))
        assert main(["certify", data.model, data.path, "--tol", "1", "--json"]) == 0
        record = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert record["outputs"][0]["recomputed"]["primal"] == pytest.approx(max(1.0, (1 + intercept) / 2), rel=1e-12)


def test_a_forged_certificate_does_not_count(data, capsys):
    assert main(["train", data.path, "-o", data.model, "--solver", "newton", "--max-iter", "1", "--tol", "1e-9"]) == 3
    primal = load(data.model).certificate.primal
    forge(data.model, lambda record, tensors: stored(record, dual=primal))
    capsys.readouterr()
    assert main(["certify", data.model, data.path]) == 3
    assert "Stored bounds of 1 of 1 problems differ from the recomputed ones, which count." in capsys.readouterr().out
    assert main(["certify", data.model, data.path, "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["same_as_stored"] is False


@pytest.mark.parametrize("exact", [[], ["--exact"]], ids=["", "exact"])
def test_a_files_tolerance_is_believed_up_to_a_hundredth(data, capsys, exact):
    assert main(["train", data.path, "-o", data.model]) == 0
    forge(data.model, lambda record, tensors: (record["settings"].update(tol=10.0), tensors["coef"].fill(0.0)))
    capsys.readouterr()
    assert main(["certify", data.model, data.path, *exact]) == 3
    assert "the tolerance 0.01 (the loosest without --tol)." in capsys.readouterr().out
    assert main(["certify", data.model, data.path, "--json", *exact]) == 3
    record = json.loads(capsys.readouterr().out)
    assert (record["tol"], record["tol_of"]) == (0.01, "the loosest without --tol")
    assert main(["train", data.path, "-o", data.model, "--tol", "1e-4"]) == 0
    capsys.readouterr()
    assert main(["certify", data.model, data.path, *exact]) == 0
    assert "the tolerance 0.0001 (of the training)." in capsys.readouterr().out
    assert main(["certify", data.model, data.path, "--tol", "0.5", *exact]) == 0
    assert "the tolerance 0.5 (--tol)." in capsys.readouterr().out


@pytest.mark.parametrize("exact", [[], ["--exact"]], ids=["", "exact"])
def test_two_of_three_classes_are_not_those_of_the_data(tmp_path, capsys, exact):
    path, file = str(tmp_path / "data.svm"), str(tmp_path / "model")
    make_data(path, 3)
    assert main(["train", path, "-o", file]) == 0

    def cut(record, tensors):
        record.update(labels=record["labels"][:2], proofs=record["proofs"][1:2])
        tensors["dual.0.alpha"] = tensors["dual.1.alpha"]
        one_each = [name for name, tensor in tensors.items() if not name.startswith("dual.") and len(tensor) == 3]
        tensors.update({name: tensors[name][1:2] for name in one_each})

    forge(file, cut)
    capsys.readouterr()
    assert main(["certify", file, path, *exact]) == 2
    assert "y has the labels [0, 1, 2], and the model [0, 1]" in capsys.readouterr().err


BAD = {
    "no file": (["train", "none.svm"], "none.svm: No such file"),
    "bad text": (["train", "bad.svm"], "bad.svm, line 2: value 'x'"),
    "one class": (["train", "one.svm"], "one.svm: the data must have at least two classes, not only [7.0]"),
    "no labels": (["train", "bare.npy"], "bare.npy: there are no labels"),
    "no folder": (["train", "-o", "none/model"], "none/model: its folder does not exist"),
    "a folder": (["train", "-o", "."], ".: is a folder"),
    "C": (["train", "-C", "0"], "-C must be a positive number"),
    "lam": (["train", "--lam", "-1"], "lam must be a finite number > 0"),
    "tol": (["train", "--tol", "-1"], "tol must be"),
    "seed": (["train", "--seed", "-1"], "random_state must be None, a whole number >= 0"),
    "width": (["train", "--n-features", "7"], "has 30 features, not 7"),
    "float labels": (["train", "half.svm", "--classes", "--liblinear", "out"], "32-bit integers"),
    "fractions": (["train", "half.svm"], "half.svm: the labels have 2 values, not all whole numbers (0.5, 1.5"),
    "many labels": (["train", "many.svm"], "many.svm: the labels have 101 values (0, 1, 2, ...)"),
    "wide": (["train", "wide.svm"], "wide.svm, line 1: feature index 2147483647 makes 2147483647 columns, where 3"),
    "columns": (["train", "words.txt"], "words.txt, line 1: label 'Confidence' is not a finite number; it looks like"),
    "columns of numbers": (["train", "--task", "regress", "words.txt"], "it looks like a column file: --task chain"),
    "columns to predict": (["predict", "good.model", "words.txt"], "it looks like a column file: --task chain"),
    "CSV": (["train", "table.csv"], "table.csv, line 1: label 'a,b,c' is not a finite number; it looks like a table"),
    "model as data": (["train", "good.model"], "it looks like a pragam model: the commands take MODEL before DATA"),
    "data as model": (["predict", "one.svm", "good.model"], "it looks like svmlight data: the commands take MODEL"),
    "no data": (["certify", "good.model"], "good.model: it was not trained on the built-in example: name its"),
    "damaged npy": (["train", "bad.npy"], "bad.npy: the header of the file is damaged"),
    "NaN": (["train", "nan.npy"], "nan.npy contains NaN or infinity (first found in row 1)"),
    "two stdins": (["certify", "-", "-"], "only one of MODEL and DATA can be the standard input"),
    "folder as data": (["train", "."], ".: is no packed directory: it has no manifest.json"),
    "folder as model": (["predict", ".", "one.svm"], ".: Is a directory"),
    "full disk": (["train", "-o", "/dev/full", "--quiet"], "/dev/full: No space left on device"),
    "compact text": (["train", "one.svm", "--classes", "--compact-columns", "--liblinear", "x"], "one.svm: the data"),
    "no model": (["predict", "none", "half.svm"], "none: No such file"),
    "no such model": (["certify", "half.svm", "half.svm"], "half.svm: not a usable model file"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_one_line_and_status_2(tmp_path, capsys, monkeypatch, what):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.svm").write_text("1 1:1\n-1 1:x\n")
    (tmp_path / "one.svm").write_text("7 1:1\n7 1:2\n")
    (tmp_path / "many.svm").write_text("".join(f"{k} 1:1\n" for k in range(101)))
    (tmp_path / "wide.svm").write_text("1 1:1 2147483647:2\n-1 1:3\n")
    (tmp_path / "words.txt").write_text("Confidence NN B-NP\nin IN B-PP\n\nthe DT B-NP\n")
    (tmp_path / "table.csv").write_text("a,b,c\n1,2,3\n")
    (tmp_path / "good.model").write_bytes((Path(__file__).parents[1] / "files/old/version1/two.model").read_bytes())
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY\x01\x00\x05\x00{'a(\n")
    np.save(tmp_path / "nan.npy", np.array([[1.0], [np.nan]]))
    np.save(tmp_path / "nan.y.npy", np.array([0, 1]))
    (tmp_path / "half.svm").write_text("0.5 1:1\n1.5 1:2\n")
    np.save(tmp_path / "bare.npy", np.ones((2, 2)))
    before = sorted(os.listdir(tmp_path))
    argv, message = BAD[what]
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert message in err and err.count("\n") == 1 and err.startswith("pragam: ") and out == ""
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize(
    "argv",
    [["fly"], ["train", "--lam", "1", "-C", "1"], ["train", "--tol", "inf"], ["train", "--solver", "x"]],
)
def test_bad_arguments_are_one_line_and_status_2(capsys, argv):
    with pytest.raises(SystemExit) as stop:
        main(argv)
    err = capsys.readouterr().err
    assert stop.value.code == 2 and err.count("\n") == 1 and "--help" in err


def test_half_labels_stay_floats(tmp_path, capsys):
    (tmp_path / "half.svm").write_text("0.5 1:1\n2 1:2\n")
    assert main(["train", str(tmp_path / "half.svm"), "--classes", "-o", str(tmp_path / "m")]) == 0
    assert load(tmp_path / "m").labels.tolist() == [0.5, 2.0]
    capsys.readouterr()
    assert main(["predict", str(tmp_path / "m"), str(tmp_path / "half.svm")]) == 0
    assert capsys.readouterr().out == "0.5\n2.0\n"


@pytest.mark.parametrize("holds", [[True, True], [True, False], []])
def test_theory(monkeypatch, capsys, holds):
    checks = [
        SimpleNamespace(
            name=f"theorem {k}",
            statement="s",
            measured=1.0,
            bound=2.0,
            relation="<=",
            tolerance=1e-12,
            reference="r",
            holds=ok,
        )
        for k, ok in enumerate(holds)
    ]
    monkeypatch.setattr(theory, "names", lambda: [check.name for check in checks])
    monkeypatch.setattr(theory, "run", lambda names: [check for check in checks if check.name in names])
    assert main(["theory"]) == (0 if holds == [True, True] else 1)
    out = capsys.readouterr().out
    assert all(check.name in out for check in checks) and out.count("NO") == holds.count(False)
    assert out.count(" 1e-12 ") == len(holds)


def test_theory_runs_the_named_theorems_alone(capsys):
    assert main(["theory", "weak_duality"]) == 0
    out, err = capsys.readouterr()
    assert not err and all(line.startswith("weak_duality.") for line in out.splitlines()[1:-2])
    assert main(["theory", "nix"]) == 2
    out, err = capsys.readouterr()
    assert (
        not out and err.startswith("pragam: there is no theorem 'nix', only auto_guarantee, ") and err.count("\n") == 1
    )


def test_every_argument_has_help(capsys):
    from pragam.cli import make_parser

    commands = next(action for action in make_parser()._actions if action.choices)
    for parser in commands.choices.values():
        assert parser.description and all(action.help for action in parser._actions)
        assert "usage" in parser.format_help()


def test_version_and_start_up_stay_light():
    # scikit-learn, rich and safetensors take longer to load than the command takes to answer.
    heavy = "{'sklearn', 'rich', 'safetensors'}"
    tell = f"import atexit; atexit.register(lambda: print(sorted({heavy} & set(sys.modules))))"
    out, err = start("--version", before=tell).communicate(timeout=60)
    assert out.splitlines() == [f"pragam {pragam.__version__}", "[]"] and err == ""


def test_python_m_pragam(tmp_path):
    env = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(pragam.__file__))}
    done = subprocess.run(
        [sys.executable, "-m", "pragam", "train"], env=env, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0 and "relative gap" in done.stdout and os.listdir(tmp_path) == []


@pytest.mark.parametrize("n_classes", [2, 3])
def test_predict_writes_what_no_optimisation_can_change(tmp_path, capsys, n_classes):
    path, rough, fine = (str(tmp_path / name) for name in ("data.svm", "rough", "fine"))
    make_data(path, n_classes=n_classes)
    main(["train", path, "-o", rough, "--solver", "newton", "--tol", "1e-2"])
    main(["train", path, "-o", fine, "--tol", "1e-11"])
    capsys.readouterr()
    bounds = {}
    for name in (rough, fine):
        assert main(["predict", name, path, "--bounds", "--decision"]) == 0
        numbers = np.array([line.split()[1:] for line in capsys.readouterr().out.splitlines()], dtype=float)
        outputs = 1 if n_classes == 2 else n_classes
        scores, ends = numbers[:, :outputs], numbers[:, outputs:].reshape(len(numbers), outputs, 2)
        assert (ends[..., 0] <= scores).all() and (scores <= ends[..., 1]).all()
        bounds[name] = ends
    assert (bounds[rough][..., 0] <= bounds[fine][..., 1]).all() and (
        bounds[fine][..., 0] <= bounds[rough][..., 1]
    ).all()
    assert main(["predict", rough, path, "--bounds", "--json"]) == 0
    assert np.array(json.loads(capsys.readouterr().out)["bounds"], dtype=float).shape == (len(numbers), 2 * outputs)


def test_bounds_of_a_model_that_has_none_are_refused(data, capsys):
    assert main(["train", data.path, "-o", data.model]) == 0
    changes = {
        "does not say how far": lambda r, t: [t[name].fill(v) for name, v in (("radius", np.inf), ("low", -np.inf))],
        "no tensor 'radius'": lambda r, t: t.pop("radius"),
        "radius contains NaN": lambda r, t: t["radius"].fill(np.nan),
        "radius must be of the shape": lambda r, t: t.update(radius=np.zeros(2)),
    }
    for message, change in changes.items():
        forge(data.model, change, data.model + "2")
        capsys.readouterr()
        assert main(["predict", data.model + "2", data.path, "--bounds"]) == 2
        assert message in capsys.readouterr().err
