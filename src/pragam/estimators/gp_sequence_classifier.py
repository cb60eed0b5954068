"""A Gaussian-process labeller of sequences that knows how good it is."""

from __future__ import annotations

import os
import warnings
from contextlib import AbstractContextManager
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from pragam import solvers
from pragam.certificate import Certificate, certify
from pragam.driver.result import Result
from pragam.estimators import advice
from pragam.estimators.compat import FRAMES_AROUND_FIT, CallbackSupportMixin, Interval, StrOptions, with_callbacks
from pragam.estimators.gp_model import GPModel, Options
from pragam.estimators.html import CertificateHTML
from pragam.estimators.solving import solve_problems
from pragam.estimators.temperature import best_temperature, marginals
from pragam.runtime.threads import using
from pragam.samples.forms import TOKENS, Sequences, label_set, labels_of, sequences_of
from pragam.structured.kernels import scaled_rbf
from pragam.structured.rules import Rules
from pragam.structured.tags import SCHEMES

if TYPE_CHECKING:
    from typing_extensions import Self


class GPSequenceClassifier(CertificateHTML, CallbackSupportMixin, BaseEstimator):
    r"""Gaussian-process sequence labelling, trained to a certified duality gap.

    The scores of a labelling are F(y) = sum_t f_{y_t}(x_t) + sum_t T_{y_t y_{t+1}}, f_k functions of the kernel's
    space and T a matrix. Minimised is the negative log posterior of all labellings,

        J = lam/2 [sum_k |f_k|^2 + |T|^2 / transition_scale] + (1/n) sum_i [log sum over y of exp F_i(y) - F_i(y_i)]

    (Altun, Hofmann and Smola, "Gaussian process classification for segmenting and annotating sequences", ICML 2004).

    Sequences are a (tokens, d) array or sparse matrix with ``lengths`` (without them it is one sequence), or a list of
    such matrices. Labels and predictions have the form of X: one array, or a list.

    Parameters
    ----------
    kernel : None, name, callable or scikit-learn kernel object
        On the features of tokens. None is RBF with a length scale from the spread of the tokens in training
        (:mod:`pragam.structured.kernels.bandwidth`). A name is one of ``sklearn.metrics.pairwise``; a callable maps
        two matrices to their Gram matrix. Parameters of a kernel that is given are taken as they are.
    lam : float > 0
        Weight of the regulariser against the mean log loss of a sequence.
    transition_scale : float >= 0
        The variance of a transition, beside that of a score, which the kernel has. 0: no transitions.
    tol : float >= 0
        The relative duality gap to certify.
    n_landmarks : int or None
        Nystrom's approximation: tokens whose span holds the model. None trains on the Gram matrix of all tokens.
    nodes : "once", "per_edge" or "by_position"
        How tokens enter. "once": stationary, every token once. "per_edge": the paper's kernel on edges as it is
        printed, which counts tokens inside a sequence twice. "by_position": tokens at different places in their
        sequences share nothing.
    precision : "float32" or "float64"
        In which the Gram matrix, or Nystrom's factor, is stored. The certificate is about the stored numbers, and
        computed in float64.
    solver : str
        One of ``pragam.solvers.names()``.
    labels : list or None
        The label set in order. By default the sorted labels that occur in y.
    transitions : None, "iob", "iob1", "bioes" or (K, K) boolean array
        Which label (column) may follow which (row); a name is a scheme of tags (:mod:`pragam.structured.tags`).
        Forbidden labellings have probability 0, in training and after.
    calibrate : float
        The share of the sequences on which a temperature for ``predict_proba`` is chosen: a first model is trained on
        the others, then one on all. 0: none, the temperature is 1.
    max_iter, max_seconds : budgets, None for none
        When one ends first, the best model so far is kept, with its gap, and a ConvergenceWarning says so.
    n_jobs : int or None
        Threads of the solver; -1 is all processors, None what PRAGAM_NUM_THREADS says, else two if there are two.
    random_state : int, RandomState or None
        Of landmarks, held-out sequences and the order of block ascent. None is a fixed seed.
    verbose : int
        1 shows the progress of the gap.

    Attributes
    ----------
    classes_ : (K,) labels
    kernel_ : the kernel that was used
    transitions_ : (K, K) scores of transitions
    temperature_ : float
    certificate_, status_, history_, n_iter_ : the proof, how the solve ended, what was certified on the way
    dual_ : the dual point that proves it
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012 (scikit-learn's convention)
        "kernel": [str, callable, None],
        "lam": [Interval(Real, 0, None, closed="neither")],
        "transition_scale": [Interval(Real, 0, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "n_landmarks": [Interval(Integral, 1, None, closed="left"), None],
        "nodes": [StrOptions({"once", "per_edge", "by_position"})],
        "precision": [StrOptions({"float32", "float64"})],
        "solver": [StrOptions(set(solvers.names()))],
        "labels": ["array-like", None],
        "transitions": [StrOptions(set(SCHEMES)), "array-like", None],
        "calibrate": [Interval(Real, 0, 1, closed="left")],
        "max_iter": [Interval(Integral, 0, None, closed="left"), None],
        "max_seconds": [Interval(Real, 0, None, closed="left"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }
    _several, _easier = "problems", "raise lam"

    def __init__(
        self,
        kernel: Any = None,
        *,
        lam: float = 1e-5,
        transition_scale: float = 0.3,
        tol: float = 1e-4,
        n_landmarks: int | None = None,
        nodes: str = "once",
        precision: str = "float32",
        solver: str = "auto",
        labels: Any = None,
        transitions: Any = None,
        calibrate: float = 0.0,
        max_iter: int | None = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.lam = lam
        self.transition_scale = transition_scale
        self.tol = tol
        self.n_landmarks = n_landmarks
        self.nodes = nodes
        self.precision = precision
        self.solver = solver
        self.labels = labels
        self.transitions = transitions
        self.calibrate = calibrate
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        """Neither a classifier nor a regressor for scikit-learn, which would take the sequences for rows."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    @with_callbacks
    def fit(self, X: Any, y: Any, lengths: Any = None) -> Self:
        """Fit the model; the certificate is in ``certificate_``.

        Parameters
        ----------
        X : sequences, in one of the forms above
        y : labels, one array for a flat X, else a list of the labels of each sequence
        lengths : the number of tokens of each sequence, for a flat X
        """
        self._validate_params()
        sequences = _matrices(sequences_of(X, lengths))
        flat = labels_of(y, sequences)
        self.classes_ = np.array(label_set(flat, self.labels))
        index = _numbers(flat, self.classes_, sequences.lengths)
        self.n_features_in_ = sequences.data.shape[1]
        self.kernel_ = scaled_rbf(sequences.data) if self.kernel is None else self.kernel
        options = self._options()
        if options.rules is not None:
            options.rules.check(index, sequences.lengths, self.classes_.tolist())
        with self._threads():
            self.temperature_ = self._held_out_temperature(options, sequences, index) if self.calibrate else 1.0
            self._model, result = self._trained(options, sequences.data, sequences.lengths, index)
        self.transitions_, self.dual_, self.n_iter_ = self._model.transitions, result.alpha, result.n_iter
        self.certificate_, self.status_, self.history_ = result.certificate, result.status, result.history
        self.certificates_ = [result.certificate]
        if text := advice.unfinished([result], self):
            warnings.warn(text, ConvergenceWarning, stacklevel=2 + FRAMES_AROUND_FIT)
        return self

    def predict(self, X: Any, lengths: Any = None) -> Any:
        """The most probable labelling of each sequence: one array of labels for a flat X, else a list."""
        sequences = self._checked(X, lengths)
        return sequences.split(self.classes_[self._model.labels(sequences.data, sequences.lengths)])

    def predict_proba(self, X: Any, lengths: Any = None) -> Any:
        """The marginal probabilities of the labels of each token, (tokens, K), or a list of such."""
        sequences = self._checked(X, lengths)
        scores, rules = self._model.scores(sequences.data, sequences.lengths), self._model.options.rules
        return sequences.split(marginals(scores, self.transitions_, sequences.lengths, rules, self.temperature_))

    def score(self, X: Any, y: Any, lengths: Any = None) -> float:
        """The share of tokens that are labelled right."""
        sequences = self._checked(X, lengths)
        predicted = self.classes_[self._model.labels(sequences.data, sequences.lengths)]
        return float((labels_of(y, sequences) == predicted).mean())

    def certify(self, X: Any, y: Any, lengths: Any = None) -> Certificate:
        """The certificate of this model, computed anew from its training data, its weights and its dual point."""
        sequences = self._checked(X, lengths)
        index = _numbers(labels_of(y, sequences), self.classes_, sequences.lengths)
        problem = self._model.problem(sequences.data, sequences.lengths, index, self.lam)
        if len(self._model.w) != problem.n_weights:
            raise ValueError(f"X must be the data that the model was trained on, and has {len(index)} tokens instead")
        return certify(problem, self._model.w, self.dual_)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model and its proof as a file of pragam's own (safetensors), whole or not at all.

        Without landmarks it holds the training tokens, whose kernel functions the model is made of.
        """
        from pragam.estimators import gp_files

        check_is_fitted(self)
        gp_files.save(path, self)

    @classmethod
    def load(cls, path: Any) -> GPSequenceClassifier:
        """The model that :meth:`save` wrote. Nothing in the file is executed."""
        from pragam.estimators import gp_files

        return gp_files.restore(cls(), path)

    def _options(self) -> Options:
        rules = Rules.named(self.transitions, self.classes_.tolist())
        return Options(self.kernel_, float(self.transition_scale), self.nodes, self.precision, rules)

    def _threads(self) -> AbstractContextManager[None]:
        return using(None if self.n_jobs is None else effective_n_jobs(self.n_jobs))

    def _trained(
        self, options: Options, X: Any, lengths: NDArray[np.int64], index: NDArray[np.int64]
    ) -> tuple[GPModel, Result]:
        model = GPModel.untrained(options, X, lengths, len(self.classes_), self.n_landmarks, self.random_state)
        (result,), _ = solve_problems(self, [model.problem(X, lengths, index, self.lam)], [None])
        return replace(model, w=result.w), result

    def _held_out_temperature(self, options: Options, sequences: Sequences, index: NDArray[np.int64]) -> float:
        """That of a model of the other sequences."""
        n = len(sequences.lengths)
        seed = self.random_state if isinstance(self.random_state, Integral) else 0
        held = np.zeros(n, dtype=bool)
        held[np.random.default_rng(int(seed)).permutation(n)[: round(self.calibrate * n)]] = True
        if held.all() or not held.any():
            raise ValueError(f"calibrate={self.calibrate:g} of {n} sequences leaves none to train on, or to hold out")
        token, lengths = np.repeat(held, sequences.lengths), sequences.lengths
        model, _ = self._trained(options, sequences.data[~token], lengths[~held], index[~token])
        scores = model.scores(sequences.data[token], lengths[held])
        return best_temperature(scores, model.transitions, lengths[held], index[token], options.rules)

    def _checked(self, X: Any, lengths: Any) -> Sequences:
        check_is_fitted(self)
        sequences = _matrices(sequences_of(X, lengths))
        if sequences.data.shape[1] != self.n_features_in_:
            found = sequences.data.shape[1]
            raise ValueError(f"X has {found} columns, and the model was trained on {self.n_features_in_}")
        rules = self._model.options.rules
        if rules is not None and not (possible := rules.have_labelling(sequences.lengths)).all():
            i = int(np.argmin(possible))
            raise ValueError(f"sequence {i}: transitions allow no labelling of its {sequences.lengths[i]} tokens")
        return sequences


def _matrices(sequences: Sequences) -> Sequences:
    if sequences.form == TOKENS:
        raise ValueError("X must hold matrices: a kernel takes numbers, not features by name; vectorise them first")
    return sequences


def _numbers(y: NDArray[Any], classes: NDArray[Any], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of every token's label in the label set."""
    place = {label: k for k, label in enumerate(classes.tolist())}
    if len(place) != len(classes) or len(classes) < 2:
        raise ValueError(f"labels must be two different ones at least, not {classes.tolist()!r:.60}")
    for t, label in enumerate(y.tolist()):
        if label not in place:
            i = int(np.searchsorted(np.cumsum(lengths), t, side="right"))
            raise ValueError(f"sequence {i}: y contains the label {label!r:.40}, which is not among labels")
    return np.array([place[label] for label in y.tolist()], dtype=np.int64)
