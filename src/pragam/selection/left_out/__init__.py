"""The exact leave-one-out error of a fitted model: every row predicted by the model that never saw it, proven."""

from pragam.selection.left_out.procedure import leave_one_out
from pragam.selection.left_out.progress import LeftOutLine, LeftOutProgress
from pragam.selection.left_out.result import STAGES, LeaveOneOut
from pragam.selection.left_out.supported import check_supported

__all__ = ["STAGES", "LeaveOneOut", "LeftOutLine", "LeftOutProgress", "check_supported", "leave_one_out"]
