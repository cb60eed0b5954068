"""The pictures of the theory show what the theory measures."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import numpy as np
import pytest

from pragam.paper.theory._curves import example_qp, lower_bound_curves, median_rounds, pragam_curve, vertex_start
from pragam.paper.theory._instances import hadamard_problem


def figures():
    """The module, where Matplotlib is installed."""
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    from pragam.paper import figures as theory_figures

    return theory_figures


def test_lower_bound_curves_are_those_of_the_theorem():
    d, lam = 16, 0.1
    curves = lower_bound_curves(d, lam, 2 * d)
    before = curves.t < d
    for name in ("qp-bmrm", "ls-bmrm", "pegasos-n, raw"):
        np.testing.assert_allclose(curves.error[name][before], (curves.bound + 1 / (2 * lam * d))[before], rtol=1e-9)
        assert abs(curves.error[name][d:]).max() < 1e-12
    for name in ("qp-bmrm", "ls-bmrm", "pegasos-n"):
        np.testing.assert_allclose(curves.proved[name][before], curves.bound[before], rtol=1e-9)
    assert (curves.error["pegasos-n"] >= curves.bound * (1 - 1e-9)).all()


def test_pragam_is_within_its_bound_from_both_starts():
    problem = hadamard_problem(16, 0.1)
    centre, vertex = (pragam_curve(problem, 50, start) for start in (None, vertex_start(problem)))
    assert centre.gap.max() < 1e-12 and vertex.gap[0] > 1
    for curve in (centre, vertex):
        assert (curve.gap <= curve.bound).all()


def test_median_rounds_end_at_the_root_of_the_library():
    qp = example_qp()
    rounds = median_rounds(qp)
    counts = [len(found.kinks) for found in rounds]
    assert counts[0] == 16 and counts[-1] == 0
    assert all(2 * after <= before for before, after in pairwise(counts))
    low, high = rounds[-1][:2]
    at_low, at_high = qp.f(np.array([low, high]))
    assert at_low < 0 <= at_high
    assert low - at_low * (high - low) / (at_high - at_low) == pytest.approx(qp.root, abs=1e-12)


def test_pieces_are_constant_outside_their_kinks_and_tie_in_one():
    qp = example_qp()
    np.testing.assert_allclose(qp.pieces(np.array([-1e9]))[:, 0], qp.lower)
    np.testing.assert_allclose(qp.pieces(np.array([1e9]))[:, 0], qp.upper)
    assert np.isclose(np.diff(qp.kinks), 0).sum() == 1


def test_figures_are_drawn_the_same_by_function_and_command(tmp_path, capsys):
    module = figures()
    written = module.write(tmp_path / "a")
    assert module.main([str(tmp_path / "b")]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed == [str(tmp_path / "b" / path.name) for path in written]
    for path in written:
        content = path.read_bytes()
        assert 10_000 < len(content) < 100_000
        assert ElementTree.fromstring(content).tag.endswith("svg")
        assert content == (tmp_path / "b" / path.name).read_bytes()


def test_pictures_have_captions():
    found = figures().pictures()
    assert len(found) == 3
    assert all(caption.endswith(".") and figure.axes for caption, figure in found)


def test_curves_in_the_figure_are_the_measured_ones():
    left, right = figures().lower_bound(d=16).axes
    curves = lower_bound_curves(16, 0.1, 32)
    drawn = {line.get_label(): line.get_ydata() for line in left.get_lines()}
    np.testing.assert_array_equal(drawn["pegasos-n"], curves.error["pegasos-n"])
    np.testing.assert_array_equal(drawn["qp-bmrm"], curves.error["qp-bmrm"][:15])
    assert "1/(2λt)" in {line.get_label() for line in right.get_lines()}


def test_command_refuses_in_one_line(tmp_path, capsys):
    module = figures()
    (tmp_path / "file").write_text("")
    for wrong in ([], ["--help"], [str(tmp_path / "file")]):
        assert module.main(wrong) == 2
        printed = capsys.readouterr()
        assert not printed.out and len(printed.err.splitlines()) == 1


def test_without_matplotlib_the_package_is_named(monkeypatch, tmp_path, capsys):
    from pragam.paper import figures as theory_figures

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        theory_figures.median_search()
    assert theory_figures.main([str(tmp_path)]) == 2
    assert "pip install matplotlib" in capsys.readouterr().err
