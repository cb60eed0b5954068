"""The problem that a sequence model minimises, from its data and the record of its risk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.operators.storage import WithConstant
from pragam.problem import AnyProblem
from pragam.structured import chain_hinge
from pragam.structured.chains.hinge import token_storage
from pragam.structured.rules import Rules

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
    rules = Rules.named(risk["transitions"], list(classes))
    flags = {} if rules is None else {"transitions": rules.transitions, "starts": rules.starts, "ends": rules.ends}
    tokens = WithConstant(token_storage(X, lengths))
    return chain_hinge(
        tokens, y, lengths, risk["lam"], risk["loss"], classes, sample_weight=sample_weight,
        token_weight=token_weight, **flags,
    )  # fmt: skip
