"""A model and a Pipeline to ONNX and back: the code that docs/onnx.md prints, and the numbers that it promises."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "onnx.md"


@pytest.mark.skipif(not PAGE.is_file(), reason="no checkout")
def test_what_the_page_prints(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        exec(block, names)
    assert capsys.readouterr().out.startswith("one_vs_rest(each=hinge(")
    for file, model in (("iris.onnx", names["model"]), ("pipeline.onnx", names["pipeline"])):
        labels, scores = onnxruntime.InferenceSession(file).run(["label", "scores"], {"X": names["X"]})
        exact = model.decision_function(names["X"])
        assert (labels == model.predict(names["X"])).all()
        assert np.abs(scores - exact).max() <= 1e-12 * np.abs(exact).max()
