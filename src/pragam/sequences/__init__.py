"""Sequences: the forms they come in, column files and feature templates, decoding, evaluation."""

from pragam.files.column_files import ColumnData, read_columns, with_column
from pragam.files.sequence_arrays import ArrayData, read_sequences_npz
from pragam.sequences.evaluation import ChunkScore, Evaluation, chunk_scores, evaluate
from pragam.sequences.template import Template, default_template
from pragam.sequences.vocabulary import Vocabulary

__all__ = [
    "ArrayData",
    "ChunkScore",
    "ColumnData",
    "Evaluation",
    "Template",
    "Vocabulary",
    "chunk_scores",
    "default_template",
    "evaluate",
    "read_columns",
    "read_sequences_npz",
    "with_column",
]
