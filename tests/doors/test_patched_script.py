"""A script for scikit-learn's LinearSVC on pragam, by import and by patch: each line is printed in docs/patch.md."""

from __future__ import annotations

import subprocess
import sys

import pytest

from printed import environment, needs_docs, taken

pytestmark = needs_docs

SCRIPT = """\
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

X, y = load_breast_cancer(return_X_y=True)
model = make_pipeline(StandardScaler(), LinearSVC(C=0.5)).fit(X, y)
"""
SAYS = 'print(f"{type(model[-1]).__module__}: {model.score(X, y):.4f}")\n'
PATCH = "import pragam\n\npragam.patch_sklearn()\n\n"
FIT = "model = make_pipeline(StandardScaler(), LinearSVC(C=0.5)).fit(X, y)\n"
SWAPPED = (
    "from pragam import LinearSVC\n",
    FIT.replace("C=0.5", 'C=0.5, loss="squared_hinge", intercept_scaling=1.0'),
)
BY_IMPORT = SCRIPT.replace("from sklearn.svm import LinearSVC\n", SWAPPED[0]).replace(FIT, SWAPPED[1])


def run(*arguments, cwd=None):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=cwd, env=environment())


def test_every_line_is_printed_in_the_docs():
    for script in (PATCH + SCRIPT + SAYS, BY_IMPORT, "python -m pragam.patch fit.py"):
        taken(script, "patch.md")


def test_the_script_is_the_same_and_its_solver_another(tmp_path):
    (tmp_path / "fit.py").write_text(SCRIPT + SAYS)
    (tmp_path / "inside.py").write_text(PATCH + SCRIPT + SAYS)
    (tmp_path / "import.py").write_text(BY_IMPORT + SAYS)
    ways = [("fit.py",), ("-m", "pragam.patch", "fit.py"), ("inside.py",), ("import.py",)]
    done = [run(*way, cwd=tmp_path) for way in ways]
    assert all(each.returncode == 0 and not each.stderr for each in done), [each.stderr for each in done]
    modules, scores = zip(*(each.stdout.strip().split(": ") for each in done), strict=True)
    assert modules[0] == "sklearn.svm._classes"
    assert modules[1] == modules[2] == "pragam.patch.linear_svc"
    assert modules[3] == "pragam.estimators.linear_svc"
    assert len(set(scores)) == 1


def test_a_script_has_its_arguments_its_folder_and_its_exit_status(tmp_path):
    (tmp_path / "beside.py").write_text("ANSWER = 7\n")
    (tmp_path / "program.py").write_text(
        "import sys, beside\nfrom sklearn.svm import LinearSVR\n"
        "print(__name__, sys.argv[1:], LinearSVR.__module__)\nsys.exit(beside.ANSWER)\n"
    )
    done = run("-m", "pragam.patch", str(tmp_path / "program.py"), "--C", "1")
    assert done.returncode == 7, done.stderr
    assert done.stdout.split("\n")[0] == "__main__ ['--C', '1'] pragam.patch.linear_svr"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no program is named"),
        (("-x",), "no program is named"),
        (("-m",), "no program is named"),
        (("no.py",), "no.py: there is no such file"),
    ],
)
def test_what_is_no_program_is_one_line_and_status_2(arguments, said, tmp_path):
    done = run("-m", "pragam.patch", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and said in done.stderr
