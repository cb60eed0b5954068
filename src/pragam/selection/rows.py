"""lam of a linear SVM by validation, as in the paper: the best of 2^-20 .. 2^0 on rows that were not trained on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pragam.driver.jobs import Settings
from pragam.driver.solve import Callback
from pragam.models.features import Features
from pragam.models.standardize import Standardize
from pragam.numerics.arguments import array_of, check_flag
from pragam.risks import Hinge, OneVsRest, Risk
from pragam.risks.arguments import check_labels
from pragam.samples import Rows
from pragam.selection.choice import choose
from pragam.selection.tuning import PAPER_LAMS, Tuning


def tune(
    X: Any,
    y: Any,
    lams: Iterable[float] = PAPER_LAMS,
    *,
    risk: Risk | None = None,
    validation: tuple[Any, Any] | None = None,
    share: float = 0.2,
    seed: int = 0,
    bias: bool = True,
    class_weight: Any = None,
    tol: float = 1e-6,
    solver: str = "auto",
    max_seconds: float | None = None,
    callback: Callback | None = None,
    standardize: bool = False,
    exact: bool = False,
) -> Tuning:
    """Train on a path of lams and measure the accuracy on rows that were left out.

    ``wrong`` of the answer counts the wrong predictions of each model, and ``bounds`` says between which numbers those
    of the *exact* model lie. Where a score is 0 at the optimum, or two rows that are equal have two labels, that stays
    an interval, or a number above 0, at any tolerance: see ``remark``.

    Parameters
    ----------
    X, y : the data and their labels; more than two classes are trained one against the rest
    lams : numbers > 0, by default the paper's 2^-20 .. 2^0
    risk : the record of another risk than the hinge; it has its own bias and class weights
    validation : (X, y), optional
        The rows to validate on. Without them, ``share`` of the rows of each class are drawn with ``seed``.
    bias, class_weight, tol, solver, max_seconds, callback
        As in :func:`pragam.hinge` and :func:`pragam.path`. The time is for all lams and classes together.
    standardize : bool
        Whether lam weighs the weights of standardised columns, by means and deviations of the rows to train on.
    exact : bool
        Whether a model whose count of wrong predictions is open goes on to gaps of 1e-9 and 1e-13, until the count of
        the exact model is settled.
    """
    rows = _rows(X, y, "X")
    held = None if validation is None else _rows(*validation, "validation")
    if held is not None and held.n_features != rows.n_features:
        raise ValueError(f"validation has {held.n_features} columns, and X has {rows.n_features}")
    risk = risk or OneVsRest(each=Hinge(bias=bias), class_weight=class_weight)
    settings = Settings(tol, solver, max_seconds=max_seconds, seeds=(seed,))
    check_flag("standardize", standardize)
    check_flag("exact", exact)
    is_free = any(shape.biases for shape in risk.shape(risk.learn(rows)))
    features = Features((Standardize(centred=not is_free),) if standardize else ())
    return choose(
        risk, rows, lams, settings, validation=held, share=share, seed=seed, features=features, callback=callback,
        exact=exact,
    )  # fmt: skip


def _rows(X: Any, y: Any, name: str) -> Rows:
    rows = Rows.of(X, name=name)
    y = array_of("y", y)
    return Rows(rows.X, y if y.ndim == 2 else check_labels(y, rows.n))
