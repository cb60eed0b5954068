"""Reading data: svmlight text, npz and npy files, and data sets by name."""

from pragam.datasets.fetching.places import cache_folder, data_folder
from pragam.datasets.record import Dataset, File, Split
from pragam.datasets.registry import describe, fetch, load_example, load_named, load_split, names, paper_lambda
from pragam.datasets.sequences import describe_sequences, load_sequences, sequence_names
from pragam.files.columns import compact_columns
from pragam.files.rows import load
from pragam.files.svmlight import load_svmlight, save_svmlight

__all__ = [
    "Dataset",
    "File",
    "Split",
    "cache_folder",
    "compact_columns",
    "data_folder",
    "describe",
    "describe_sequences",
    "fetch",
    "load",
    "load_example",
    "load_named",
    "load_sequences",
    "load_split",
    "load_svmlight",
    "names",
    "paper_lambda",
    "save_svmlight",
    "sequence_names",
]
