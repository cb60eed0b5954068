"""scikit-learn estimators: one base, a skin for each risk. Only this room, and `patch` above it, load scikit-learn."""

from pragam.estimators.chain_svc import ChainSVC
from pragam.estimators.gp_sequence_classifier import GPSequenceClassifier
from pragam.estimators.graph_svc import GraphSVC
from pragam.estimators.linear_svc import LinearSVC
from pragam.estimators.linear_svc_cv import LinearSVCCV
from pragam.estimators.linear_svr import LinearSVR
from pragam.estimators.linear_svr_cv import LinearSVRCV
from pragam.estimators.multiclass_svc import MulticlassSVC
from pragam.estimators.multilabel_svc import MultilabelSVC
from pragam.estimators.ordinal_svc import OrdinalSVC
from pragam.estimators.quantile_regressor import QuantileRegressor
from pragam.estimators.quantile_regressor_cv import QuantileRegressorCV

__all__ = [
    "ChainSVC", "GPSequenceClassifier", "GraphSVC", "LinearSVC", "LinearSVCCV", "LinearSVR", "LinearSVRCV",
    "MulticlassSVC", "MultilabelSVC", "OrdinalSVC", "QuantileRegressor", "QuantileRegressorCV",
]  # fmt: skip
