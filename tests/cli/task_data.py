"""A small file for every task of the command line, with the options that name the task."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from cli_data import make_data
from test_cli_chain import write_sentences

from pragam.datasets import save_svmlight


def _classes(path: Path) -> None:
    make_data(path, 3, n=45)


def _numbers(path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    save_svmlight(path, X, X @ [1.0, -2.0, 0.5] + 0.3 * rng.standard_normal(40))


def _levels(path: Path) -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 3))
    save_svmlight(path, X, np.digitize(X[:, 0] + 0.2 * rng.standard_normal(40), [-0.7, 0.7]) + 1)


def sets_and_rows() -> tuple[Any, Any]:
    """Rows with up to three labels each."""
    rng = np.random.default_rng(2)
    X = rng.standard_normal((40, 3))
    return X, (X + 0.3 * rng.standard_normal((40, 3)) > 0.4).astype(np.int64)


def _sets_as_text(path: Path) -> None:
    X, Y = sets_and_rows()
    names = np.array(["5", "7", "12"])
    lines = (
        f"{','.join(names[own.astype(bool)])} " + " ".join(f"{j + 1}:{value!r}" for j, value in enumerate(row))
        for row, own in zip(X.tolist(), Y, strict=True)
    )
    path.write_text("\n".join(lines) + "\n")


def _sets_as_arrays(path: Path) -> None:
    X, Y = sets_and_rows()
    np.savez(path, X=X, Y=Y)


def _sequences(path: Path) -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 60)
    X = np.eye(3)[y] + 0.3 * rng.standard_normal((60, 3))
    np.savez(path, X=X, lengths=[4] * 15, y=np.array(["a", "b", "c"])[y])


def _graphs(path: Path) -> None:
    """Twelve paths of four nodes."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 48)
    X = np.eye(2)[y] + 0.4 * rng.standard_normal((48, 2))
    edges = [(4 * g + k, 4 * g + k + 1) for g in range(12) for k in range(3)]
    np.savez(path, X=X, sizes=[4] * 12, edges=edges, y=y)


#: (the options, what writes the data, the name of the file, what the evaluation measures)
TASKS: dict[str, tuple[list[str], Callable[[Path], Any], str, set[str]]] = {
    "classify": (["--loss", "hinge"], _classes, "d.svm", {"accuracy"}),
    "squared": (["--loss", "squared_hinge"], _classes, "d.svm", {"accuracy"}),
    "smoothed": (["--loss", "smoothed_hinge"], _classes, "d.svm", {"accuracy"}),
    "multiclass": (["--task", "multiclass"], _classes, "d.svm", {"accuracy"}),
    "standardised": (["--standardize"], _classes, "d.svm", {"accuracy"}),
    "standardised, penalised": (["--standardize", "--penalised", "2"], _classes, "d.svm", {"accuracy"}),
    "standardised quantiles": (
        ["--task", "quantile", "--standardize", "--no-bias"], _numbers, "d.svm", {"quantiles", "crossings"},
    ),
    "sets of text": (
        ["--task", "multilabel"], _sets_as_text, "d.svm", {"label_accuracy", "set_accuracy", "f1"},
    ),
    "sets of arrays": (
        ["--task", "multilabel"], _sets_as_arrays, "d.npz", {"label_accuracy", "set_accuracy", "f1"},
    ),
    "ordinal": (["--task", "ordinal"], _levels, "d.svm", {"accuracy", "mean_absolute_level_error"}),
    "immediate": (
        ["--task", "ordinal", "--thresholds", "immediate"], _levels, "d.svm",
        {"accuracy", "mean_absolute_level_error"},
    ),
    "regress": (
        ["--task", "regress", "--epsilon", "0.2"], _numbers, "d.svm", {"mean_absolute_error", "r2", "within_epsilon"},
    ),
    "quantile": (
        ["--task", "quantile", "--quantiles", "0.9,0.1,0.5"], _numbers, "d.svm", {"quantiles", "crossings"},
    ),
    "columns": (
        ["--task", "chain"], write_sentences, "d.txt", {"accuracy", "sequence_accuracy", "chunks"},
    ),
    "sequences": (["--task", "chain"], _sequences, "d.npz", {"accuracy", "sequence_accuracy"}),
    "graphs": (["--task", "graph"], _graphs, "d.npz", {"accuracy"}),
}  # fmt: skip
#: Those on rows, which have an exact judge.
ROWS = [name for name in TASKS if name not in ("columns", "sequences", "graphs")]
