"""One file alone depends on what scikit-learn does not promise."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import pragam

FILES = sorted((Path(pragam.__file__).parent / "estimators").glob("*.py"))


def private_imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "sklearn":
            names = [*node.module.split("."), *(alias.name for alias in node.names)]
            yield from (name for name in names if name.startswith("_") or name == "callback")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_private_modules_are_imported_in_one_place(path):
    assert bool(list(private_imports(path))) == (path.name == "compat.py")
