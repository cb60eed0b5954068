"""Structured output: sequences, as problems like all others, and projections onto their marginals."""

from pragam.structured.chain_hinge import chain_hinge
from pragam.structured.chain_marginals import ChainMarginals
from pragam.structured.chain_projection import project_chain
from pragam.structured.chain_rows import ChainRows
from pragam.structured.layout import ChainLayout
from pragam.structured.oracle import Oracle, structured_hinge

__all__ = ["ChainLayout", "ChainMarginals", "ChainRows", "Oracle", "chain_hinge", "project_chain", "structured_hinge"]
