"""C by cross-validation: what LinearSVCCV, LinearSVRCV and QuantileRegressorCV share.

On each fold the problems are posed once and solved along a path of all C, each certified, each from its neighbour; what
the models are worth on the rows left out decides; then the model of all rows is fitted. C is that of the *sum* of the
losses, so in a fold of m rows lam = 1/(m C), as if the estimator with this C were fitted there. So a grid search over
the plain estimator gives the same scores: to the last row where problems are small and solved to the optimum, within
``tol`` elsewhere.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv

from pragam import models
from pragam.estimators.compat import FRAMES_AROUND_FIT, Interval, StrOptions, with_callbacks
from pragam.estimators.parameters import estimator, flag, parameter, word
from pragam.estimators.proven_choice import chosen_of, proof_of
from pragam.estimators.rows import RowEstimator
from pragam.estimators.search import Data, FoldFound, numbers_of, results_of, told_of
from pragam.estimators.solving import settings_of
from pragam.numerics.arguments import check_number, real_array
from pragam.numerics.vector import Vector
from pragam.risks.scaling import c_of, lam_of
from pragam.runtime.interrupts import Signals, listen
from pragam.selection.curve import RULES, Curve
from pragam.selection.proven import TOLERANCES
from pragam.selection.tuning import PAPER_LAMS

if TYPE_CHECKING:
    from typing_extensions import Self


@estimator
class CrossValidated(RowEstimator):
    """C is chosen by cross-validation.

    Parameters
    ----------
    C : array of floats > 0, or None
        What to try. None is 1/(n lam) for lam = 2^0 .. 2^-20, the grid of the paper. With ``prove`` the two ends of a
        range, (low, high).
    prove : float >= 0, "se" or None
        Whether it is proven that no C of the whole range, tried or not, has an error lower than the best one by more
        than this share of all rows left out, or than this mean loss; "se" is one standard error (docs/proven-range.md).
        Then ``cv_results_`` has one row, that of C_.
    cv : int, splitter, iterable or None
        Which rows are left out, as in scikit-learn: the number of folds (None: 5), by classes in a classifier, an
        object with ``split``, or pairs of (rows to train on, rows left out).
    scoring : str, callable or None
        What models are worth on the rows left out, as in scikit-learn; None is ``score``. With ``prove`` None is the
        errors of a classifier, and the loss of a regressor.
    rule : "best" or "one_se"
        The C of the highest mean score, of several the first in the grid; or the smallest C whose mean is at least that
        less its standard error.
    refit : bool
        Whether the model of all rows at the C found is fitted. Without it the estimator predicts nothing.
    max_seconds : float >= 0 or None
        The most seconds of the search and the last fit together; each fold and the last fit have an even share of what
        is left. Scores of solves that were not certified in time count, and a ConvergenceWarning says how many.
    n_jobs : int or None
        Threads of each solve; folds are solved one after the other.
    verbose : int
        Whether a line of progress of the last fit is shown on stderr.
    warm_start : bool
        Whether the last fit starts from that of the call before. The search does not.

    Attributes
    ----------
    C_ : float
        The C found.
    best_score_ : float
        The mean score at C_.
    best_index_ : int
        The place of C_ in the grid.
    cv_results_ : dict of arrays
        As that of ``GridSearchCV``, and ``se_test_score``, the standard error of the mean over the folds, and
        ``max_gap``, the largest certified relative gap of the folds.
    n_splits_ : int
        The number of folds that were scored; fewer than ``cv`` says if Ctrl-C ended the search.
    scorer_ : callable
        What was measured.
    proof_ : ProvenRange
        With ``prove``: what is proven of the range; its lam is 1/(n C) for all n rows.
    """

    C: Any = parameter(None, "array-like", None, first=True)
    cv: Any = parameter(None, "cv_object")
    scoring: Any = parameter(None, str, callable, None)
    rule: str = word(*RULES)
    refit: bool = flag(True)
    prove: Any = parameter(None, Interval(Real, 0, None, closed="left"), StrOptions({"se"}), None)

    #: Seconds for the solves that come next; set before each fold and before the last fit.
    _left = None
    #: After Ctrl-C the labels and the weights of a fold.
    _halted = None

    @with_callbacks
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Search, and fit the model of all rows.

        Parameters
        ----------
        X : (n, d) array or sparse matrix, in memory
        y : (n,) labels of a classifier, numbers of a regressor
        sample_weight : (n,) numbers >= 0, optional; they weigh the losses, and the scores if ``scoring`` takes weights
        groups : (n,) labels, optional, for splitters that keep groups together
        """
        self._validate_params()
        end = None if self.max_seconds is None else time.perf_counter() + self.max_seconds
        samples = self._samples(X, y, sample_weight)
        if samples.in_blocks:
            raise ValueError("folds are for data in memory: use pragam.selection.tune for packed data")
        data = Data.of(X, y, sample_weight)
        splits = list(check_cv(self.cv, data.y, classifier=is_classifier(self)).split(data.X, data.y, groups))
        with listen() as signals:  # Ctrl-C ends the search, and then the last fit
            self.scorer_ = check_scoring(self, self.scoring)
            grid = self._grid(samples.n) if self.prove is None else self._proven(samples, splits)
            found = self._search(data, samples, grid, splits, end, signals)
            self._keep_search(found, grid, signals.asked)
            if self.refit:
                self._left = None if end is None else max(end - time.perf_counter(), 0.0)
                self._fit(X, y, sample_weight)
                self._end(samples, found)
        self._warn_of_search(found, len(splits))
        return self

    def _grid(self, n: int) -> Vector:
        if self.C is None:
            return np.array([c_of(lam, n) for lam in sorted(PAPER_LAMS, reverse=True)])
        grid = real_array("C", self.C)
        if grid.ndim != 1 or not len(grid):
            raise ValueError(f"C must be a list of at least one number > 0, not of shape {grid.shape}")
        return np.array([check_number("C", C, above=0) for C in grid.tolist()])

    def _proven(self, samples: Any, splits: list[Any]) -> Vector:
        """The C of which it is proven that no other is better, as a grid of one."""
        self.C_ = 1.0  # any: the risk moves along the range
        self.proof_ = proof_of(self, self._risk(samples), samples, splits, self.max_seconds)
        return np.array([chosen_of(self.C, self.proof_.lam, samples.n)])

    def _search(
        self, data: Data, samples: Any, grid: Vector, splits: list[Any], end: float | None, signals: Signals
    ) -> list[FoldFound]:
        """What each fold found, up to Ctrl-C; at least that of the first, however far it came."""
        found: list[FoldFound] = []
        for k, split in enumerate(splits):
            left = None if end is None else max(end - time.perf_counter(), 0.0)
            self._left = None if left is None else left / (len(splits) - k + self.refit)
            train, held = (numbers_of(part, samples.n) for part in split)
            fold = self._fold(samples.take(train), data.take(held), grid)
            if not signals.asked or not found:
                found.append(fold)
            if signals.asked:
                break
        return found

    def _fold(self, train: Any, held: Data, grid: Vector) -> FoldFound:
        """The models of a fold along the grid, and what they are worth on the rows left out."""
        self.C_ = float(grid[0])  # any: the risk moves along the path
        risk, features = self._risk(train), self._features(train)
        labels = self._labels(train, risk)
        lams = [lam_of(C, train.n) for C in grid.tolist()]
        settings = settings_of(self, len(risk.parts(labels)))
        if self.prove is not None:  # as nearly as the proof has solved them
            settings = replace(settings, tol=min(settings.tol, TOLERANCES[0]))
        found = FoldFound(labels, held.numbers)
        for each in models.fit_path(risk, train, lams, settings, features, labels):
            begin, model = time.perf_counter(), self._of_fold(each.model)
            score = held.score(self.scorer_, model)
            found.note(each.results, score, time.perf_counter() - begin, self._margins(model, held.X))
        return found

    def _of_fold(self, model: Any) -> Any:
        """The estimator as it is with the model of a fold."""
        one = type(self)(**{**self.get_params(deep=False), "cv": None})  # a generator of folds has no copy
        one._keep(model)
        one.n_features_in_ = self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            one.feature_names_in_ = self.feature_names_in_
        return one

    def _margins(self, model: Any, X: Any) -> Any:
        """What is kept of the rows left out, beside the score."""
        return None

    def _end(self, samples: Any, found: list[FoldFound]) -> None:
        """What else the folds say of the model of all rows."""

    def _keep_search(self, found: list[FoldFound], grid: Vector, is_cut: bool) -> None:
        curve = Curve(grid, np.array([fold.scores for fold in found]))
        self.best_index_ = best = curve.chosen(self.rule)
        self.C_, self.best_score_ = float(grid[best]), float(curve.mean[best])
        self.n_splits_ = len(found)
        self.cv_results_ = results_of(found, curve)
        first = found[0]
        self._halted = (first.labels, first.weights[best]) if is_cut else None

    def _warn_of_search(self, found: list[FoldFound], n_folds: int) -> None:
        text = told_of(found, n_folds, self)
        if self.prove is not None and not self.proof_:
            text = f"{self.proof_.remark} {text}".strip()
        if text:
            warnings.warn(text, ConvergenceWarning, stacklevel=3 + FRAMES_AROUND_FIT)

    def __sklearn_tags__(self) -> Any:
        """A range is proven of two classes."""
        tags = super().__sklearn_tags__()
        if self.prove is not None and tags.classifier_tags is not None:
            tags.classifier_tags.multi_class = False
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        """A search alone predicts nothing."""
        return hasattr(self, "model_")

    # What the fit of all rows asks for.

    @property
    def _seconds(self) -> float | None:
        return self._left

    def _lam(self, samples: Any) -> float:
        return lam_of(self.C_, samples.n)

    def _starts(self, risk: Any, labels: Any) -> list[Any] | None:
        """After Ctrl-C the weights of the first fold, which is all there will be."""
        if self._halted is None or not np.array_equal(self._halted[0], labels):
            return super()._starts(risk, labels)
        return [(w, None) for w in self._halted[1]]

    @classmethod
    def _parameters(cls, model: Any) -> dict[str, Any]:
        """The grid is not in a model; the C found is."""
        return {name: value for name, value in super()._parameters(model).items() if name != "C"}

    def _keep(self, model: Any) -> None:
        super()._keep(model)
        n = model.fingerprint.get("n")
        if n and not hasattr(self, "C_"):  # of a file
            self.C_ = c_of(model.risk.lam, n)
