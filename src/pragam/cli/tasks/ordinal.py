"""Rows with a level: numbers whose order counts."""

from __future__ import annotations

import argparse

from pragam.cli.tasks.base import Input, Task, given
from pragam.cli.tasks.rows import READING, RowsOfNumbers, whole
from pragam.cli.tasks.tables import TABLE, training_samples
from pragam.risks import OrdinalHinge, Risk
from pragam.samples import Rows


def _read(args: argparse.Namespace) -> Input:
    data = training_samples(args)
    return data._replace(samples=Rows(data.samples.X, whole(data.samples.y)))


def _risk(lam: float, args: argparse.Namespace) -> Risk:
    return OrdinalHinge(lam=lam, **given(args, thresholds="thresholds"))


ORDINAL = Task(
    "ordinal", "rows with a level", RowsOfNumbers(), _read, _risk, (*READING, *TABLE, "standardize", "thresholds")
)
