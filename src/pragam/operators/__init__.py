"""The linear map A of a model. Dense, sparse and memory-mapped data differ only here."""

from pragam.operators.base import Operator, RowOperator, Rows
from pragam.operators.check import check_data
from pragam.operators.columns import Columns
from pragam.operators.counting import Counting
from pragam.operators.label_rows import LabelRows
from pragam.operators.planes import Planes
from pragam.operators.scaled_rows import ScaledRows
from pragam.operators.shared_rows import SharedRows

__all__ = [
    "Columns",
    "Counting",
    "LabelRows",
    "Operator",
    "Planes",
    "RowOperator",
    "Rows",
    "ScaledRows",
    "SharedRows",
    "check_data",
]
