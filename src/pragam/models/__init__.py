"""What was fitted, without scikit-learn: weights by name, the record of the risk, and the proof. One class a kind.

>>> from pragam import models
>>> model = models.load("m.safetensors")                     # doctest: +SKIP
>>> model.predict(samples), model.certify(samples)           # doctest: +SKIP
"""

from pragam.models.base import Model, Proof
from pragam.models.liblinear import load_liblinear, save_liblinear
from pragam.models.linear import LinearModel
from pragam.models.stored import load, save
from pragam.models.training import Fitted, fit, model_of

__all__ = [
    "Fitted", "LinearModel", "Model", "Proof", "fit", "load", "load_liblinear", "model_of", "save", "save_liblinear",
]  # fmt: skip
