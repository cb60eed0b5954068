"""A CSV file to predictions, in a shell and from a data frame: only what two pages of the docs print."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pragam

DOCS = Path(__file__).resolve().parents[2] / "docs"
pytestmark = [
    pytest.mark.skipif(not DOCS.is_dir(), reason="no checkout"),
    pytest.mark.skipif(os.name == "nt" or shutil.which("bash") is None, reason="bash"),
]
PREDICT = "pragam predict people.model new.csv"


def section(page, language):
    """The blocks of the section on tables."""
    text = (DOCS / page).read_text(encoding="utf-8").partition("\n## Tables\n")[2].partition("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def shell(commands, folder):
    source = os.pathsep.join(filter(None, [str(Path(pragam.__file__).parents[1]), os.environ.get("PYTHONPATH")]))
    names = f'pragam() {{ "{sys.executable}" -m pragam "$@"; }}\npython() {{ "{sys.executable}" "$@"; }}\n'
    return subprocess.run(
        ["bash", "-euc", names + commands],
        cwd=folder, env={**os.environ, "PYTHONPATH": source}, capture_output=True, text=True,
    )  # fmt: skip


def test_the_commands_of_the_page(tmp_path):
    (commands,) = section("command-line.md", "sh")
    done = shell(commands, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "exit status 2" in done.stdout and "--target COLUMN trains on it" in done.stderr
    before, after = ((tmp_path / name).read_bytes().splitlines(True) for name in ("people.csv", "predicted.csv"))
    assert all(new.startswith(old.removesuffix(b"\r\n")) for old, new in zip(before, after, strict=True))
    with open(tmp_path / "predicted.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["prediction"] == "low" for row in rows] == [float(row["decision"]) > 0 for row in rows]
    right = sum(row["prediction"] == row["income"] for row in rows)
    assert f"accuracy {100 * right / len(rows):.2f} % ({right} of {len(rows)})" in done.stderr


@pytest.mark.parametrize("kind", ["dictionary", "pandas", "polars", "pyarrow"])
def test_the_recipe_from_python_and_its_model_in_a_shell(kind, tmp_path, monkeypatch):
    assert PREDICT in (DOCS / "estimators.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {"np": np, "pragam": pragam}
    first, second = section("estimators.md", "python")
    if kind != "dictionary":
        package = pytest.importorskip(kind, reason=f"{kind} is not installed")
        names["made"] = package.table if kind == "pyarrow" else package.DataFrame
        first = re.sub(r"^frame = (.*)$", r"frame = made(\1)", first, flags=re.MULTILINE)
    exec(first, names)
    exec(second, names)
    new = names["new"]
    with open("new.csv", "w", newline="") as file:
        csv.writer(file).writerows([list(new), *zip(*new.values(), strict=True)])
    done = shell(PREDICT, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 values are of levels that the model does not have, and are ignored" in done.stderr
    predicted = [row["prediction"] for row in csv.DictReader(done.stdout.splitlines())]
    assert predicted == names["again"].predict(names["Rows"](new)).tolist()
