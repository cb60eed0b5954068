"""Figures of results and models, for a notebook (extra ``plot``). The functions are in :mod:`pragam.report.plot`."""

from pragam.report.plot import certificates, coefficients, gap, path, transitions

__all__ = ["certificates", "coefficients", "gap", "path", "transitions"]
