"""The problem that a sequence model minimises, from its data and the record of its risk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.problem import AnyProblem
from pragam.sequences.iob import allowed_by, first_forbidden
from pragam.sequences.weights import with_constant
from pragam.structured import chain_hinge

NAME = "chain_hinge"


def chain_problem(
    risk: Mapping[str, Any],
    X: Any,
    codes: NDArray[np.int64],
    lengths: NDArray[np.int64],
    classes: Any,
    sample_weight: Any = None,
    token_weight: Any = None,
) -> AnyProblem:
    """:func:`pragam.structured.chain_hinge` of X and a constant column, whose weights are the biases of the labels.

    ``risk`` has lam, loss and transitions as :class:`pragam.ChainSVC` takes them; ``codes`` are the numbers of the
    labels in ``classes``.
    """
    labels = list(range(len(classes)))
    allowed = allowed_by(risk["transitions"], list(classes))
    rules: dict[str, Any] = {}
    if allowed is not None:
        bad = first_forbidden(allowed, codes, lengths)
        if bad is not None:
            raise ValueError(f"sequence {bad}: its labels follow each other as transitions forbids")
        rules = {"transitions": allowed.transitions, "starts": allowed.starts}
    return chain_hinge(
        with_constant(X), codes, lengths, risk["lam"], risk["loss"], labels, sample_weight=sample_weight,
        token_weight=token_weight, **rules,
    )  # fmt: skip
