"""A model and a Pipeline to ONNX and back: the code that docs/onnx.md prints, and the numbers that it promises."""

from __future__ import annotations

import numpy as np
import pytest

from printed import ROOT, blocks, needs_docs, run_python

pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


@needs_docs
def test_what_the_page_prints(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = run_python("\n".join(blocks(ROOT / "docs" / "onnx.md", "python")))
    assert capsys.readouterr().out.startswith("one_vs_rest(each=hinge(")
    for file, model in (("iris.onnx", names["model"]), ("pipeline.onnx", names["pipeline"])):
        labels, scores = onnxruntime.InferenceSession(file).run(["label", "scores"], {"X": names["X"]})
        exact = model.decision_function(names["X"])
        assert (labels == model.predict(names["X"])).all()
        assert np.abs(scores - exact).max() <= 1e-12 * np.abs(exact).max()
