"""Experiments as figures (:func:`write_figures`, :func:`headline`) and as one web page (:func:`write_page`).

This package draws a :class:`pragam.compare.Experiment` and computes nothing new about solvers. Figures need the extra
``plot``, the page the extra ``report``.
"""

from pragam.report.figures import write_figures
from pragam.report.headline import headline
from pragam.report.page import write_page

__all__ = ["headline", "write_figures", "write_page"]
