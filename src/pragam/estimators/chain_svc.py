"""A max-margin labeller of sequences that knows how good it is."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from contextlib import AbstractContextManager
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from pragam import solvers
from pragam.certificate import Certificate, certify
from pragam.driver.path import path
from pragam.driver.result import Result
from pragam.estimators import advice
from pragam.estimators.compat import FRAMES_AROUND_FIT, CallbackSupportMixin, Interval, StrOptions, with_callbacks
from pragam.estimators.html import CertificateHTML
from pragam.estimators.solving import solve_problems
from pragam.models.chain_weights import ChainWeights
from pragam.numerics.arguments import is_whole
from pragam.problem import AnyProblem
from pragam.runtime.threads import using
from pragam.samples.forms import TOKENS, Sequences, label_set, labels_of, sequences_of
from pragam.sequences.problem import chain_problem
from pragam.sequences.vocabulary import Vocabulary
from pragam.structured.kernels import TokenKernel
from pragam.structured.rules import Rules
from pragam.structured.tags import SCHEMES
from pragam.structured.targets import weights_of

if TYPE_CHECKING:
    from typing_extensions import Self


class ChainSVC(CertificateHTML, CallbackSupportMixin, BaseEstimator):
    r"""Max-margin sequence labelling (M3N on chains), trained to a certified duality gap.

    Minimises, over all weights,

        J(w) = lam/2 |w|^2 + (1/n) sum_i weight_i max over labellings y of  loss_i(y) + F_i(y) - F_i(y_i)
        F(y) = start_{y_0} + sum_t <coef_{y_t}, x_t> + intercept_{y_t} + sum_t transitions_{y_t y_{t+1}} + end_{y_last}

    (Taskar, Guestrin and Koller, "Max-margin Markov networks", NIPS 2003). Every weight is penalised, that of the
    constant feature, ``intercept_``, too.

    Sequences are a (tokens, d) array or sparse matrix with ``lengths`` (without them it is one sequence), or a list of
    such matrices, or a list of sequences of tokens, each a dictionary as for scikit-learn's DictVectorizer or a list of
    strings as for CRFsuite. Labels and predictions have the form of X: one array, or a list.

    Parameters
    ----------
    lam : float > 0
        Weight of the regulariser against the mean loss; lam = 1/(C n) for n sequences.
    loss : "hamming_mean", "hamming_sum" or (K, K) array
        What a wrong label costs: 1 over the length of its sequence, 1, or cost[true, predicted].
    tol : float >= 0
        The relative duality gap to certify.
    solver : str
        One of ``pragam.solvers.names()``.
    kernel : None, name, callable or scikit-learn kernel object
        A kernel on the features of tokens, by a stored factor (:mod:`pragam.structured.kernels.nystrom`). A name is one
        of ``sklearn.metrics.pairwise``; a callable maps two matrices to their Gram matrix.
    labels : list or None
        The label set in order. By default the sorted labels that occur in y.
    transitions : None, "iob", "iob1", "bioes" or (K, K) boolean array
        Which label (column) may follow which (row); a name is a scheme of tags (:mod:`pragam.structured.tags`).
    max_iter, max_seconds : budgets, None for none
        When one ends first, the best model so far is kept, with its gap, and a ConvergenceWarning says so.
        So does Ctrl-C.
    n_jobs : int or None
        Threads of the solver; -1 is all processors, None what PRAGAM_NUM_THREADS says, else two if there are two.
    random_state : int, RandomState or None
        None is a fixed seed: equal fits give equal models.
    verbose : int
        1 shows the progress of the gap.
    n_landmarks : int or None
        Tokens whose span holds the model of a kernel; None is all different ones up to 2000, else 1000.
    kernel_params : dict or None
        Parameters of a kernel that is a name or a callable, such as ``{"gamma": 0.1}``.

    Attributes
    ----------
    classes_ : (K,) labels
    coef_, intercept_, transitions_, start_, end_ : the weights, of shapes (K, d), (K,), (K, K), (K,) and (K,)
    feature_names_ : names of the columns of ``coef_`` if tokens had features by name, else None
    n_unseen_features_ : int
        Occurrences of features unknown in training that the last prediction ignored.
    certificate_, status_, history_, n_iter_ : the proof, how the solve ended, what was certified on the way
    dual_ : the dual point that proves it
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012 (scikit-learn's convention)
        "lam": [Interval(Real, 0, None, closed="neither")],
        "loss": [StrOptions({"hamming_mean", "hamming_sum"}), "array-like"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "solver": [StrOptions(set(solvers.names()))],
        "kernel": [str, callable, None],
        "labels": ["array-like", None],
        "transitions": [StrOptions(set(SCHEMES)), "array-like", None],
        "max_iter": [Interval(Integral, 0, None, closed="left"), None],
        "max_seconds": [Interval(Real, 0, None, closed="left"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "n_landmarks": [Interval(Integral, 1, None, closed="left"), None],
        "kernel_params": [dict, None],
    }
    _several, _easier = "problems", "raise lam"

    def __init__(
        self,
        lam: float = 0.01,
        *,
        loss: Any = "hamming_mean",
        tol: float = 1e-2,
        solver: str = "auto",
        kernel: Any = None,
        labels: Any = None,
        transitions: Any = None,
        max_iter: int | None = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        n_landmarks: int | None = None,
        kernel_params: dict[str, Any] | None = None,
    ) -> None:
        self.lam = lam
        self.loss = loss
        self.tol = tol
        self.solver = solver
        self.kernel = kernel
        self.labels = labels
        self.transitions = transitions
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.n_landmarks = n_landmarks
        self.kernel_params = kernel_params

    def __sklearn_tags__(self) -> Any:
        """Neither a classifier nor a regressor for scikit-learn, which would take the sequences for rows."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    @with_callbacks
    def fit(self, X: Any, y: Any, lengths: Any = None, sample_weight: Any = None, token_weight: Any = None) -> Self:
        """Fit the model; the certificate is in ``certificate_``.

        Parameters
        ----------
        X : sequences, in one of the forms above
        y : labels, one array for a flat X, else a list of the labels of each sequence
        lengths : the number of tokens of each sequence, for a flat X
        sample_weight : one number >= 0 for each sequence, optional
        token_weight : one number >= 0 for each token, flat, optional; multiplies what a wrong label costs
        """
        problem = self._begin(X, y, lengths, sample_weight, token_weight)
        with self._threads():
            (result,), _ = solve_problems(self, [problem], [None])
        self._keep(result)
        self._warn(result)
        return self

    def fit_path(
        self, X: Any, y: Any, lams: Iterable[float], lengths: Any = None, sample_weight: Any = None,
        token_weight: Any = None,
    ) -> list[ChainSVC]:  # fmt: skip
        """A fitted model for each lam, in their order; each solve starts from the solution at the next larger lam.

        This estimator's other parameters hold for all of them; ``max_seconds`` is for the whole path.
        """
        problem = self._begin(X, y, lengths, sample_weight, token_weight)
        lams = list(lams)
        seed = int(self.random_state) if isinstance(self.random_state, Integral) else None
        with self._threads():
            results = path(
                problem, lams, self.tol, self.solver, self.max_seconds, random_state=seed, max_iter=self.max_iter
            )
        models = []
        for lam, result in zip(lams, results, strict=True):
            model = clone(self).set_params(lam=lam)
            vars(model).update({name: vars(self)[name] for name in _KNOWN_BEFORE})
            model._keep(result)
            models.append(model)
        for model, result in zip(models, results, strict=True):
            model._warn(result)
        return models

    def _begin(self, X: Any, y: Any, lengths: Any, sample_weight: Any, token_weight: Any) -> AnyProblem:
        """What is known before the solve: the labels, the features, and the problem."""
        self._validate_params()
        sequences = sequences_of(X, lengths)
        flat = labels_of(y, sequences)
        classes = label_set(flat, self.labels)
        self.classes_ = np.array(classes)
        self._vocabulary = Vocabulary.of_tokens(sequences.data) if sequences.form == TOKENS else None
        rows = self._rows(sequences)
        self.n_features_in_ = rows.shape[1]
        self._kernel = None
        if self.kernel is not None:
            self._kernel = TokenKernel.fit(rows, self.kernel, self.kernel_params, self.n_landmarks, self.random_state)
            rows = self._kernel.transform(rows)
        self._example_weights = {"sample_weight": sample_weight, "token_weight": token_weight}
        return chain_problem(self._risk(), rows, flat, sequences.lengths, classes, **self._example_weights)

    def _threads(self) -> AbstractContextManager[None]:
        return using(None if self.n_jobs is None else effective_n_jobs(self.n_jobs))

    def _risk(self) -> dict[str, Any]:
        return {"lam": self.lam, "loss": self.loss, "transitions": self.transitions}

    def _keep(self, result: Result) -> None:
        rules = Rules.named(self.transitions, self.classes_.tolist())
        self._keep_weights(ChainWeights.from_vector(result.w, len(self.classes_), rules))
        self.dual_, self.n_iter_ = result.alpha, result.n_iter
        self.certificate_, self.status_, self.history_ = result.certificate, result.status, result.history
        self.certificates_ = [result.certificate]

    def _keep_weights(self, weights: ChainWeights) -> None:
        self._weights = weights
        self.coef_, self.intercept_ = weights.coef, weights.intercept
        self.transitions_, self.start_, self.end_ = weights.transitions, weights.start, weights.end

    def _warn(self, result: Result) -> None:
        text = advice.unfinished([result], self)
        if text:
            warnings.warn(text, ConvergenceWarning, stacklevel=3 + FRAMES_AROUND_FIT)

    # What the model says of sequences.

    def predict(self, X: Any, lengths: Any = None) -> Any:
        """The best labelling of each sequence (Viterbi): one array of labels for a flat X, else a list."""
        sequences, rows = self._prepared(X, lengths)
        return sequences.split(self.classes_[self._weights.labels(rows, sequences.lengths)])

    def predict_topk(self, X: Any, k: int, lengths: Any = None) -> list[list[tuple[NDArray[Any], float]]]:
        """For each sequence the k best labellings with their scores F(y), the best first; fewer if there are fewer."""
        if not is_whole(k) or k < 1:
            raise ValueError(f"k must be a whole number >= 1, not {k!r:.40}")
        sequences, rows = self._prepared(X, lengths)
        return [
            [(self.classes_[codes], float(score)) for codes, score in zip(labels, scores, strict=True)]
            for labels, scores in self._weights.top(rows, sequences.lengths, int(k))
        ]

    def token_margins(self, X: Any, lengths: Any = None) -> Any:
        """For each token, how much the best labelling loses if this token must have another label than predicted.

        That is the max-marginal of the predicted label less that of the best other one, a number >= 0 up to rounding:
        the smaller, the less certain.
        """
        sequences, rows = self._prepared(X, lengths)
        return sequences.split(self._weights.labels_and_margins(rows, sequences.lengths)[1])

    def score(self, X: Any, y: Any, lengths: Any = None, sample_weight: Any = None) -> float:
        """The share of tokens that are labelled right; ``sample_weight`` has a number for each sequence."""
        sequences, rows = self._prepared(X, lengths)
        is_right = labels_of(y, sequences) == self.classes_[self._weights.labels(rows, sequences.lengths)]
        if sample_weight is None:
            return float(is_right.mean())
        weights = weights_of("sample_weight", sample_weight, len(sequences.lengths))
        if not weights.any():
            raise ValueError("sample_weight must not be 0 for all sequences")
        return float(np.average(is_right, weights=np.repeat(weights, sequences.lengths)))

    def certify(self, X: Any, y: Any, lengths: Any = None) -> Certificate:
        """The certificate of this model, computed anew from its training data, its weights and its dual point."""
        sequences, rows = self._prepared(X, lengths)
        flat, classes = labels_of(y, sequences), self.classes_.tolist()
        problem = chain_problem(self._risk(), rows, flat, sequences.lengths, classes, **self._example_weights)
        return certify(problem, self._weights.to_vector(), self.dual_)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model and its proof as a file of pragam's own (safetensors), whole or not at all."""
        from pragam.estimators import chain_files

        check_is_fitted(self)
        chain_files.save(path, self)

    @classmethod
    def load(cls, path: Any) -> ChainSVC:
        """The model that :meth:`save` or ``pragam train --task chain`` wrote. Nothing in the file is executed."""
        from pragam.estimators import chain_files

        return chain_files.restore(cls(), path)

    @property
    def feature_names_(self) -> list[str] | None:
        """The names of the features that the tokens had in training."""
        check_is_fitted(self)
        return None if self._vocabulary is None else self._vocabulary.names

    def _prepared(self, X: Any, lengths: Any) -> tuple[Sequences, Any]:
        check_is_fitted(self)
        sequences = sequences_of(X, lengths)
        rows = self._rows(sequences)
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {rows.shape[1]} columns, and the model was trained on {self.n_features_in_}")
        return sequences, rows if self._kernel is None else self._kernel.transform(rows)

    def _rows(self, sequences: Sequences) -> Any:
        """The features of all tokens, and how many were unknown."""
        if (sequences.form == TOKENS) != (self._vocabulary is not None):
            kinds = ("matrices", "features by name")
            trained, given = kinds if sequences.form == TOKENS else kinds[::-1]
            raise ValueError(f"X has {given}, and the model was trained on {trained}")
        self.n_unseen_features_ = 0
        if self._vocabulary is None:
            return sequences.data
        rows, self.n_unseen_features_ = self._vocabulary.vectorise(sequences.data)
        return rows


#: What a fit knows before its solve, the same for all lam.
_KNOWN_BEFORE = ("classes_", "n_features_in_", "n_unseen_features_", "_vocabulary", "_kernel", "_example_weights")
