"""scikit-learn estimators. The only part of the package that imports scikit-learn."""

from pragam.estimators.chain_svc import ChainSVC
from pragam.estimators.gp_sequence_classifier import GPSequenceClassifier
from pragam.estimators.graph_svc import GraphSVC
from pragam.estimators.linear_svc import LinearSVC

__all__ = ["ChainSVC", "GPSequenceClassifier", "GraphSVC", "LinearSVC"]
