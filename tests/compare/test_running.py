"""Whole comparisons on small data: what is measured, what goes wrong, and how they go on."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from pragam import compare
from pragam.compare import Observer, peers, turns
from pragam.compare import load as load_experiment
from pragam.compare.journal import NAME, read
from pragam.datasets import save_svmlight

FAST = {"seconds": 60.0, "repeats": 1, "max_iter": 12, "quick": True}

FILE = """
import os, time
import numpy as np
from pragam.compare.peers import Fitted, Peer
from pragam.solvers import Pragam

class Bound(Pragam):
    name = "bound"


faster = Bound(lipschitz="bound")


class Stumbles(Pragam):
    name = "stumbles"

    def step(self, problem, state):
        if state.k == 3:
            raise ArithmeticError("a stone")
        return super().step(problem, state)


class Falls(Pragam):
    name = "falls"

    def init(self, problem, rng, start, tol):
        raise ArithmeticError("no legs")


class Mine(Peer):
    name, title, package, module, tightest = "mine", "mine", "numpy", "numpy", 0.0

    def fit(self, X, y, lam, bias, limit, tol):
        print("noise on the standard output")
        os.system("echo noise from a child")
        return Fitted(np.full(X.shape[1], 1 / limit), n_iter=min(limit, 5))


class Dies(Mine):
    name = "dies"

    def fit(self, X, y, lam, bias, limit, tol):
        if len(y) > 40 and limit > 2:
            os.kill(os.getpid(), 11)
        return super().fit(X, y, lam, bias, limit, tol)


class Raises(Mine):
    name = "raises"

    def fit(self, X, y, lam, bias, limit, tol):
        raise KeyError("nothing")


class Hangs(Mine):
    name = "hangs"

    def fit(self, X, y, lam, bias, limit, tol):
        if len(y) > 40:
            time.sleep(1000)
        return super().fit(X, y, lam, bias, limit, tol)
"""


@pytest.fixture
def data(tmp_path):
    """A file of 200 x 5."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((200, 5))
    y = np.where(X @ rng.standard_normal(5) + rng.standard_normal(200) > 0, 2, 1)
    save_svmlight(tmp_path / "made.svm", X, y)
    return str(tmp_path / "made.svm")


class Notes(Observer):
    def __init__(self):
        self.work, self.notes = [], []

    def working(self, what, done, total):
        self.work.append(what)

    def note(self, sentence):
        self.notes.append(sentence)


