"""Model files: pragam's own (safetensors with certificates), LIBLINEAR's text, and fingerprints of data."""

from pragam.io.files import load, load_any
from pragam.io.liblinear import load_liblinear, save_liblinear
from pragam.io.model import Model, load_model, save_model
from pragam.io.sequence_model import SequenceModel, load_sequence_model, save_sequence_model
from pragam.samples.fingerprint import data_fingerprint

__all__ = [
    "Model",
    "SequenceModel",
    "data_fingerprint",
    "load",
    "load_any",
    "load_liblinear",
    "load_model",
    "load_sequence_model",
    "save_liblinear",
    "save_model",
    "save_sequence_model",
]
