"""C of a whole range by cross-validation: which lams, folds and errors the estimator means, and the proof.

Folds share C, the weight of the *sum* of the losses. With lam = 1/(n C) of all n rows, a fold of m rows has n lam / m,
so that cells of lam are cells of C in every fold, whatever their sizes. Errors are counted over all rows left out; a
grid has the mean over the folds, which is the same where they are equally large.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pragam.driver.checkpoint.place import checkpoints_of
from pragam.estimators.intercept import unlearnt_features_of
from pragam.estimators.search import numbers_of
from pragam.estimators.solving import settings_of
from pragam.numerics.arguments import check_number, real_array
from pragam.risks.scaling import c_of, lam_of
from pragam.runtime.threads import using
from pragam.selection import PAPER_LAMS, ProvenRange, prove_range

#: The names that scikit-learn has for what can be proven.
_NAMES = {"accuracy": "errors", "neg_mean_absolute_error": "absolute"}
#: Of a budget, the share of the proof; the rest is for the folds at C and the fit of all rows.
_SHARE = 0.8


def proof_of(estimator: Any, risk: Any, samples: Any, splits: list[Any], seconds: float | None) -> ProvenRange:
    """What is proven of C between the two ends."""
    if samples.weights is not None:
        raise ValueError("sample_weight must be None with prove: the errors of rows left out are counted, one for each")
    if estimator.rule != "best":
        raise ValueError("rule must be 'best' with prove: what is proven is that no C is better than the best one")
    settings = settings_of(estimator, 1)
    settings = replace(settings, max_seconds=None if seconds is None else _SHARE * seconds)
    pairs = [tuple(numbers_of(part, samples.n) for part in split) for split in splits]
    places = checkpoints_of(estimator.checkpoint)
    with using(settings.n_jobs):
        return prove_range(
            risk, samples, _ends(estimator.C, samples.n), estimator.prove, settings, n_folds=pairs,
            features=unlearnt_features_of(estimator), scoring=_measure(estimator.scoring), by_sum=True,
            checkpoint=None if places is None else places.within("range"),
        )  # fmt: skip


def chosen_of(given: Any, lam: float, n: int) -> float:
    """The C of a lam that was found between the ends; it is one of these, and none beyond, where lam is."""
    C = c_of(lam, n)  # which may be a rounding away from the C that lam is of
    return C if given is None else float(np.clip(C, *real_array("C", given)))


def _ends(given: Any, n: int) -> tuple[float, float]:
    """lam at the ends of C; those of the paper's grid if there is none."""
    if given is None:
        return min(PAPER_LAMS), max(PAPER_LAMS)
    ends = real_array("C", given)
    if ends.shape != (2,) or not ends[0] < ends[1]:
        raise ValueError(f"C must be (low, high) with low < high where prove is given, not {given!r:.60}")
    low, high = (check_number("C", C, above=0) for C in ends.tolist())
    return lam_of(high, n), lam_of(low, n)


def _measure(scoring: Any) -> str | None:
    if scoring is None:
        return None
    if not isinstance(scoring, str) or scoring not in _NAMES:
        what = f"None, {' or '.join(map(repr, _NAMES))}"
        raise ValueError(f"scoring must be {what} with prove: of others nothing is known between two C")
    return _NAMES[scoring]
