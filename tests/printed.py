"""What README.md and docs/ print: code blocks, scripts made of their lines alone, and how both are run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pragam

ROOT = Path(__file__).resolve().parents[1]

needs_docs = pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="no checkout")
needs_bash = pytest.mark.skipif(os.name == "nt" or shutil.which("bash") is None, reason="bash")


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of one language, each behind as many empty lines as stand before it on the page."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(rf"^```(?:{language})\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return ["\n" * text[: match.start(1)].count("\n") + match[1] for match in found]


def taken(script: str, *names: str) -> str:
    """The script, each of whose lines stands in a code block of one of the pages; AssertionError names one that does
    not."""
    pages = [ROOT / ("" if name == "README.md" else "docs") / name for name in names]
    lines = {line for page in pages for block in blocks(page, "python|sh") for line in block.splitlines()}
    for line in script.splitlines():
        assert not line or line in lines, f"not printed in {', '.join(names)}: {line}"
    return script


def run_python(script: str) -> dict[str, Any]:
    """The names that a script leaves behind."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(script, "script", "exec"), names)
    return names


def run_shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The commands in bash, until one fails; ``pragam`` and ``python`` are those that are tested."""
    program = f'pragam() {{ "{sys.executable}" -m pragam "$@"; }}\npython() {{ "{sys.executable}" "$@"; }}\n'
    return subprocess.run(
        ["bash", "-euc", program + script], cwd=folder, env=environment(), capture_output=True, text=True
    )


def environment() -> dict[str, str]:
    """A child process imports the pragam that is tested here."""
    source = str(Path(pragam.__file__).parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))}
