"""Rows with a number: a tube around it, or some of its quantiles."""

from __future__ import annotations

import argparse

from pragam.cli.tasks.base import Task, free_bias, given
from pragam.cli.tasks.rows import READING, RowsOfNumbers
from pragam.cli.tasks.tables import TABLE, training_samples
from pragam.risks import Each, EpsilonInsensitive, Quantile, Risk


def _tube(lam: float, args: argparse.Namespace) -> Risk:
    return EpsilonInsensitive(lam=lam, bias=free_bias(args), **given(args, epsilon="epsilon"))


def _quantiles(lam: float, args: argparse.Namespace) -> Risk:
    return Each(risks=[Quantile(lam=lam, q=q, bias=free_bias(args)) for q in args.quantiles or [0.5]])


_OPTIONS = (*READING, *TABLE, "no_bias", "penalised", "standardize")

REGRESS = Task("regress", "rows with a number", RowsOfNumbers(), training_samples, _tube, (*_OPTIONS, "epsilon"))
QUANTILE = Task(
    "quantile",
    "rows with a number, for quantiles",
    RowsOfNumbers(),
    training_samples,
    _quantiles,
    (*_OPTIONS, "quantiles"),
)
