"""Gaussian-process sequence labelling as a Problem (Altun, Hofmann and Smola, ICML 2004)."""

from __future__ import annotations

import numpy as np

from pragam.problem import Problem
from pragam.structured.gp.entropy import ChainEntropy
from pragam.structured.gp.factor import FactorScores
from pragam.structured.gp.gram import GramScores
from pragam.structured.gp.moments import ChainMoments
from pragam.structured.gp.points import Indices
from pragam.structured.rules import Rules


def gp_sequences(
    A: GramScores | FactorScores, labels: Indices, lengths: Indices, lam: float, rules: Rules | None = None
) -> Problem:
    r"""The regularised negative log-likelihood of labelled sequences.

    ::

        J(B, U) = lam/2 [tr(B' G B) + tau |U|^2] + (1/n) sum_i [log Z_i(F, T) - F(y_i) - T(y_i)]
        D(P, E) = (1/n) sum_i H_i - [tr((Y - P)' G (Y - P)) + tau |C - E|^2] / (2 lam n^2)
        F = G B,   T = tau U,   B = (Y - P) / (lam n),   U = (C - E) / (lam n) at the optimum

    P and E are the node and summed edge marginals, H the entropies of distributions over labellings, Y and C those of
    the true labels. With features, G = Phi Phi'.

    Parameters
    ----------
    A : GramScores or FactorScores
    labels : (tokens,) numbers of the true labels, 0 .. K-1
    lengths : (n,) the lengths of the sequences, which sum to the number of tokens
    lam : float > 0
    rules : Rules, optional
        The labellings that are allowed. Z and the distributions of the dual are of these alone.
    """
    lengths, labels = np.asarray(lengths, dtype=np.int64), np.asarray(labels, dtype=np.int64)
    if lengths.ndim != 1 or not lengths.size or lengths.min() < 1 or lengths.sum() != A.n_tokens:
        raise ValueError(f"lengths must be numbers >= 1 that sum to {A.n_tokens}, the number of tokens")
    if labels.shape != (A.n_tokens,) or labels.min() < 0 or labels.max() >= A.K:
        raise ValueError(f"labels must hold {A.n_tokens} numbers from 0 to {A.K - 1}")
    if rules is not None:
        rules.check(labels, lengths)
    Q = ChainMoments(labels, lengths, A.K, rules)
    return Problem(A, np.zeros(Q.size), Q, lam, g=ChainEntropy(Q.n))


#: Sequences under a Gram matrix or a factor of one, and those under a Gram matrix, of which blocks can be read.
GPProblem = Problem[GramScores | FactorScores, ChainMoments]
GramProblem = Problem[GramScores, ChainMoments]
