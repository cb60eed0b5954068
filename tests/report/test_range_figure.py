"""The figure of a proven range draws the proof's own cells, and says no more than is proven."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from pragam import risks
from pragam.selection.proven.shown import percent

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 4))
    return X, X @ rng.standard_normal(4) + rng.standard_normal(200)


@pytest.fixture(autouse=True)
def _close():
    plt.switch_backend("agg")
    yield
    plt.close("all")


def band(ax):
    """The lower and the upper edge."""
    return [line.get_ydata() for line in ax.lines[:2]]


def title(axes):
    return " ".join(text.get_text() for text in axes[0].figure.texts)


def test_the_band_has_the_cells_and_the_line_is_the_best_error(rows):
    X, y = rows
    found = pragam.tune(X, y > 0, (2.0**-10, 1.0), prove=0)
    axes = found.plot()
    lower, upper = band(axes[0])
    np.testing.assert_array_equal(lower, np.repeat(found.cells.lower, 2))
    np.testing.assert_array_equal(upper, np.repeat(found.cells.upper, 2))
    np.testing.assert_array_equal(axes[0].lines[2].get_xdata(), found.points.lam)
    assert set(axes[0].lines[3].get_ydata()) == {found.error} and (lower >= found.error).all()
    assert "has a lower validation error" in title(axes) and "2^{-10}" in title(axes)
    low, high = axes[1].get_xlim()
    assert found.lams[0] <= low <= found.lam <= high <= found.lams[1]


def test_a_short_range_has_numbers_on_its_axes(rows):
    X, y = rows
    axes = pragam.tune(X, y > 0, (0.001, 0.0012), prove=0.05).plot()
    axes[0].figure.canvas.draw()
    for ax in axes:
        low, high = ax.get_xlim()
        said = [label.get_text() for label in ax.get_xticklabels() if low <= label.get_position()[0] <= high]
        assert len(set(said)) >= 2 and all(low <= float(lam) <= high for lam in said)


def test_what_is_said_of_the_best_does_not_lie_on_the_strip(rows):
    """Where the best error is 0, and all others are as good for all that is known."""
    X, y = rows
    ax = pragam.tune(np.c_[X, 99 * np.sign(y)], y > 0, (2.0**-10, 1.0), prove=0.9).plot()[1]
    ax.figure.canvas.draw()
    (strip, *_), (text,) = ax.patches, ax.texts
    assert not strip.get_window_extent().overlaps(text.get_window_extent())


def test_less_that_is_proven_is_what_the_title_says(rows):
    X, y = rows
    found = pragam.tune(X, y > 0, (2.0**-10, 1.0), prove=0, cv=2, callback=lambda step: step.n_points == 7)
    assert f"is better by more than {percent(found.proven, 3)}" in title(found.plot()) and found.proven > 0
    assert "2 folds of 200 rows" in title(found.plot())


def test_losses_have_no_shares_and_given_axes_are_drawn_on(rows):
    X, y = rows
    found = pragam.tune(X, y, (2.0**-10, 1.0), risk=risks.Quantile(), prove=0.1, max_seconds=30)
    axes = plt.subplots(1, 2)[1]
    assert pragam.plot.proven_range(found, axes) is axes
    axes[0].figure.canvas.draw()
    assert "pinball" in axes[0].get_ylabel() and not any("%" in t.get_text() for t in axes[1].get_yticklabels())


def test_nothing_that_is_known_is_a_figure_too(rows):
    X, y = rows
    found = pragam.tune(X, y, (2.0**-10, 1.0), risk=risks.Quantile(), prove=0.1, max_seconds=0)
    found.plot()[0].figure.canvas.draw()


def test_an_end_that_came_early_is_a_readable_figure(rows):
    """Nothing is claimed of which nothing is proven, the legend is beside the band, and axes have several numbers."""
    X, y = rows
    found = pragam.tune(X, y > 0, (2.0**-10, 1.0), prove=0, max_seconds=0)
    axes = found.plot()
    axes[0].figure.canvas.draw()
    assert "Nothing is proven yet" in title(axes) and "by 1 solve:" in title(axes)
    legend = axes[0].get_legend()
    assert legend.get_window_extent().y1 <= axes[0].get_window_extent().y0
    assert any("1 value of" in text.get_text() for text in legend.get_texts())
    for ax in axes:
        low, high = ax.get_ylim()
        assert sum(low <= tick <= high for tick in ax.get_yticks()) >= 4


@pytest.mark.filterwarnings("error")
def test_a_range_of_two_neighbours_is_a_figure(rows):
    X, y = rows
    pragam.tune(X, y > 0, (1.0, np.nextafter(1.0, 2)), prove=0.5).plot()[0].figure.canvas.draw()
