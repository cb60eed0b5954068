"""Graphs whose nodes have labels: an ``.npz`` of all nodes and edges (:mod:`pragam.files.graph_arrays`)."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from pragam.cli.inputs import named
from pragam.cli.tasks.base import Form, Input, Task, beside, given
from pragam.files.graph_arrays import read_graphs_npz
from pragam.risks import Risk
from pragam.samples import Graphs
from pragam.structured.graphs.record import GraphHinge


def _read(args: argparse.Namespace) -> Input:
    if args.data is None:
        raise ValueError("--task graph needs DATA: an .npz of graphs")
    return _input(args.data, needs_labels=True)


def _input(path: str, needs_labels: bool) -> Input:
    samples = Graphs(read_graphs_npz(named(path), may_be_empty=not needs_labels))
    if needs_labels and samples.y is None:
        raise ValueError(f"{path}: there are no labels: an array y is needed")
    return Input(samples)


def _risk(lam: float, args: argparse.Namespace) -> Risk:
    return GraphHinge(lam=lam, **given(args, loss="loss"))


class GraphFiles(Form):
    """The label of each node, a blank line behind each graph."""

    noun, unit = "graphs", "nodes"

    def read(self, path: str, model: Any, needs_labels: bool) -> Input:
        data = _input(path, needs_labels)
        if data.samples.n and data.samples.n_features != model.n_features:
            raise ValueError(f"{path}: {data.samples.n_features} columns, and the model needs {model.n_features}")
        return data

    def like(self, data: Input, path: str) -> Input:
        return _input(path, needs_labels=True)

    def lines(self, data: Input, model: Any, predicted: Any, extra: Any) -> Iterable[str | bytes]:
        rows = zip(predicted.tolist(), beside(extra, len(predicted)).tolist(), strict=True)
        texts = (" ".join([str(label), *map(repr, more)]) + "\n" for label, more in rows)
        for graph in data.samples.graphs:
            yield from (next(texts) for _ in range(graph.X.shape[0]))
            yield "\n"


GRAPH = Task(
    "graph", "graphs, from an .npz", GraphFiles(), _read, _risk, ("loss",), tol=1e-2, lam=1e-2, grid="2^-14..2^0"
)
