"""Figures of results and models, for a notebook (extra ``plot``). The functions are in :mod:`pragam.report.plot`."""

from pragam.report.plot import certificates, coefficients, gap, path, transitions
from pragam.report.range_figure import proven_range

__all__ = ["certificates", "coefficients", "gap", "path", "proven_range", "transitions"]
