"""Whether the y of a classifier holds labels, and not the numbers of a regression."""

from __future__ import annotations

from typing import Any

from sklearn.utils.multiclass import check_classification_targets

from pragam.risks.arguments import check_labels


def check_classes(y: Any) -> None:
    """Refuse what holds no labels; scikit-learn warns of labels that are different in more than half of the rows.

    y is a vector, or a matrix of sets of labels. Truth values, texts and integers of a narrow range are labels whatever
    they hold, and asking takes half a ms.
    """
    if y.dtype.kind in "bUS" or (y.dtype.kind in "iu" and not _may_be_numbers(y)):
        return
    if y.ndim == 1:
        check_labels(y, len(y))
    check_classification_targets(y)


def _may_be_numbers(y: Any) -> bool:
    """Whether there may be as many different integers as half of the rows."""
    return y.ndim == 1 and float(y.max()) - float(y.min()) >= len(y) / 2
