"""A max-margin labeller of the nodes of graphs that knows how good it is."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from pragam.certificate import Certificate, certify
from pragam.driver.result import Result
from pragam.estimators import advice
from pragam.estimators.compat import FRAMES_AROUND_FIT, CallbackSupportMixin, Interval, StrOptions, with_callbacks
from pragam.estimators.html import CertificateHTML
from pragam.estimators.solving import solve_problems
from pragam.structured import Graph, GraphStructure
from pragam.structured.expected_features import StructuredProblem
from pragam.structured.graphs.graph import join_graphs, labels_of
from pragam.structured.graphs.hinge import joined_hinge

if TYPE_CHECKING:
    from typing_extensions import Self

#: What ``decoder_`` says.
EXACT, PROVEN, MESSAGES = "exact max-product on trees", "messages, proven best", "messages, no guarantee"


class GraphSVC(CertificateHTML, CallbackSupportMixin, BaseEstimator):
    r"""Max-margin labelling of graphs (M3N), trained to a certified duality gap.

    Minimises, over all weights,

        J(w) = lam/2 |w|^2 + (1/n) sum_i weight_i max over labellings y of  loss_i(y) + F_i(y) - F_i(y_i)
        F(y) = sum_v <coef_{y_v}, x_v> + intercept_{y_v} + sum over edges (u, v) of P_uv(y_u, y_v)
        P_uv = pairwise_0 + sum_f e_uvf pairwise_f

    (Taskar, Guestrin and Koller, "Max-margin Markov networks", NIPS 2003). Every weight is penalised, that of the
    constant feature, ``intercept_``, too. Trees are exact. If a graph has a cycle, J is that of the relaxation to
    locally consistent marginals, and ``certificate_.exact`` is False.

    Parameters
    ----------
    lam : float > 0
        Weight of the regulariser against the mean loss; lam = 1/(C n) for n graphs.
    loss : "hamming_mean", "hamming_sum" or (K, K) array
        What a wrong label costs: 1 over the number of nodes of its graph, 1, or cost[true, predicted].
    tol : float >= 0
        The relative duality gap to certify.
    solver : str
        One of ``pragam.solvers.names()``.
    labels : list or None
        The label set in order. By default the sorted labels that occur.
    max_iter, max_seconds : budgets, None for none
        When one ends first, the best model so far is kept, with its gap, and a ConvergenceWarning says so.
        So does Ctrl-C.
    random_state : int, RandomState or None
        None is a fixed seed: equal fits give equal models.
    verbose : int
        1 shows the progress of the gap.

    Attributes
    ----------
    classes_ : (K,) labels
    coef_, intercept_ : the weights of nodes, of shapes (K, d) and (K,)
    pairwise_ : (1 + edge features, K, K)
        Those of edges. The first table is that of every edge.
    decoder_ : str
        How the last prediction was made: "exact max-product on trees"; or, if a graph had a cycle, "messages, proven
        best" where their bound meets the score of the labels (but for rounding), else "messages, no guarantee".
    certificate_, certificates_, status_, history_, n_iter_ : the proof, how the solve ended, what was certified before
    dual_ : the dual point that proves it
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012 (scikit-learn's convention)
        "lam": [Interval(Real, 0, None, closed="neither")],
        "loss": [StrOptions({"hamming_mean", "hamming_sum"}), "array-like"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "solver": [str],  # solve names those that fit
        "labels": ["array-like", None],
        "max_iter": [Interval(Integral, 0, None, closed="left"), None],
        "max_seconds": [Interval(Real, 0, None, closed="left"), None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }
    _several, _easier = "problems", "raise lam"
    #: There is one problem, and one thread is enough for it.
    n_jobs = None

    def __init__(
        self,
        lam: float = 0.01,
        *,
        loss: Any = "hamming_mean",
        tol: float = 1e-2,
        solver: str = "auto",
        labels: Any = None,
        max_iter: int | None = None,
        max_seconds: float | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.lam = lam
        self.loss = loss
        self.tol = tol
        self.solver = solver
        self.labels = labels
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.random_state = random_state
        self.verbose = verbose

    @with_callbacks
    def fit(self, graphs: Sequence[Graph], y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model; the certificate is in ``certificate_``.

        Parameters
        ----------
        graphs : list of :class:`pragam.structured.Graph`, with labels
        y : not used, as each graph has its own labels; scikit-learn passes it
        sample_weight : one number >= 0 for each graph, optional
        """
        self._validate_params()
        problem = self._problem(graphs, self.labels, sample_weight)
        self.classes_ = np.unique(labels_of(graphs)) if self.labels is None else np.asarray(self.labels)
        self._sample_weight = None if sample_weight is None else np.array(sample_weight, dtype=np.float64)
        (result,), _ = solve_problems(self, [problem], [None])
        self._keep(problem.Q.structure, result)
        text = advice.unfinished([result], self)
        if text:
            warnings.warn(text, ConvergenceWarning, stacklevel=2 + FRAMES_AROUND_FIT)
        return self

    def _problem(self, graphs: Sequence[Graph], labels: Any, sample_weight: Any) -> StructuredProblem[Any]:
        """That of the graphs, whose nodes have a constant feature behind the others."""
        joined = join_graphs(graphs, constant=1.0)
        return joined_hinge(joined, labels_of(graphs), self.lam, self.loss, labels, sample_weight)

    def _keep(self, model: Any, result: Result) -> None:
        parts = model.parts(result.w)
        self.coef_, self.intercept_ = parts.nodes[:, :-1].copy(), parts.nodes[:, -1].copy()
        self.pairwise_ = parts.edges.copy()
        self.n_features_in_ = self.coef_.shape[1]
        self.dual_, self.n_iter_ = result.alpha, result.n_iter
        self.certificate_, self.status_, self.history_ = result.certificate, result.status, result.history
        self.certificates_ = [result.certificate]

    def predict(self, graphs: Sequence[Graph]) -> list[NDArray[Any]]:
        """The labels of the nodes of each graph. ``decoder_`` says whether they are the best ones for sure."""
        model = self._model(graphs)
        labels, is_best = model.predict(self._w)
        self.decoder_ = EXACT if model.exact else PROVEN if is_best else MESSAGES
        return model.split(self.classes_[labels])

    def node_margins(self, graphs: Sequence[Graph]) -> list[NDArray[np.float64]]:
        """For each node of trees, how much the best labelling loses if this node must have another label.

        That is the max-marginal of the predicted label less that of the best other one, a number >= 0 up to rounding:
        the smaller, the less certain. ValueError for a graph with a cycle, where they are hard to compute.
        """
        model = self._model(graphs)
        if not model.exact:
            cyclic = int(np.argmin(model.wiring.is_forest))
            raise ValueError(f"graph {cyclic} has a cycle: margins are known for trees only")
        highest = np.sort(model.max_marginals(self._w), axis=1)
        return model.split(highest[:, -1] - highest[:, -2])

    def certify(self, graphs: Sequence[Graph]) -> Certificate:
        """The certificate of this model, computed anew from its training graphs, its weights and its dual point."""
        check_is_fitted(self)
        problem = self._problem(graphs, self.classes_.tolist(), self._sample_weight)
        if problem.n_weights != len(self._w):
            raise ValueError(f"the graphs have {problem.n_weights} weights, and the model {len(self._w)}")
        return certify(problem, self._w, self.dual_)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model and its proof as a file of pragam's own (safetensors), whole or not at all."""
        from pragam.estimators import graph_files

        check_is_fitted(self)
        graph_files.save(path, self)

    @classmethod
    def load(cls, path: Any) -> GraphSVC:
        """The model that :meth:`save` wrote. Nothing in the file is executed."""
        from pragam.estimators import graph_files

        return graph_files.restore(cls(), path)

    @property
    def _w(self) -> NDArray[np.float64]:
        """All weights as one vector."""
        nodes = np.column_stack([self.coef_, self.intercept_])
        return np.concatenate([nodes.ravel(), self.pairwise_.ravel()])

    def _model(self, graphs: Sequence[Graph]) -> GraphStructure:
        """Graphs without labels, with as many features as in training."""
        check_is_fitted(self)
        nodes, edges, wiring = join_graphs(graphs, constant=1.0)
        for name, storage, own in (
            ("X", nodes, self.n_features_in_ + 1),
            ("edge_features", edges, len(self.pairwise_)),
        ):
            if storage.shape[1] != own:
                raise ValueError(
                    f"{name} has {storage.shape[1] - 1} columns, and the model was trained on {own - 1}"
                )  # without the constant
        K, none = len(self.classes_), np.zeros(wiring.n_nodes)
        return GraphStructure(
            nodes, edges, wiring, none.astype(np.int64), K, np.zeros(wiring.n), np.zeros((K, K)), none
        )

    def score(self, graphs: Sequence[Graph], y: Any = None, sample_weight: Any = None) -> float:
        """The share of nodes that are labelled right; ``sample_weight`` has a number for each graph."""
        found = self.predict(graphs)
        is_right = labels_of(graphs) == np.concatenate(found)
        weights = None if sample_weight is None else np.repeat(np.asarray(sample_weight), [len(own) for own in found])
        return float(np.average(is_right, weights=weights))
