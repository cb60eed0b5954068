"""What DATA may hold, and what is to be learnt from it: a task is its options, its reader and the record they mean.

A task knows no command. Commands that have a model need no task: the record of its risk names the form of its samples.
A new task is a file and an entry here.
"""

from __future__ import annotations

import argparse
from typing import Any

from pragam.cli.arguments import class_weights, names, number, numbers
from pragam.cli.tasks.base import Form, Input, Task
from pragam.cli.tasks.chain import CHAIN, Sequences
from pragam.cli.tasks.classify import CLASSIFY, MULTICLASS
from pragam.cli.tasks.graph import GRAPH, GraphFiles
from pragam.cli.tasks.multilabel import MULTILABEL, SetsOfLabels
from pragam.cli.tasks.ordinal import ORDINAL
from pragam.cli.tasks.regress import QUANTILE, REGRESS
from pragam.cli.tasks.rows import RowsOfNumbers
from pragam.cli.tasks.tables import RowsOfTable
from pragam.models.encoding import Encoding
from pragam.models.features import Features
from pragam.models.table_learning import MISSING
from pragam.risks import Risk
from pragam.structured.tags import SCHEMES

__all__ = ["TASKS", "Form", "Input", "Task", "add_options", "form_for", "form_of", "task_of"]

TASKS = {task.name: task for task in (CLASSIFY, MULTICLASS, MULTILABEL, ORDINAL, REGRESS, QUANTILE, CHAIN, GRAPH)}
#: "rows" was the name of the first task; it still means it.
_OLD_NAMES = {"rows": "classify"}

_OPTIONS: dict[str, dict[str, Any]] = {
    "loss": {
        "metavar": "NAME",
        "help": "classify: hinge, squared_hinge or smoothed_hinge; chain and graph: hamming_mean (wrong labels over "
        "the length) or hamming_sum (their number); default: the first",
    },
    "no_bias": {"action": "store_const", "const": True, "help": "without an intercept; else there is one, unpenalised"},
    "penalised": {
        "type": number,
        "metavar": "S",
        "help": "the intercept is the weight of a column of S and penalised like the others, as LIBLINEAR's -B S",
    },
    "standardize": {
        "action": "store_const",
        "const": True,
        "help": "penalise the weights of standardised columns, of mean 0 and deviation 1; the model remembers the map",
    },
    "class_weight": {
        "type": class_weights,
        "metavar": "WEIGHTS",
        "help": "balanced, every class the same total weight; or those of labels, as 1=2,3=0.5",
    },
    "epsilon": {"type": number, "metavar": "E", "help": "regress: half the width of the tube; default: 0.1"},
    "quantiles": {"type": numbers, "metavar": "LIST", "help": "quantile: which, as in 0.1,0.5,0.9; default: 0.5"},
    "thresholds": {"choices": ["all", "immediate"], "help": "ordinal: those that a row counts for; default: all"},
    "classes": {
        "action": "store_const",
        "const": True,
        "help": "labels are classes, even fractions or more than 100 values",
    },
    "n_features": {"type": int, "metavar": "D", "help": "columns of DATA; default: what its highest index needs"},
    "zero_based": {
        "action": "store_const",
        "const": True,
        "help": "indices of svmlight text count from 0; default: if 0 occurs",
    },
    "compact_columns": {
        "action": "store_const",
        "const": True,
        "help": "keep only the columns that occur; the model remembers which",
    },
    "target": {"metavar": "COLUMN", "help": "DATA is a table with a header, and this is the column to predict"},
    "drop": {"type": names, "metavar": "COLUMNS", "help": "columns of a table that are not used, between commas"},
    "categorical": {
        "type": names,
        "metavar": "COLUMNS",
        "help": "columns of a table that are categories, though all their values are numbers",
    },
    "missing": {
        "choices": MISSING,
        "help": "what an empty field of a table becomes: the mean of its column, or that and a column that says so; "
        "default: it is refused",
    },
    "template": {"metavar": "FILE", "help": "chain: features of a column file, one a line; default: words around"},
    "transitions": {
        "choices": [*SCHEMES],
        "help": "chain: the scheme of the tags, whose rules all labellings keep",
    },
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """``--task``, and the options of all tasks."""
    known = "; ".join(f"{task.name}: {task.help}" for task in TASKS.values())
    parser.add_argument(
        "--task", choices=[*TASKS, *_OLD_NAMES], default="classify", metavar="TASK", help=f"{known}; default: classify"
    )
    group = parser.add_argument_group("the task and its data")
    for name, settings in _OPTIONS.items():
        group.add_argument(f"--{name.replace('_', '-')}", **settings)


def task_of(args: argparse.Namespace) -> Task:
    """The task; options of others are refused. The tolerance becomes the task's if none was given."""
    task = TASKS[_OLD_NAMES.get(args.task, args.task)]
    for name in _OPTIONS:
        if getattr(args, name) is not None and name not in task.options:
            owners = " or ".join(other.name for other in TASKS.values() if name in other.options)
            raise ValueError(f"--{name.replace('_', '-')} is for --task {owners}")
    if args.tol is None:
        args.tol = task.tol
    return task


def form_of(model: Any) -> Form:
    """How the samples of a model are read and its predictions written. ValueError if no file can hold them."""
    form = form_for(model.risk, model.features)
    form.check(model)
    return form


def form_for(risk: Risk, features: Features) -> Form:
    """How samples with these features are read, for a record."""
    if features.find(Encoding) is not None:
        return RowsOfTable()
    forms: dict[str, Form] = {"rows": RowsOfNumbers(), "chains": Sequences(), "graphs": GraphFiles()}
    return SetsOfLabels() if risk.name == "multilabel_hinge" else forms[risk.form]
