"""The old place of :mod:`pragam.models` and of fingerprints of data; to be removed in the next release."""

import warnings

from pragam.models import LinearModel as Model
from pragam.models import load, load_liblinear, save, save_liblinear
from pragam.samples.fingerprint import data_fingerprint

warnings.warn(
    "pragam.io has moved: use pragam.models (load, save, load_liblinear, save_liblinear) and "
    "pragam.samples.fingerprint (data_fingerprint)",
    DeprecationWarning,
    stacklevel=2,
)

load_any = load_model = load
save_model = save

__all__ = [
    "Model", "data_fingerprint", "load", "load_any", "load_liblinear", "load_model", "save", "save_liblinear",
    "save_model",
]  # fmt: skip
