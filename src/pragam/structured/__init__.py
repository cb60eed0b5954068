"""Structured output: sequences and graphs, as problems like all others, and projections onto their marginals."""

from pragam.structured.chains.chain_hinge import chain_hinge
from pragam.structured.chains.chain_marginals import ChainMarginals
from pragam.structured.chains.chain_model import ChainModel
from pragam.structured.chains.chain_projection import project_chain
from pragam.structured.chains.chain_rows import ChainRows
from pragam.structured.chains.layout import ChainLayout
from pragam.structured.chains.trellis_flow import TrellisFlow
from pragam.structured.expected_features import ExpectedFeatures, structured_problem
from pragam.structured.graphs.clique_graph import CliqueGraph, is_tree
from pragam.structured.graphs.graph import Graph
from pragam.structured.graphs.graph_hinge import graph_hinge
from pragam.structured.graphs.graph_model import GraphModel
from pragam.structured.graphs.graph_projection import project_graph
from pragam.structured.labellings import Labellings, Mixture
from pragam.structured.oracle import Oracle, structured_hinge
from pragam.structured.structure import Moments, Structure

__all__ = [
    "ChainLayout",
    "ChainMarginals",
    "ChainModel",
    "ChainRows",
    "CliqueGraph",
    "ExpectedFeatures",
    "Graph",
    "GraphModel",
    "Labellings",
    "Mixture",
    "Moments",
    "Oracle",
    "Structure",
    "TrellisFlow",
    "chain_hinge",
    "graph_hinge",
    "is_tree",
    "project_chain",
    "project_graph",
    "structured_hinge",
    "structured_problem",
]
