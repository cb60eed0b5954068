"""Models as ONNX graphs: alone, or as a step of a Pipeline that skl2onnx converts.

>>> model.to_onnx("model.onnx")                              # doctest: +SKIP
>>> pragam.onnx.convert(pipeline, "pipeline.onnx")           # doctest: +SKIP
"""

from pragam.models import save_onnx, to_onnx
from pragam.onnx.pipelines import convert, register

__all__ = ["convert", "register", "save_onnx", "to_onnx"]
