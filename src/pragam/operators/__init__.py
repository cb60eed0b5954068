"""The linear map A of a model. Dense, sparse and memory-mapped data differ only here."""

from pragam.operators.base import Operator, RowOperator, Rows
from pragam.operators.check import check_data
from pragam.operators.columns import Columns
from pragam.operators.counting import Counting
from pragam.operators.crammer_singer import CrammerSinger
from pragam.operators.planes import Planes
from pragam.operators.scaled_rows import ScaledRows

__all__ = [
    "Columns",
    "Counting",
    "CrammerSinger",
    "Operator",
    "Planes",
    "RowOperator",
    "Rows",
    "ScaledRows",
    "check_data",
]
