"""One line of progress: in a real notebook one output that changes, elsewhere the last state."""

from __future__ import annotations

import io

import pytest

import pragam
from pragam.driver.progress import ProgressLine, describe
from pragam.runtime.screen import in_notebook

FIT = """
import pragam
X, y = pragam.datasets.load_example()
y = {labels}
model = pragam.LinearSVC(C=100.0, solver="pragam", max_iter=400, tol=1e-9, verbose=1)
import warnings
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    _ = model.fit(X, y)
"""


def test_a_notebook_shows_one_line_that_changes():
    """In a real kernel: every fit is one output of its cell, which is changed and holds the last state."""
    nbformat = pytest.importorskip("nbformat", reason="a notebook")
    nbclient = pytest.importorskip("nbclient", reason="a notebook")
    pytest.importorskip("ipykernel", reason="a notebook")
    updates = []

    class Client(nbclient.NotebookClient):
        def process_message(self, message, cell, cell_index):
            if message["msg_type"] == "update_display_data":
                updates.append(cell_index)
            return super().process_message(message, cell, cell_index)

    sources = [FIT.format(labels=labels) for labels in ("y", "(X[:, 0] > 0) + (X[:, 0] > 1)")]  # two and three classes
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    Client(notebook, timeout=120, kernel_name="python3").execute()
    for k, cell in enumerate(notebook.cells):
        assert [output.output_type for output in cell.outputs] == ["display_data"]
        text = cell.outputs[0].data["text/plain"]
        assert text.startswith("LinearSVC ") and "relative gap" in text and "\n" not in text
        assert updates.count(k) >= 1


def test_a_file_gets_the_last_state_alone():
    stream = io.StringIO()
    assert not in_notebook()
    with ProgressLine("label", file=stream) as line:
        result = pragam.solve(pragam.hinge(*pragam.datasets.load_example()), "qp-bmrm", tol=1e-3, callback=line)
    assert stream.getvalue().count("\n") == 1 and stream.getvalue().startswith(f"label iteration {result.n_iter}, ")


def test_a_point_of_a_path_says_which():
    said = []
    problem = pragam.hinge(*pragam.datasets.load_example())
    pragam.path(problem, [0.1, 1.0], 1e-3, "qp-bmrm", callback=lambda step: said.append(describe(step)))
    assert said[0].startswith("point 1 of 2, lam = 1, iteration 1, ")
    assert said[-1].startswith("point 2 of 2, lam = 0.1, ")
