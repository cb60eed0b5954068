"""How good predictions are, in the words of the task: confusions, errors by level, coverage of quantiles, chunks."""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam.cli.tasks.base import Evaluation, Input, Table
from pragam.sequences.evaluation import evaluate as evaluate_tokens

#: Confusions that a report shows.
_SHOWN = 10


def evaluate(model: Any, data: Input, predicted: Any) -> Evaluation:
    """Of predictions in the order of rows, tokens or nodes; the data must have labels."""
    truth = data.samples.y
    if model.risk.form == "chains":
        return _tokens(truth, predicted, data.samples.lengths)
    return _BY_RISK.get(model.risk.name, _classes)(model, truth, predicted)


def _classes(model: Any, truth: Any, predicted: Any) -> Evaluation:
    right, n = int((truth == predicted).sum()), len(predicted)
    accuracy = right / n
    tables = _confusions(truth, predicted) if len(model.labels) > 2 else []
    return Evaluation(f"accuracy {100 * accuracy:.2f} % ({right} of {n})", tables, {"accuracy": accuracy})


def _levels(model: Any, truth: Any, predicted: Any) -> Evaluation:
    """Beside the accuracy, by how many levels predictions are off, for each true level."""
    place = {label: k for k, label in enumerate(model.labels.tolist())}
    off = np.array([abs(place[a] - place[b]) for a, b in zip(truth.tolist(), predicted.tolist(), strict=True)])
    found = _classes(model, truth, predicted)
    by_level = [
        (str(label), str(int(own.sum())), f"{off[own].mean():.3g}", str(int(off[own].max())))
        for label in model.labels.tolist()
        if (own := truth == label).any()
    ]
    table = Table("error by level", ("level", "rows", "mean error, levels", "largest"), by_level)
    sentence = f"{found.sentence}, off by {off.mean():.3g} levels on average"
    return Evaluation(sentence, [table], {**found.record, "mean_absolute_level_error": float(off.mean())})


def _numbers(model: Any, truth: Any, predicted: Any) -> Evaluation:
    residual = truth - predicted
    error, spread = float(np.abs(residual).mean()), float(((truth - truth.mean()) ** 2).sum())
    r2 = 1 - float((residual**2).sum()) / spread if spread > 0 else 0.0
    sentence, record = f"mean absolute error {error:.6g}, R^2 {r2:.4f}", {"mean_absolute_error": error, "r2": r2}
    if hasattr(model.risk, "epsilon"):  # a model that does not state its risk has none
        record["within_epsilon"] = float((np.abs(residual) <= model.risk.epsilon).mean())
        sentence += f", {100 * record['within_epsilon']:.2f} % within epsilon"
    return Evaluation(sentence, [], record)


def _quantiles(model: Any, truth: Any, predicted: Any) -> Evaluation:
    """Which share of the targets lies below each prediction, where q of them should."""
    columns = np.asarray(predicted).reshape(len(truth), -1).T
    entries = [
        {"q": each.q, "coverage": float((truth <= own).mean()), "pinball": -float(each.worth(truth, own).mean())}
        for each, own in zip(model.risk.risks, columns, strict=True)
    ]
    rows = [(f"{one['q']:g}", f"{100 * one['coverage']:.2f}", f"{one['pinball']:.6g}") for one in entries]
    order = np.argsort([one["q"] for one in entries])
    crossings = int((np.diff(columns[order], axis=0) < 0).any(axis=0).sum())
    table = Table("quantiles", ("q", "below, %", "mean pinball loss"), rows)
    cross = f"; {crossings} rows whose quantiles cross" if len(entries) > 1 else ""
    below = ", ".join(f"{100 * one['coverage']:.2f} % below {one['q']:g}" for one in entries)
    return Evaluation(below + cross, [table], {"quantiles": entries, "crossings": crossings})


def _sets(model: Any, truth: Any, predicted: Any) -> Evaluation:
    truth, said = np.asarray(truth).astype(bool), np.asarray(predicted).astype(bool)
    labels, whole = float((truth == said).mean()), float((truth == said).all(axis=1).mean())
    both, total = int((truth & said).sum()), int(truth.sum() + said.sum())
    f1 = 2 * both / total if total else 0.0
    sentence = f"{100 * labels:.2f} % of labels and {100 * whole:.2f} % of sets right, F1 {100 * f1:.2f} %"
    return Evaluation(sentence, [], {"label_accuracy": labels, "set_accuracy": whole, "f1": f1})


def _tokens(truth: Any, predicted: Any, lengths: Any) -> Evaluation:
    found = evaluate_tokens(truth, predicted, lengths)
    rows = [
        ("tokens", f"{100 * found.accuracy:.2f} % of {found.n_tokens} right"),
        ("sequences", f"{100 * found.sequence_accuracy:.2f} % of {found.n_sequences} right"),
    ]
    tables, chunks = [Table("evaluation", (), list(rows))], ""
    if found.chunks:
        header = ("chunks", "precision, %", "recall, %", "F1, %", "right", "predicted", "true")
        tables.append(Table("", header, [
            (name, *(f"{100 * value:.2f}" for value in (one.precision, one.recall, one.f1)), *map(str, one))
            for name, one in found.chunks.items()
        ]))  # fmt: skip
        chunks = f", chunk F1 {100 * found.chunks['all'].f1:.2f}"
    tables += _confusions(truth, predicted)
    return Evaluation(f"{100 * found.accuracy:.2f} % of tokens{chunks}", tables, found.to_dict())


def _confusions(truth: Any, predicted: Any) -> list[Table]:
    """(true, predicted, count), the most frequent first."""
    wrong = np.asarray(truth) != predicted
    pairs, counts = np.unique(np.stack([truth[wrong], predicted[wrong]]).astype(str), axis=1, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:_SHOWN]
    rows = [(str(pairs[0, k]), str(pairs[1, k]), str(counts[k])) for k in order]
    return [Table("most frequent confusions", ("true", "predicted", "count"), rows)] if rows else []


_BY_RISK = {
    "ordinal_hinge": _levels, "epsilon_insensitive": _numbers, "unstated_numbers": _numbers, "each": _quantiles,
    "multilabel_hinge": _sets,
}  # fmt: skip
