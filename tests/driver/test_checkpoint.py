"""What a checkpoint is refused for, how a run ends and goes on, and what happens where it cannot be written."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from scipy import sparse

import pragam
from killed import Killed, dying, lives, same_result
from pragam.driver.checkpoint import keeper
from pragam.driver.result import Status
from pragam.files import checkpoint_file, container


def data(n=600, d=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.where(X @ rng.standard_normal(d) + 2 * rng.standard_normal(n) > 0, 1, -1)


def problem(seed=0, lam=1e-3, **more):
    return pragam.hinge(*data(seed=seed), lam, bias=True, **more)


OPTIONS = {"solver": "qp-bmrm", "tol": 1e-5}


def begun(path, monkeypatch, after=3, **options):
    """A checkpoint of a solve that was killed."""
    with pytest.raises(Killed), dying(monkeypatch, after):
        pragam.solve(problem(), checkpoint=path, **{**OPTIONS, **options})
    return path


# What it belongs to ---------------------------------------------------------------------------------------------------

OTHERS = {
    "other data": (lambda: problem(seed=1), {}),
    "another lam": (lambda: problem(lam=1e-2), {}),
    "another risk": (lambda: problem(sample_weight=np.arange(600.0)), {}),
    r"another solver \(qp-bmrm, not pragam\)": (problem, {"solver": "pragam"}),
    r"another tol \(1e-05, not 0.001\)": (problem, {"tol": 1e-3}),
    r"another seed \(0, not 4\)": (problem, {"random_state": 4}),
    r"another stall \(True, not False\)": (problem, {"stall": False}),
    r"another screening": (problem, {"screening": False}),
    "another start": (problem, {"start": np.zeros(600)}),
}


@pytest.mark.parametrize("message", OTHERS)
@pytest.mark.parametrize("is_over", [False, True])
def test_one_of_anything_else_is_refused_in_one_line(message, is_over, tmp_path, monkeypatch):
    path, (make, options) = tmp_path / "c", OTHERS[message]
    if is_over:
        pragam.solve(problem(), checkpoint=path, **OPTIONS)
    else:
        begun(path, monkeypatch)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=f"c: is a checkpoint of {message}") as error:
        pragam.solve(make(), checkpoint=path, **{**OPTIONS, **options})
    assert "\n" not in str(error.value) and "give another path" in str(error.value)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["c"]


def test_equal_data_in_other_objects_are_the_same(tmp_path, monkeypatch):
    path = begun(tmp_path / "c", monkeypatch)
    assert same_result(pragam.solve(problem(), checkpoint=path, **OPTIONS), pragam.solve(problem(), **OPTIONS)) == []


def test_one_of_another_version_is_refused(tmp_path, monkeypatch):
    path = begun(tmp_path / "c", monkeypatch)
    monkeypatch.setattr(pragam, "__version__", "99.0")
    with pytest.raises(ValueError, match=r"another version of pragam \(.*, not 99.0\)"):
        pragam.solve(problem(), checkpoint=path, **OPTIONS)
    monkeypatch.setattr(checkpoint_file, "VERSION", 2)
    with pytest.raises(ValueError, match="its version is 1, and this pragam has 2"):
        pragam.solve(problem(), checkpoint=path, **OPTIONS)


def test_any_bit_that_has_changed_is_noticed(tmp_path, monkeypatch):
    """Anywhere in the file, and wherever it ends; never a crash, never another answer."""
    path = begun(tmp_path / "c", monkeypatch)
    content, rng = path.read_bytes(), np.random.default_rng(0)
    alone = pragam.solve(problem(), **OPTIONS)
    places = [*range(16), *rng.integers(0, len(content), 60).tolist()]
    for at in places:
        changed = bytearray(content)
        changed[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(changed)
        try:
            found = pragam.solve(problem(), checkpoint=path, **OPTIONS)
        except ValueError as error:
            assert str(path) in str(error) and "\n" not in str(error)
        else:  # a space, or the case of a letter that JSON does not tell apart
            assert same_result(found, alone) == []
    for length in (0, 5, 8, 100, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match="not a usable checkpoint"):
            pragam.solve(problem(), checkpoint=path, **OPTIONS)


def test_other_files_are_no_checkpoints(tmp_path):
    path = tmp_path / "c"
    for content in (b"1 1:2 3:4\n", b"\x80\x04pickle", b'{"a": 1}'):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="c: not a usable checkpoint"):
            pragam.solve(problem(), checkpoint=path)
        assert path.read_bytes() == content
    container.write(path, {"format": "pragam-model", "version": 4}, {})
    with pytest.raises(ValueError, match="it is of another format"):
        pragam.solve(problem(), checkpoint=path)


@pytest.mark.parametrize("bad", [3, "", b"c"])
def test_what_is_no_path_is_refused(bad):
    with pytest.raises(ValueError, match="checkpoint must be None or the path of a file"):
        pragam.solve(problem(), checkpoint=bad)


def test_places_where_nothing_can_be_written_are_named_before_the_solve(tmp_path):
    (tmp_path / "file").write_text("")
    for place, message in (
        ("", "is a directory"),
        ("no/c", "No such file"),
        ("file/c", "no checkpoint can be written"),
    ):
        with pytest.raises(ValueError, match=message):
            pragam.solve(problem(), checkpoint=tmp_path / place, callback=lambda step: pytest.fail("it has begun"))
    with pytest.raises(ValueError, match="is a file, and the checkpoints of several solves are a directory"):
        pragam.path(problem(), [0.1], checkpoint=tmp_path / "file")
    with pytest.raises(ValueError, match="no checkpoints can be written here"):
        pragam.path(problem(), [0.1], checkpoint=tmp_path / "no" / "folder")


def test_a_generator_is_refused(tmp_path):
    with pytest.raises(ValueError, match="random_state must be a seed"):
        pragam.solve(problem(), random_state=np.random.default_rng(0), checkpoint=tmp_path / "c")


# How runs end and go on -----------------------------------------------------------------------------------------------


def test_a_finished_one_returns_its_result_at_once(tmp_path):
    path = tmp_path / "c"
    alone = pragam.solve(problem(), checkpoint=path, **OPTIONS)
    again = pragam.solve(
        problem(), checkpoint=path, callback=lambda step: pytest.fail("it was over"), max_iter=1, **OPTIONS
    )
    assert same_result(alone, again) == [] and np.array_equal(alone.history.seconds, again.history.seconds)
    assert pragam.certify(problem(), again.w, again.alpha).gap == again.certificate.gap


def test_iterations_of_all_runs_count_and_a_larger_budget_goes_on(tmp_path):
    path, alone = tmp_path / "c", pragam.solve(problem(), **OPTIONS)
    for budget in (0, 3, 3, 7, 20):
        found = pragam.solve(problem(), checkpoint=path, max_iter=budget, **OPTIONS)
        assert same_result(found, pragam.solve(problem(), max_iter=budget, **OPTIONS)) == []
        assert (found.n_iter, found.status) == (budget, Status.MAX_ITER)
    assert same_result(pragam.solve(problem(), checkpoint=path, **OPTIONS), alone) == []


def test_seconds_are_those_of_each_run_and_each_gets_on(tmp_path):
    """The end is the same, and no iteration is made twice."""
    path, steps, options = tmp_path / "c", [], {"solver": "pragam", "tol": 0.0, "max_iter": 40}

    def slow(step):
        steps.append(step.iteration)
        time.sleep(0.01)

    alone, found = pragam.solve(problem(), **options), None
    while found is None or found.status is Status.MAX_SECONDS:
        found = pragam.solve(problem(), checkpoint=path, max_seconds=0.05, callback=slow, **options)
    assert steps == list(range(1, 41))
    assert same_result(found, alone) == []
    assert (np.diff(found.history.seconds) >= 0).all() and found.history.seconds[-1] > 0.3


@pytest.mark.parametrize("way", ["stops", "raises", "interrupts"])
def test_whatever_a_callback_does_the_run_goes_on_later(way, tmp_path):
    path, alone = tmp_path / "c", pragam.solve(problem(), **OPTIONS)

    def callback(step):
        if step.iteration < 5:
            return False
        if way == "interrupts":
            raise KeyboardInterrupt
        if way == "raises":
            raise RuntimeError("mine")
        return True

    if way == "raises":
        with pytest.raises(RuntimeError, match="mine"):
            pragam.solve(problem(), checkpoint=path, callback=callback, **OPTIONS)
    else:
        ended = pragam.solve(problem(), checkpoint=path, callback=callback, **OPTIONS)
        assert ended.status is (Status.STOPPED if way == "stops" else Status.INTERRUPTED)
    seen = []
    found = pragam.solve(problem(), checkpoint=path, callback=lambda step: seen.append(step.iteration), **OPTIONS)
    assert same_result(found, alone) == [] and seen[0] == 6


def test_ctrl_c_in_the_middle_of_an_iteration_leaves_what_was_whole(tmp_path, monkeypatch):
    """What was broken off is no state to go on from: the last one that was written stays."""
    path, alone = tmp_path / "c", pragam.solve(problem(), **OPTIONS)
    monkeypatch.setattr(keeper, "_LEAST", 0.0)
    monkeypatch.setattr(keeper, "_SHARE", 0.0)
    step = pragam.solvers.QpBmrm.step

    def torn(self, problem, state):
        if len(state.cuts) == 6:
            state.w = np.full_like(state.w, np.nan)
            raise KeyboardInterrupt
        return step(self, problem, state)

    with monkeypatch.context() as patch:
        patch.setattr(pragam.solvers.QpBmrm, "step", torn)
        assert pragam.solve(problem(), checkpoint=path, **OPTIONS).status is Status.INTERRUPTED
    assert same_result(pragam.solve(problem(), checkpoint=path, **OPTIONS), alone) == []


def test_a_failure_leaves_what_was_before_it(tmp_path, monkeypatch):
    """Memory that is short today may not be tomorrow."""
    path, alone = tmp_path / "c", pragam.solve(problem(), **OPTIONS)
    step = pragam.solvers.QpBmrm.step

    def fails(self, problem, state):
        if len(state.cuts) == 6:
            raise MemoryError("none left")
        return step(self, problem, state)

    with monkeypatch.context() as patch:
        patch.setattr(pragam.solvers.QpBmrm, "step", fails)
        patch.setattr(keeper, "_LEAST", 0.0)
        patch.setattr(keeper, "_SHARE", 0.0)
        assert pragam.solve(problem(), checkpoint=path, **OPTIONS).status is Status.FAILED
    assert same_result(pragam.solve(problem(), checkpoint=path, **OPTIONS), alone) == []


# Writing --------------------------------------------------------------------------------------------------------------


def full(*arguments):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_costs_the_checkpoint_not_the_solve(tmp_path, monkeypatch):
    path = begun(tmp_path / "c", monkeypatch)
    before, alone = path.read_bytes(), pragam.solve(problem(), **OPTIONS)
    with monkeypatch.context() as patch:
        patch.setattr(keeper, "_LEAST", 0.0)
        patch.setattr(keeper, "_SHARE", 0.0)
        patch.setattr("os.fsync", full)
        with pytest.warns(RuntimeWarning, match="the checkpoint was not written .No space left on device.") as told:
            found = pragam.solve(problem(), checkpoint=path, **OPTIONS)
    assert same_result(found, alone) == [] and len(told) == 1
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["c"]
    assert same_result(pragam.solve(problem(), checkpoint=path, **OPTIONS), alone) == []


def test_writing_takes_no_more_than_its_share(tmp_path, monkeypatch):
    """By a clock of the test's own: a second between two writings at least, and 50 times what one takes."""
    now, writes = [0.0], []

    def write(path, content):
        writes.append(now[0])
        now[0] += 1.0 if len(writes) > 3 else 0.001

    monkeypatch.setattr(keeper.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(checkpoint_file, "write", write)

    def tick(step):
        now[0] += 0.25

    pragam.solve(
        problem(), checkpoint=tmp_path / "c", callback=tick, stall=False, solver="pragam", tol=0.0, max_iter=900
    )
    waits = np.diff(writes[:-1])
    assert (waits[:3] >= 1.0).all() and waits[:3].max() <= 1.3
    assert (waits[3:] >= 51.0).all()


def test_what_cannot_be_written_is_said_before_the_solve(tmp_path):
    class Own(pragam.solvers.QpBmrm):
        def init(self, problem, rng, start, tol):
            state = super().init(problem, rng, start, tol)
            state.lock = threading.Lock()
            return state

    with pytest.raises(ValueError, match="what the solver remembers cannot be written: it holds a lock"):
        pragam.solve(problem(), Own(), checkpoint=tmp_path / "c")
    assert os.listdir(tmp_path) == []


def test_two_at_once_are_refused(tmp_path):
    path = tmp_path / "c"

    def again(step):
        with pytest.raises(ValueError, match="another process has its checkpoint here"):
            pragam.solve(problem(), checkpoint=path, **OPTIONS)
        return True

    assert pragam.solve(problem(), checkpoint=path, callback=again, **OPTIONS).status is Status.STOPPED
    assert os.listdir(tmp_path) == ["c"]


# Several solves -------------------------------------------------------------------------------------------------------

LAMS = [1.0, 0.1, 1e-2, 1e-3]


def test_a_path(tmp_path, monkeypatch):
    alone = pragam.path(problem(), LAMS, 1e-6, "newton")
    found, deaths = lives(monkeypatch, lambda: pragam.path(problem(), LAMS, 1e-6, "newton", checkpoint=tmp_path / "p"))
    assert deaths > len(LAMS)
    assert [same_result(*pair) for pair in zip(alone, found, strict=True)] == [[]] * len(LAMS)


def test_a_path_that_a_budget_cuts_gets_on(tmp_path):
    """Points from starts that a budget has cut are done again where they are not certified, and only there."""
    options = {"solver": "qp-bmrm", "tol": 1e-5, "checkpoint": tmp_path / "p"}
    for budget in (3, 10, 40, None):
        found = pragam.path(problem(), LAMS, max_iter=budget, **options)
    assert all(result.converged for result in found)


@pytest.mark.parametrize("tol", [1e-2, 1e-6])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_one_against_the_rest(tol, n_jobs, tmp_path, monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((700, 40)) * (rng.random((700, 40)) < 0.3)
    y = (X @ rng.standard_normal((40, 5)) + rng.standard_normal((700, 5))).argmax(axis=1)
    X = sparse.csr_array(X)

    def fit(**more):
        return pragam.LinearSVC(tol=tol, C=0.05, n_jobs=n_jobs, **more).fit(X, y)

    alone = fit()
    found, deaths = lives(monkeypatch, lambda: fit(checkpoint=tmp_path / "f"), after=4)
    assert deaths > 1
    assert np.array_equal(alone.coef_, found.coef_) and np.array_equal(alone.intercept_, found.intercept_)
    assert alone.certificates_ == found.certificates_ and alone.n_iter_ == found.n_iter_
    assert [len(history) for history in alone.histories_] == [len(history) for history in found.histories_]


def test_several_quantiles(tmp_path, monkeypatch):
    X, _ = data()
    t = X.sum(axis=1) + np.random.default_rng(0).standard_normal(len(X))

    def fit(**more):
        return pragam.QuantileRegressor(quantile=[0.1, 0.5, 0.9], tol=1e-6, **more).fit(X, t)

    found, _ = lives(monkeypatch, lambda: fit(checkpoint=tmp_path / "f"), after=3)
    assert np.array_equal(fit().coef_, found.coef_)


def test_an_estimator_refuses_the_checkpoint_of_other_data(tmp_path):
    X, y = data()
    pragam.LinearSVC(checkpoint=tmp_path / "f").fit(X, y)
    with pytest.raises(ValueError, match="is a checkpoint of other data"):
        pragam.LinearSVC(checkpoint=tmp_path / "f").fit(X + 1, y)


def test_packed_data_are_known_by_their_manifest(tmp_path, monkeypatch):
    """No reading is made to know them; and rows that were in memory are read again."""
    X, y = data(3000, 6)
    packed = pragam.pack([(X, y)], tmp_path / "d", chunk_bytes=16_000)
    make = lambda: pragam.hinge(packed, lam=1e-3, bias=True)  # noqa: E731
    alone = pragam.solve(make(), tol=1e-6)
    found, deaths = lives(monkeypatch, lambda: pragam.solve(make(), tol=1e-6, checkpoint=tmp_path / "c"))
    assert same_result(alone, found) == [] and deaths > 0
    other = pragam.pack([(X, y)], tmp_path / "e", chunk_bytes=16_000, seed=1)
    with pytest.raises(ValueError, match="other data"):
        pragam.solve(pragam.hinge(other, lam=1e-3, bias=True), tol=1e-6, checkpoint=tmp_path / "c")


# Real processes and signals -------------------------------------------------------------------------------------------

SCRIPT = """
import sys
import numpy as np
import pragam
from pragam.driver.checkpoint import keeper

keeper._LEAST = keeper._SHARE = 0.0
rng = np.random.default_rng(0)
X = rng.standard_normal((30_000, 12))
y = np.where(X @ rng.standard_normal(12) + 2 * rng.standard_normal(30_000) > 0, 1, -1)

def slowly(step):
    print(step.iteration, flush=True)

pragam.solve(
    pragam.hinge(X, y, 1e-3, bias=True), SOLVER, tol=1e-7, max_iter=60, checkpoint=sys.argv[1], callback=slowly
)
"""


@pytest.mark.parametrize("solver", ["auto", "dcd", "qp-bmrm", "pragam"])
def test_sigkill(solver, tmp_path):
    """At some line of its output, so after a writing, or in one; each process makes some steps more."""
    path, lines, deaths = tmp_path / "c", 3, 0
    script = textwrap.dedent(SCRIPT).replace("SOLVER", repr(solver))
    for _ in range(4):
        with subprocess.Popen([sys.executable, "-c", script, path], stdout=subprocess.PIPE, text=True) as run:
            for _ in range(lines):
                run.stdout.readline()
            run.send_signal(signal.SIGKILL)
            deaths += run.wait() == -signal.SIGKILL
    assert deaths > 0
    options, large = {"tol": 1e-7, "max_iter": 60}, pragam.hinge(*data(30_000), 1e-3, bias=True)
    alone = pragam.solve(large, solver, **options)
    seen = []
    found = pragam.solve(large, solver, checkpoint=path, callback=lambda s: seen.append(s.iteration), **options)
    assert same_result(alone, found) == []
    assert not seen or seen[0] > 1
    assert os.listdir(tmp_path) == ["c"]  # what killed writers left is gone


@pytest.mark.parametrize("kind", ["memory map", "frame", "float32", "standardized, sparse"])
def test_data_of_every_kind(kind, tmp_path, monkeypatch):
    pd = pytest.importorskip("pandas")
    X, y = data(400, 6)
    if kind == "memory map":
        np.save(tmp_path / "X.npy", X)
    X = {
        "memory map": lambda: np.load(tmp_path / "X.npy", mmap_mode="r"),
        "frame": lambda: pd.DataFrame(X, columns=list("abcdef")),
        "float32": lambda: X.astype(np.float32),
        "standardized, sparse": lambda: sparse.csr_array(np.where(X > 0, X, 0.0)),
    }[kind]()

    def fit(**more):
        return pragam.LinearSVC(solver="qp-bmrm", standardize="stand" in kind, **more).fit(X, y)

    alone = fit()
    found, deaths = lives(monkeypatch, lambda: fit(checkpoint=tmp_path / "f"), after=20)
    assert np.array_equal(alone.coef_, found.coef_) and alone.certificate_ == found.certificate_ and deaths > 1
