"""What users bring of sequences: column files, templates of features, evaluation."""

from pragam.files.column_files import ColumnData, read_columns, with_column
from pragam.files.sequence_arrays import ArrayData, read_sequences_npz
from pragam.sequences.chunks import ChunkScore, ChunkScores, chunk_scores
from pragam.sequences.evaluation import Evaluation, evaluate
from pragam.sequences.scoring import chunk_f1_score, chunk_f1_scorer
from pragam.sequences.template import Template, default_template
from pragam.sequences.vocabulary import Vocabulary

__all__ = [
    "ArrayData",
    "ChunkScore",
    "ChunkScores",
    "ColumnData",
    "Evaluation",
    "Template",
    "Vocabulary",
    "chunk_f1_score",
    "chunk_f1_scorer",
    "chunk_scores",
    "default_template",
    "evaluate",
    "read_columns",
    "read_sequences_npz",
    "with_column",
]
