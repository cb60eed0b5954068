"""Reading data: svmlight text, npz and npy files, and data sets by name."""

from pragam.datasets.columns import compact_columns
from pragam.datasets.files import load
from pragam.datasets.registry import data_folder, load_example, load_named, names, paper_lambda
from pragam.datasets.svmlight import load_svmlight, save_svmlight

__all__ = [
    "compact_columns",
    "data_folder",
    "load",
    "load_example",
    "load_named",
    "load_svmlight",
    "names",
    "paper_lambda",
    "save_svmlight",
]
