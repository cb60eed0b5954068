"""The problem that a sequence model minimises, from its data and the record of its risk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.operators.storage import WithConstant
from pragam.problem import AnyProblem
from pragam.sequences.iob import allowed_by
from pragam.structured import chain_hinge
from pragam.structured.chains.hinge import token_storage

NAME = "chain_hinge"


def chain_problem(
    risk: Mapping[str, Any],
    X: Any,
    y: NDArray[Any],
    lengths: NDArray[np.int64],
    classes: Any,
    sample_weight: Any = None,
    token_weight: Any = None,
) -> AnyProblem:
    """:func:`pragam.structured.chain_hinge` of X and a constant column, whose weights are the biases of the labels.

    ``risk`` has lam, loss and transitions as :class:`pragam.ChainSVC` takes them; ``classes`` is the label set.
    """
    allowed = allowed_by(risk["transitions"], list(classes))
    tokens = WithConstant(token_storage(X, lengths))
    return chain_hinge(
        tokens, y, lengths, risk["lam"], risk["loss"], classes, sample_weight=sample_weight,
        token_weight=token_weight, transitions=None if allowed is None else allowed.transitions,
        starts=None if allowed is None else allowed.starts,
    )  # fmt: skip
