"""CRFsuite (Okazaki 2007): conditional random fields on chains by L-BFGS. An iteration is one of L-BFGS."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from pragam.compare.peers.base import Fitted, Peer
from pragam.compare.problems import CHAIN
from pragam.numerics.vector import Vector

#: Whether there is a weight for each pair of an attribute and a label, and of two labels, that does not occur.
_EVERYTHING = ("feature.possible_states", "feature.possible_transitions")


class Crfsuite(Peer):
    """Maximum likelihood with c2 = 1, its default. This is another loss than ours, and lam means nothing to it: its
    accuracy is what to compare. Of dense data it gets all states and transitions, of sparse data those that occur, its
    default.

    The data go into its trainer once, off the clock; a fit is one call of ``train``.
    """

    name = "crfsuite"
    title = "CRFsuite (L-BFGS, c2 = 1)"
    package, module = "python-crfsuite", "pycrfsuite"
    problem, minimises = CHAIN, False
    tightest = 1e-15

    def convert(self, X: Any, y: Any) -> tuple[Any, Any]:
        """A trainer that holds all sequences. The columns of X are attributes, by their numbers."""
        import pycrfsuite

        trainer, rows = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False), sparse.csr_array(X)
        names = [str(j) for j in range(rows.shape[1])]
        first = 0
        for length in y.lengths.tolist():
            tokens = [
                {names[j]: value for j, value in zip(*_entries(rows, t), strict=True)}
                for t in range(first, first + length)
            ]
            trainer.append(pycrfsuite.ItemSequence(tokens), [str(k) for k in y.labels[first : first + length].tolist()])
            first += length
        trainer.set_params(dict.fromkeys(_EVERYTHING, not sparse.issparse(X)))
        return trainer, (y.K, rows.shape[1])

    def fit(self, X: Any, y: Any, lam: float, bias: bool, limit: int, tol: float) -> Fitted:
        X.set_params({"c2": 1.0, "max_iterations": limit, "epsilon": tol, "delta": 0.0})
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            X.train(str(path))
            model = path.read_bytes()
        return Fitted(lambda: _weights(model, *y), n_iter=len(X.logparser.iterations))


def _entries(rows: sparse.csr_array, t: int) -> tuple[list[int], list[float]]:
    own = slice(rows.indptr[t], rows.indptr[t + 1])
    return rows.indices[own].tolist(), rows.data[own].tolist()


def _weights(model: bytes, K: int, d: int) -> Vector:
    """Its model in our order: node weights (K, d), transitions (K, K), and starts and ends, which it does not have."""
    import pycrfsuite

    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(model)
    found = tagger.info()
    nodes, moves = np.zeros((K, d)), np.zeros((K, K))
    for (attribute, label), weight in found.state_features.items():
        nodes[int(label), int(attribute)] = weight
    for (one, two), weight in found.transitions.items():
        moves[int(one), int(two)] = weight
    return np.concatenate([nodes.ravel(), moves.ravel(), np.zeros(2 * K)])
