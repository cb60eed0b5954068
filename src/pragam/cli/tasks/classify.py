"""Rows with a class: one problem for each class against the rest, or all classes in one problem."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from pragam.cli.tasks.base import Input, Task, free_bias, given
from pragam.cli.tasks.rows import READING, RowsOfNumbers, name_of, whole
from pragam.cli.tasks.tables import TABLE, training_samples
from pragam.risks import Hinge, MulticlassHinge, OneVsRest, Risk, SmoothedHinge, SquaredHinge

#: With more distinct labels than this, they are probably not classes.
MANY = 100

_LOSSES = {risk.name: risk for risk in (Hinge, SquaredHinge, SmoothedHinge)}


def _read(args: argparse.Namespace) -> Input:
    data = training_samples(args, texts=True)
    return data._replace(samples=_with(data.samples, checked_classes(data.samples.y, args)))


def checked_classes(y: Any, args: argparse.Namespace) -> Any:
    """The labels, whole ones as integers. Labels that do not look like classes need --classes."""
    classes, name = np.unique(y), name_of(args.data)
    if len(classes) < 2:
        raise ValueError(f"{name}: the data must have at least two classes, not only {classes.tolist()}")
    if y.dtype.kind == "U":
        if not args.classes and len(classes) > MANY:
            some = ", ".join(map(repr, classes[:3].tolist()))
            raise ValueError(f"{name}: the target has {len(classes)} texts ({some}, ...): --classes makes each a class")
        return y
    labels = whole(y)
    if not args.classes and (labels.dtype.kind == "f" or len(classes) > MANY):
        some = ", ".join(f"{label:g}" for label in classes[:3])
        what = f"{len(classes)} values" + ("" if labels.dtype.kind == "i" else ", not all whole numbers")
        raise ValueError(
            f"{name}: the labels have {what} ({some}, ...): this looks like --task regress; --classes makes every "
            "value a class"
        )
    return labels


def _with(samples: Any, y: Any) -> Any:
    return type(samples)(samples.X, y, samples.weights)


def _one_vs_rest(lam: float, args: argparse.Namespace) -> Risk:
    if (args.loss or "hinge") not in _LOSSES:
        raise ValueError(f"--loss must be one of {', '.join(_LOSSES)}, not {args.loss!r:.40}")
    each = _LOSSES[args.loss or "hinge"](lam=lam, bias=free_bias(args))
    return OneVsRest(each=each, **given(args, class_weight="class_weight"))


def _multiclass(lam: float, args: argparse.Namespace) -> Risk:
    return MulticlassHinge(lam=lam, bias=free_bias(args), **given(args, class_weight="class_weight"))


_OPTIONS = (*READING, *TABLE, "no_bias", "penalised", "standardize", "class_weight", "classes")

CLASSIFY = Task("classify", "rows with a class", RowsOfNumbers(), _read, _one_vs_rest, (*_OPTIONS, "loss"))
MULTICLASS = Task(
    "multiclass", "rows with a class, all in one problem", RowsOfNumbers(), _read, _multiclass, _OPTIONS, tol=1e-4
)
