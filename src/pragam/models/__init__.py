"""What was fitted, without scikit-learn: weights by name, the record of the risk, and the proof. One class a kind.

>>> from pragam import models
>>> model = models.load("m.safetensors")                     # doctest: +SKIP
>>> model.predict(samples), model.certify(samples)           # doctest: +SKIP
"""

from pragam.models.base import Model, Proof
from pragam.models.card import Card, card_of
from pragam.models.chain import ChainModel
from pragam.models.encoding import Encoding
from pragam.models.gp import GPModel
from pragam.models.graph import GraphModel
from pragam.models.liblinear import load_liblinear, save_liblinear
from pragam.models.linear import LinearModel
from pragam.models.onnx import save_onnx, to_onnx
from pragam.models.stored import load, save
from pragam.models.training import Fitted, fit, fit_path, model_of

__all__ = [
    "Card", "ChainModel", "Encoding", "Fitted", "GPModel", "GraphModel", "LinearModel", "Model", "Proof", "card_of",
    "fit", "fit_path", "load", "load_liblinear", "model_of", "save", "save_liblinear", "save_onnx", "to_onnx",
]  # fmt: skip
