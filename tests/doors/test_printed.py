"""The scripts of this folder are made of printed lines: one that no page prints is found."""

from __future__ import annotations

import pytest

from printed import needs_docs, run_python, taken


@needs_docs
def test_a_line_that_is_not_printed_is_named():
    assert taken("import pragam\n", "estimators.md") == "import pragam\n"
    with pytest.raises(AssertionError, match=r"not printed in estimators\.md: import antigravity"):
        taken("import pragam\n\nimport antigravity\n", "estimators.md")
    with pytest.raises(AssertionError, match="not printed"):
        taken("One estimator for each kind of target.", "estimators.md")  # prose is no code


def test_names_that_a_script_leaves():
    assert run_python("x = 1\ny = x + 1\n")["y"] == 2
