"""Which labels may follow each other: IOB tags, or what a user allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.sequences.evaluation import is_iob


class Allowed(NamedTuple):
    """What a labelling may be."""

    transitions: NDArray[np.bool_]  # (K, K), from row to column
    starts: NDArray[np.bool_]  # (K,)


def allowed_by(transitions: Any, labels: Sequence[Any]) -> Allowed | None:
    """What ``transitions`` allows: None is everything, "iob" the rules of IOB tags, else a (K, K) boolean matrix."""
    K = len(labels)
    if transitions is None:
        return None
    if isinstance(transitions, str):
        if transitions != "iob":
            raise ValueError(f"transitions must be 'iob' or a boolean matrix, not {transitions!r:.40}")
        return iob_rules(labels)
    table = np.asarray(transitions)
    if table.shape != (K, K) or table.dtype != np.bool_:
        raise ValueError(f"transitions must be a {K} x {K} boolean matrix, not {table.dtype} of shape {table.shape}")
    return Allowed(table, np.ones(K, dtype=bool))


def iob_rules(labels: Sequence[Any]) -> Allowed:
    """I-x follows B-x or I-x, and does not begin a sequence."""
    if not is_iob(labels):
        raise ValueError(f"transitions='iob' needs labels such as O, B-x and I-x, not {list(labels)!r:.60}")
    is_inside = np.array([label[0] == "I" for label in labels])
    kinds = np.array([label[1:] for label in labels], dtype=object)  # "" of O, "-x" of B-x and I-x
    is_tag = np.array([label != "O" for label in labels])
    continues = (kinds[:, None] == kinds[None, :]) & is_tag[:, None]
    return Allowed(~is_inside[None, :] | continues, ~is_inside)
