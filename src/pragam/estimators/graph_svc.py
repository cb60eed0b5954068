"""A max-margin labeller of the nodes of graphs that knows how good it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from pragam.certificate import Certificate
from pragam.estimators.compat import StrOptions, with_callbacks
from pragam.estimators.max_margin import MaxMarginEstimator
from pragam.estimators.parameters import at_least_zero, estimator, parameter
from pragam.estimators.structured import share_right
from pragam.risks import Risk
from pragam.samples import Graphs
from pragam.structured import Graph
from pragam.structured.graphs.graph import labels_of
from pragam.structured.graphs.record import GraphHinge
from pragam.structured.targets import LOSSES

if TYPE_CHECKING:
    from typing_extensions import Self


@estimator
class GraphSVC(MaxMarginEstimator):
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
        Weight of the regulariser against the mean loss.
    C : float > 0 or None
        In place of lam: the weight of the summed loss against 1/2 |w|^2. lam = 1/(n C) for the n graphs of
        the training data. With it lam keeps its default.
    loss : "hamming_mean", "hamming_sum" or (K, K) array
        What a wrong label costs: 1 over the number of nodes of its graph, 1, or cost[true, predicted].

    Attributes
    ----------
    coef_ : (K, d) array
        The weights of the features of nodes.
    intercept_ : (K,) array
        What is added to the score of each label.
    pairwise_ : (1 + edge features, K, K) array
        The weights of edges. The first table is that of every edge.
    decoder_ : str
        How the last prediction was made: "exact max-product on trees"; or, if a graph had a cycle, "messages, proven
        best" where their bound meets the score of the labels (but for rounding), else "messages, no guarantee".
    """

    loss: Any = parameter("hamming_mean", StrOptions(set(LOSSES)), "array-like")
    tol: float = at_least_zero(1e-2)

    _risks: ClassVar[tuple[str, ...]] = ("graph_hinge",)

    def __sklearn_tags__(self) -> Any:
        """X is a list of graphs, which have their own labels."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    @with_callbacks
    def fit(self, graphs: Sequence[Graph], y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model; the certificate is in ``certificate_``.

        Parameters
        ----------
        graphs : list of :class:`pragam.structured.Graph`, with labels
        y : not used, as each graph has its own labels; scikit-learn passes it
        sample_weight : one number >= 0 for each graph, optional
        """
        return self._fit(graphs, y, sample_weight)

    def predict(self, graphs: Sequence[Graph]) -> list[NDArray[Any]]:
        """The labels of the nodes of each graph. ``decoder_`` says whether they are the best ones for sure."""
        check_is_fitted(self)
        found, self.decoder_ = self.model_.decoded(Graphs(graphs))
        return found

    def node_margins(self, graphs: Sequence[Graph]) -> list[NDArray[np.float64]]:
        """For each node of trees, how much the best labelling loses if this node must have another label.

        That is the max-marginal of the predicted label less that of the best other one, a number >= 0 up to rounding:
        the smaller, the less certain. ValueError for a graph with a cycle, where they are hard to compute.
        """
        check_is_fitted(self)
        return self.model_.margins(Graphs(graphs))

    def score(self, graphs: Sequence[Graph], y: Any = None, sample_weight: Any = None) -> float:
        """The share of nodes that are labelled right; ``sample_weight`` has a number for each graph."""
        found = self.predict(graphs)
        is_right = labels_of(graphs) == np.concatenate(found)
        return share_right(is_right, [len(own) for own in found], sample_weight)

    def certify(self, graphs: Sequence[Graph]) -> Certificate:
        """The certificate of this model, computed anew from its training graphs, its weights and its dual point."""
        check_is_fitted(self)
        return self._certify(self._samples(graphs))

    def _samples(self, graphs: Any, y: Any = None, sample_weight: Any = None) -> Graphs:
        samples = Graphs(graphs, sample_weight)
        assert samples.joined is not None  # graphs that are none are refused, and then those without labels
        labels_of(graphs)
        return samples

    def _risk(self, samples: Any) -> Risk:
        return GraphHinge(lam=self._lam(samples.n), loss=self.loss)

    def _keep(self, model: Any) -> None:
        super()._keep(model)
        for name, array in model.tensors.items():
            setattr(self, f"{name}_", array)
