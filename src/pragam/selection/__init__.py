"""Choosing lam: one path, one way to leave samples out and one rule for every record, rows and sequences alike."""

from pragam.selection.choice import choose, refit
from pragam.selection.folds import Fold, folds, split
from pragam.selection.left_out import LeaveOneOut, leave_one_out
from pragam.selection.proven import ProvenRange, RangeProgress, prove_range
from pragam.selection.rows import tune
from pragam.selection.scorers import Score, Scorer, chunk_f1, mean_worth
from pragam.selection.tuning import PAPER_LAMS, Tuning

__all__ = [
    "PAPER_LAMS", "Fold", "LeaveOneOut", "ProvenRange", "RangeProgress", "Score", "Scorer", "Tuning", "choose",
    "chunk_f1", "folds", "leave_one_out", "mean_worth", "prove_range", "refit", "split", "tune",
]  # fmt: skip
