"""Structured output: sequences and graphs, as problems like all others, and projections onto their marginals."""

from pragam.structured.chains.hinge import chain_hinge
from pragam.structured.chains.layout import ChainLayout
from pragam.structured.chains.marginals import ChainMarginals
from pragam.structured.chains.projection import project_chain
from pragam.structured.chains.rows import ChainRows
from pragam.structured.chains.structure import ChainStructure
from pragam.structured.chains.trellis_flow import TrellisFlow
from pragam.structured.expected_features import ExpectedFeatures, structured_problem
from pragam.structured.graphs.clique_graph import CliqueGraph, is_tree
from pragam.structured.graphs.graph import Graph
from pragam.structured.graphs.hinge import graph_hinge
from pragam.structured.graphs.projection import project_graph
from pragam.structured.graphs.structure import GraphStructure
from pragam.structured.labellings import Labellings, Mixture
from pragam.structured.oracle import Oracle, structured_hinge
from pragam.structured.structure import Moments, Structure

__all__ = [
    "ChainLayout",
    "ChainMarginals",
    "ChainRows",
    "ChainStructure",
    "CliqueGraph",
    "ExpectedFeatures",
    "Graph",
    "GraphStructure",
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
