"""Inference on chains: best labellings, the k best, max-marginals, forward-backward. Everybody's, and nowhere else."""

from pragam.structured.inference.best import best_labels
from pragam.structured.inference.k_best import k_best
from pragam.structured.inference.max_marginals import label_margins, max_marginals
from pragam.structured.inference.scores import ChainScores

__all__ = ["ChainScores", "best_labels", "k_best", "label_margins", "max_marginals"]