def test_a_comparison_is_measured_and_goes_on_with_more_solvers(tmp_path, data):
    folder = tmp_path / "out"
    first = compare.run([data], ["pragam", "pegasos-1", "liblinear"], folder=folder, **FAST)
    journal = (folder / NAME).read_bytes()
    assert sorted(path.name for path in folder.iterdir()) == ["experiment.json", NAME, "points.csv"]
    facts = first.data["made"]
    assert (facts.n, facts.d, facts.n_test, facts.lam) == (160, 5, 40, 1 / 160) and "seed 0" in facts.test
    assert first.references[("made", "hinge")].is_reached
    for run in first.runs:
        assert run.has_points and run.status and (run.accuracy > 0.5).all()
        assert (run.primal >= first.reference(run).dual).all()
        assert run.seconds.shape == (1, len(run.iteration)) and (run.seconds > 0).all()
    assert first.run("made", "pragam").iteration.tolist() == list(range(1, 13))
    assert first.run("made", "pegasos-1").iteration.tolist() == [160 * t for t in range(1, 13)]
    assert first.run("made", "liblinear").iteration.tolist() == [1, 2, 3, 4, 5, 6, 7, 9, 11, 12]

    seen = Notes()
    compare.run([data], ["pragam", "pegasos-1", "liblinear"], folder=folder, observer=seen, **FAST)
    assert (folder / NAME).read_bytes() == journal and not seen.work

    more = compare.run([data], ["pragam-b"], folder=folder, **FAST)
    assert (folder / NAME).read_bytes().startswith(journal)
    assert more.solvers == ["pragam", "pegasos-1", "liblinear", "pragam-b"]
    assert more.run("made", "pragam-b").problem == "hinge with a bias"
    assert ("made", "hinge with a bias") in more.references
    np.testing.assert_array_equal(more.run("made", "pragam").seconds, first.run("made", "pragam").seconds)
    with open(folder / "points.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == sum(run.seconds.size for run in more.runs)
    assert float(rows[0]["J"]) == more.runs[0].primal[0] and rows[0]["solver"] == "pragam"
    assert json.loads((folder / "experiment.json").read_text())["machine"]["versions"]["pragam"]
    assert load_experiment(folder).run("made", "pragam-b").primal.tolist() == more.runs[-1].primal.tolist()


def test_repeats_are_timed_at_the_same_points(tmp_path, data):
    options = {**FAST, "repeats": 2}
    experiment = compare.run([data], ["ls-bmrm", "liblinear"], folder=tmp_path / "out", **options)
    for run in experiment.runs:
        assert run.seconds.shape == (2, len(run.iteration))
    records = [
        (each["type"], each["solver"], each["repeat"]) for each in read(tmp_path / "out" / NAME) if "repeat" in each
    ]
    order = list(dict.fromkeys((solver, repeat) for kind, solver, repeat in records if kind in ("clocked", "fit")))
    assert order == [("ls-bmrm", 0), ("liblinear", 0), ("liblinear", 1), ("ls-bmrm", 1)]
    assert sum(kind == "traced" for kind, _, _ in records) == 1


def test_a_users_file_and_all_that_can_go_wrong_in_it(tmp_path, data, monkeypatch):
    """Nothing that a solver does keeps the others from being measured."""
    monkeypatch.setattr(turns.Plan, "cap", 1.0)
    file, broken, empty = tmp_path / "mine.py", tmp_path / "broken.py", tmp_path / "empty.py"
    file.write_text(FILE)
    broken.write_text("import a_module_that_there_is_not\n")
    empty.write_text("x = 1\n")
    names = [str(broken), str(empty), str(file), "newton-dense", "dcd"]
    seen = Notes()
    experiment = compare.run([data], names, folder=tmp_path / "out", observer=seen, **FAST)
    runs = {run.solver: run for run in experiment.runs}
    assert "a_module_that_there_is_not" in runs["broken.py"].status and not runs["broken.py"].has_points
    assert "defines no pragam.solvers.Solver" in runs["empty.py"].status and len(seen.notes) == 2
    assert runs["bound"].has_points and not runs["bound"].is_peer and runs["dcd"].has_points
    assert "a stone" in runs["stumbles"].status and 0 < len(runs["stumbles"].iteration) < 12
    assert "no legs" in runs["falls"].status and not runs["falls"].has_points
    assert runs["mine"].iteration.tolist() == [1, 2, 3, 4, 5] and "converged" in runs["mine"].status
    assert runs["mine"].is_peer and "SIGSEGV" in runs["dies"].status and runs["dies"].iteration.tolist() == [1, 2]
    assert runs["raises"].status == "KeyError: 'nothing'" and not runs["raises"].has_points
    assert runs["hangs"].status == "It took more than 1 s and was ended."
    file.write_text(FILE + "\n# another one\n")
    with pytest.raises(ValueError, match="has changed"):
        compare.run([data], names, folder=tmp_path / "out", **FAST)


def test_a_peer_that_is_not_installed_is_asked_for_again(tmp_path, data, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(peers, "is_installed", lambda peer: False)
        experiment = compare.run([data], ["liblinear"], folder=tmp_path / "out", **FAST)
        assert experiment.runs[0].status == "Not installed: pip install scikit-learn"
    experiment = compare.run([data], ["liblinear"], folder=tmp_path / "out", **FAST)
    assert experiment.runs[0].has_points


def test_another_plan_is_refused(tmp_path, data):
    folder = tmp_path / "out"
    compare.run([data], ["dcd"], folder=folder, **FAST)
    with pytest.raises(ValueError, match=r"tol 1e-09, not 0\.1"):
        compare.run([data], ["dcd"], folder=folder, **FAST, tol=0.1)
    with open(data, "a") as file:
        file.write("1 1:1\n")
    with pytest.raises(ValueError, match="made has changed"):
        compare.run([data], ["dcd", "newton"], folder=folder, **FAST)


def test_data_that_cannot_be_read_end_a_comparison_before_it_begins(tmp_path, data):
    other = tmp_path / "other.svm"
    other.write_text("1 1:x\n")
    seen = Notes()
    with pytest.raises(ValueError, match=r"other\.svm.*line 1"):
        compare.run([data, str(other)], ["dcd"], folder=tmp_path / "out", observer=seen, **FAST)
    assert seen.work == ["reading made", "reading other"] and not seen.notes
    other.write_text("1 1:1\n2 1:2\n" * 20)
    experiment = compare.run([data, str(other)], ["dcd"], folder=tmp_path / "out", **FAST)
    assert not experiment.failures and experiment.run("other", "dcd").has_points


def test_a_solver_that_does_not_fit_has_no_run_and_is_asked_once(tmp_path, data):
    seen, again = Notes(), Notes()
    names = ["dcd", "flow-ascent"]
    experiment = compare.run([data], names, folder=tmp_path / "out", observer=seen, **FAST)
    assert experiment.solvers == ["dcd"] and experiment.unfit == {"made": ("flow-ascent",)}
    assert any("which solvers fit" in what for what in seen.work) and not any("flow" in what for what in seen.work)
    assert compare.run([data], names, folder=tmp_path / "out", observer=again, **FAST).unfit == experiment.unfit
    assert not again.work


def test_data_that_have_gone_keep_their_points_and_wait(tmp_path, data):
    folder = tmp_path / "out"
    compare.run([data], ["dcd"], folder=folder, **FAST)
    Path(data).rename(tmp_path / "elsewhere")
    waiting = compare.run([data], ["dcd", "ls-bmrm"], folder=folder, **FAST)
    assert waiting.run("made", "dcd").has_points
    assert waiting.run("made", "ls-bmrm").status == "Not measured yet."
    (tmp_path / "elsewhere").rename(data)
    assert compare.run([data], ["ls-bmrm"], folder=folder, **FAST).run("made", "ls-bmrm").has_points


def test_test_rows_of_a_file_of_their_own(tmp_path, data):
    experiment = compare.run([data], ["newton"], folder=tmp_path / "out", test=data, lam=0.5, **FAST)
    facts = experiment.data["made"]
    assert (facts.n, facts.n_test, facts.test, facts.lam) == (200, 200, "file", 0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"solvers": ["nobody"]}, "solvers must be names"),
        ({"solvers": ["dcd", "dcd"]}, "'dcd' is named twice"),
        ({"data": ["a/x.svm", "b/x.svm"]}, "two data sets are called 'x'"),
        ({"solvers": []}, "at least one"),
        ({"seconds": 0.0}, "seconds"),
        ({"repeats": 0}, "repeats"),
        ({"threads": 0}, "threads"),
        ({"lam": -1.0}, "lam"),
        ({"tol": np.nan}, "tol"),
        ({"test": "x"}, "test belongs to one data set"),
    ],
)
def test_bad_arguments_are_named_before_anything_is_written(tmp_path, options, message):
    arguments = {"data": ["a9a"], "solvers": ["dcd"], **options}
    with pytest.raises(ValueError, match=message):
        compare.run(**arguments, folder=tmp_path / "out")
    assert not (tmp_path / "out").exists()
