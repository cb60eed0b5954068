"""Estimators of structured output: what labellers of sequences and of graphs share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.estimators.base import CertifiedEstimator
from pragam.estimators.parameters import estimator, parameter
from pragam.risks import Risk
from pragam.samples.forms import label_set
from pragam.structured.targets import weights_of


@estimator
class StructuredEstimator(CertifiedEstimator):
    """One problem, whose examples are sequences or graphs with a label at each token or node.

    Parameters
    ----------
    labels : list or None
        The label set in order. By default the sorted labels that occur.

    Attributes
    ----------
    classes_ : (K,) array
        The label set.
    dual_ : object
        The dual point that proves ``certificate_``; None if a file holds none.
    """

    labels: Any = parameter(None, "array-like", None)

    def _labels(self, samples: Any, risk: Risk) -> NDArray[Any]:
        found = label_set(samples.y, self.labels)
        if len(set(found)) < max(2, len(found)):
            raise ValueError(f"there must be at least two labels, all different, not {found!r:.60}")
        return np.array(found)

    def _keep(self, model: Any) -> None:
        super()._keep(model)
        self.n_features_in_ = model.n_features
        if model.proofs:
            self.dual_ = model.proofs[0].dual

    @classmethod
    def _parameters(cls, model: Any) -> dict[str, Any]:
        return super()._parameters(model) | {"labels": model.labels.tolist()}


def share_right(is_right: Any, sizes: Any, sample_weight: Any) -> float:
    """The share of tokens or nodes that are labelled right; a weight for each example, of so many of them."""
    if sample_weight is None:
        return float(np.mean(is_right))
    weights = weights_of("sample_weight", sample_weight, len(sizes))
    return float(np.average(is_right, weights=np.repeat(weights, sizes)))
