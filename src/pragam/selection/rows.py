"""lam of a linear SVM by validation, as in the paper: the best of 2^-20 .. 2^0 on rows that were not trained on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pragam.driver.checkpoint.place import AnyPath, Checkpoints
from pragam.driver.jobs import Settings
from pragam.models.features import Features
from pragam.models.standardize import Standardize
from pragam.numerics.arguments import array_of, check_flag, check_seconds, is_whole
from pragam.risks import Hinge, OneVsRest, Risk
from pragam.risks.arguments import check_labels
from pragam.samples import Rows
from pragam.selection.choice import choose
from pragam.selection.proven import prove_range, range_of
from pragam.selection.scorers import Scorer, mean_worth
from pragam.selection.tuning import PAPER_LAMS


def tune(
    X: Any,
    y: Any,
    lams: Iterable[float] = PAPER_LAMS,
    *,
    risk: Risk | None = None,
    validation: tuple[Any, Any] | None = None,
    cv: int | Iterable[Any] | None = None,
    share: float = 0.2,
    seed: int = 0,
    bias: bool = True,
    class_weight: Any = None,
    tol: float = 1e-6,
    solver: str = "auto",
    max_seconds: float | None = None,
    callback: Any = None,
    standardize: bool = False,
    exact: bool = False,
    prove: float | str | None = None,
    scoring: str | Scorer | None = None,
    checkpoint: AnyPath | Checkpoints | None = None,
) -> Any:
    """Train on a path of lams and measure the accuracy on rows that were left out; or prove a whole range of them.

    On a grid ``wrong`` of the answer counts the wrong predictions of each model, and ``bounds`` says between which
    numbers those of the *exact* model lie. Where a score is 0 at the optimum, or two rows that are equal have two
    labels, that stays an interval, or a number above 0, at any tolerance: see ``remark``.

    With ``prove`` the lams are a range, and the answer a proof that *none* of its lams, tried or not, has an error
    lower than the best one by more than that (:class:`ProvenRange`; docs/proven-range.md).

    Parameters
    ----------
    X, y : the data and their labels; more than two classes are trained one against the rest
    lams : numbers > 0, by default the paper's 2^-20 .. 2^0; with ``prove`` the two ends of the range, (low, high).
        Without it two numbers are a grid of two.
    risk : the record of another risk than the hinge; it has its own bias and class weights
    validation : (X, y), optional
        The rows to validate on. Without them, ``share`` of the rows of each class are drawn with ``seed``.
    cv : whole number of folds, or pairs (rows to train on, rows left out); optional, in place of ``validation``
    bias, class_weight, tol, solver, max_seconds, callback
        As in :func:`pragam.hinge` and :func:`pragam.path`. The time is for all lams, classes and folds together. A
        range is solved to its own tolerances, and its callback gets a :class:`RangeProgress` after each solve.
    standardize : bool
        Whether lam weighs the weights of standardised columns, by means and deviations of the rows to train on.
    exact : bool
        Whether a model whose count of wrong predictions is open goes on to gaps of 1e-9 and 1e-13, until the count of
        the exact model is settled. With ``prove``: whether a lam is worth what its exact models have at most.
    prove : number >= 0 or "se", optional
        The share of errors, or the mean loss, by which no lam may be better; "se" is the standard error of the best.
    scoring : optional
        On a grid a callable (model, samples) -> :class:`Score`. With ``prove`` "errors" or "hinge" of labels,
        "absolute" or "pinball" of numbers.
    checkpoint : path of a directory, optional
        Where the solves are kept. The same call goes on from there, also after the process was killed.

    Returns
    -------
    Tuning, or with ``prove`` ProvenRange
    """
    rows = _rows(X, y, "X")
    held = None if validation is None else _held(validation)
    if held is not None and held.n_features != rows.n_features:
        raise ValueError(f"validation has {held.n_features} columns, and X has {rows.n_features}")
    if cv is not None and validation is not None:
        raise ValueError("cv leaves out rows of X, and validation brings others: give one of the two")
    _check_cv(cv)
    check_seconds(max_seconds)
    if not (callback is None or callable(callback)):
        raise ValueError(f"callback must be callable, not {callback!r:.60}")
    if not (risk is None or isinstance(risk, Risk)):
        raise ValueError(f"risk must be one of pragam.risks, as pragam.risks.Quantile(q=0.9), not {risk!r:.60}")
    risk = risk or OneVsRest(each=Hinge(bias=bias), class_weight=class_weight)
    settings = Settings(tol, solver, max_seconds=max_seconds, seeds=(seed,))
    check_flag("standardize", standardize)
    check_flag("exact", exact)
    is_free = any(shape.biases for shape in risk.shape(risk.learn(rows)))
    features = Features((Standardize(centred=not is_free),) if standardize else ())
    left_out: dict[str, Any] = {"validation": held, "share": share, "n_folds": 1 if cv is None else cv, "seed": seed}
    more: dict[str, Any] = {"features": features, "callback": callback, "checkpoint": checkpoint, "exact": exact}
    if prove is not None:
        ends = (min(PAPER_LAMS), max(PAPER_LAMS)) if lams is PAPER_LAMS else range_of(lams)
        return prove_range(risk, rows, ends, prove, settings, scoring=_named(scoring), **left_out, **more)
    return choose(risk, rows, lams, settings, scorer=_scorer(scoring), **left_out, **more)


def _named(scoring: Any) -> str | None:
    if callable(scoring):
        raise ValueError("scoring must be a name where prove is given: of a callable nothing is known between two lams")
    named: str | None = scoring
    return named


def _scorer(scoring: Any) -> Scorer:
    if scoring is not None and not callable(scoring):
        raise ValueError(f"scoring of a grid must be None or a callable (model, samples) -> Score, not {scoring!r:.60}")
    return scoring or mean_worth


def _held(validation: Any) -> Rows:
    try:
        X, y = validation
    except (TypeError, ValueError):
        raise ValueError(f"validation must be (X, y), the rows to validate on, not {validation!r:.60}") from None
    try:
        return _rows(X, y, "X")
    except ValueError as error:
        raise ValueError(f"validation: {error}") from None


def _check_cv(cv: Any) -> None:
    """A number of folds, or pairs."""
    if hasattr(cv, "split") and not isinstance(cv, str):
        raise ValueError("cv must be a whole number or pairs: of a splitter give list(cv.split(X, y))")
    is_number = is_whole(cv) and cv > 0
    if not (cv is None or is_number or (isinstance(cv, Iterable) and not isinstance(cv, str))):
        raise ValueError(f"cv must be a whole number > 0 or pairs (rows to train on, rows left out), not {cv!r:.60}")


def _rows(X: Any, y: Any, name: str) -> Rows:
    rows = Rows.of(X, name=name)
    y = array_of("y", y)
    return Rows(rows.X, y if y.ndim == 2 else check_labels(y, rows.n))
