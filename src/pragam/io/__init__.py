"""Model files: pragam's own (safetensors with certificates), LIBLINEAR's text, and fingerprints of data."""

from pragam.io.files import load
from pragam.io.liblinear import load_liblinear, save_liblinear
from pragam.io.model import Model, load_model, save_model
from pragam.samples.fingerprint import data_fingerprint

__all__ = [
    "Model",
    "data_fingerprint",
    "load",
    "load_liblinear",
    "load_model",
    "save_liblinear",
    "save_model",
]
