"""Experiments as figures (:func:`write_figures`, :func:`headline`) and as one web page (:func:`write_page`).

This package draws a :class:`pragam.compare.Experiment` and computes nothing new about solvers. Whoever has more to say
hands it over as a :class:`Section`. Figures need the extra ``plot``, the page the extra ``report``.
"""

from pragam.report.figures import write_figures
from pragam.report.headline import headline
from pragam.report.page import write_page
from pragam.report.parts import Picture, Section, Table

__all__ = ["Picture", "Section", "Table", "headline", "write_figures", "write_page"]
