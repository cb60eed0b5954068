"""F1 of chunks as one number: a metric of labels, and a scorer for scikit-learn's ``scoring=``.

    GridSearchCV(ChainSVC(), {"C": [1, 10]}, scoring=chunk_f1_scorer)
    GridSearchCV(ChainSVC(), {"C": [1, 10]}, scoring=make_scorer(chunk_f1_score, scheme="bioes"))

Chunks are those of :mod:`pragam.sequences.chunks`. F1 is 0 where neither true nor predicted labels have a chunk.
"""

from __future__ import annotations

from typing import Any

from pragam.sequences.chunks import ALL, chunk_scores
from pragam.sequences.evaluation import flat_labels
from pragam.structured.tags import is_tag


def chunk_f1_score(true: Any, predicted: Any, lengths: Any = None, scheme: str | None = None) -> float:
    """F1 of all chunks, in the forms of :func:`pragam.sequences.evaluate`. ValueError if labels are no tags."""
    true, predicted, sizes = flat_labels(true, predicted, lengths)
    other = sorted(str(label) for label in {*true.tolist(), *predicted.tolist()} if not is_tag(label))
    if other:
        raise ValueError(
            f"F1 of chunks needs tags such as O, B-x and I-x, and there are labels such as {other[0]!r:.40}"
        )
    return chunk_scores(true, predicted, sizes, scheme)[ALL].f1


def chunk_f1_scorer(estimator: Any, X: Any, y: Any) -> float:
    """F1 of the chunks that a fitted estimator predicts for a list of sequences."""
    return chunk_f1_score(y, estimator.predict(X))
