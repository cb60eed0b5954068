"""Pairwise dual ascent on trellis flows, for sequence labelling.

``solver`` is the algorithm, ``state`` what it remembers, ``schedule`` how many sweeps a round has and what they tell of
the gap, ``edge_lists`` the flow in memory, ``weight_table`` the weights, ``token_rows`` and ``pair_rows`` the copies of
X and of the features of pairs that are swept over.
"""

from pragam.solvers.flow_ascent.solver import FlowAscent

__all__ = ["FlowAscent"]
