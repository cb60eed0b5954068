"""Figures: what is drawn is what was certified, and without matplotlib a clear word."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import pragam
from pragam.selection import tune

X, Y = pragam.datasets.load_example()


@pytest.fixture
def plt():
    matplotlib = pytest.importorskip("matplotlib", reason="the extra plot")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


@pytest.fixture(scope="module")
def result():
    return pragam.solve(pragam.hinge(X, Y, lam=1e-2), "qp-bmrm", tol=1e-4)


@pytest.fixture(scope="module")
def classes():
    y = np.digitize(X[:, 0], np.quantile(X[:, 0], [0.3, 0.7]))
    return pragam.LinearSVC(C=0.1).fit(X[:, :5], y)


@pytest.mark.parametrize("against", ["seconds", "passes", "iteration"])
def test_the_gap_drawn_is_the_certified_one(plt, result, against):
    ax = pragam.plot.gap(result.history, against=against)
    line = next(line for line in ax.lines if line.get_label().startswith("gap"))
    history = result.history
    assert (line.get_xdata() == getattr(history, against)).all()
    assert np.allclose(line.get_ydata() * abs(history.primal[-1]), history.gap, rtol=1e-12)
    parts = sum(np.nan_to_num(line.get_ydata()) for line in ax.lines[1:3])
    assert np.allclose(parts, ax.lines[0].get_ydata(), rtol=1e-6)  # the bounds' shares make up the gap
    assert ax.get_yscale() == "log"


def test_every_function_draws_on_the_axes_given_and_returns_them(plt, result, classes):
    lams = [0.1, 1e-3, 1e-2]
    results = pragam.path(pragam.hinge(X, Y), lams, tol=1e-3)
    for draw in (
        lambda ax: pragam.plot.gap(result, ax=ax),
        lambda ax: pragam.plot.path(results, lams=lams, ax=ax),
        lambda ax: pragam.plot.coefficients(classes, ax=ax),
        lambda ax: pragam.plot.certificates(classes, ax=ax),
        lambda ax: classes.plot(ax=ax),
        lambda ax: classes.plot("coefficients", ax=ax),
        lambda ax: classes.plot(kind="certificates", ax=ax),
    ):
        figure, ax = plt.subplots()
        assert draw(ax) is ax
        figure.canvas.draw()


def test_the_path_has_the_accuracy_with_its_errors(plt):
    found = tune(X, Y, [1e-2, 1e-4, 1.0], tol=1e-3)
    for table in (found, found.columns()):
        ax = pragam.plot.path(table)
        points, _, (bars,) = ax.containers[0]
        assert points.get_xdata().tolist() == [1e-4, 1e-2, 1.0]  # sorted
        assert np.allclose(points.get_ydata(), 100 * found.accuracy[[1, 0, 2]])
        lengths = [np.ptp(np.asarray(segment)[:, 1]) for segment in bars.get_segments()]
        assert np.allclose(lengths, 200 * found.error[[1, 0, 2]])


def test_the_path_of_results_counts_what_is_not_zero(plt):
    lams = [1e-3, 1.0]
    results = pragam.path(pragam.hinge(X, Y), lams, tol=1e-3)
    ax = pragam.plot.path(results, lams=lams)
    assert ax.lines[0].get_ydata().tolist() == [np.count_nonzero(r.alpha) for r in results]
    with pytest.raises(ValueError, match="lams"):
        pragam.plot.path(results)


def test_the_largest_coefficients_are_on_top_under_their_names(plt):
    model = pragam.LinearSVC(C=0.1).fit(X, Y)
    names = [f"name {j}" for j in range(30)]
    ax = pragam.plot.coefficients(model, feature_names=names, top=4)
    order = np.argsort(-np.abs(model.coef_[0]))[:4]
    assert [label.get_text() for label in ax.get_yticklabels()][::-1] == [names[j] for j in order]
    assert [bar.get_width() for bar in ax.patches][::-1] == model.coef_[0, order].tolist()
    assert "26 smaller" in ax.get_xlabel()
    with pytest.raises(ValueError, match="feature_names must hold 30 names"):
        pragam.plot.coefficients(model, feature_names=names[:3])


def test_names_come_from_the_data_frame(plt):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X[:, :3], columns=["a", "b", "<c>"])
    ax = pragam.LinearSVC(C=0.1).fit(frame, Y).plot("coefficients")
    assert {label.get_text() for label in ax.get_yticklabels()} == {"a", "b", "<c>"}


def test_sparse_coefficients_and_all_classes_are_drawn(plt, classes):
    dense = [bar.get_width() for bar in pragam.plot.coefficients(classes).patches]
    assert len(dense) == classes.coef_.size
    ax = pragam.plot.certificates(classes)
    assert [label.get_text() for label in ax.get_yticklabels()] == [f"class {k} against the rest" for k in range(3)]
    sparse = pragam.LinearSVC(C=0.1).fit(X[:, :5], Y).sparsify()
    assert len(pragam.plot.coefficients(sparse).patches) == 5


def test_errors_name_the_argument(plt, result, classes):
    with pytest.raises(ValueError, match="against"):
        pragam.plot.gap(result, against="hours")
    with pytest.raises(ValueError, match="kind"):
        classes.plot("pie")
    with pytest.raises(ValueError, match="history is empty"):
        pragam.plot.gap(pragam.History.from_rows([]))


def test_without_matplotlib_the_module_loads_and_a_figure_names_the_package():
    program = (
        "import sys; sys.modules['matplotlib'] = None; sys.modules['matplotlib.pyplot'] = None\n"
        "import pragam\n"
        "r = pragam.solve(pragam.hinge(*pragam.datasets.load_example()), tol=1e-1)\n"
        "try:\n    pragam.plot.gap(r)\nexcept ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "(pip install matplotlib)" in done.stdout
