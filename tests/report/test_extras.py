"""Without the extras pragam can be imported, and an error names the packages to install: from a checkout, too."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pragam.report import headline, write_figures, write_page
from report import experiments


@pytest.mark.parametrize(
    ("module", "package", "call"),
    [
        ("matplotlib", "matplotlib", lambda folder: write_figures(experiments.small(), folder)),
        ("matplotlib", "matplotlib", lambda folder: headline(experiments.small(), "one")),
        ("vl_convert", "vl-convert-python", lambda folder: write_page(experiments.small(), folder / "page.html")),
    ],
)
def test_a_missing_package_is_named(module, package, call, monkeypatch, tmp_path):
    for name in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"not installed: {package} \(pip install {package}\)$"):
        call(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_importing_the_report_loads_no_extra():
    program = "import pragam.report, sys; print([m for m in ('matplotlib', 'vl_convert') if sys.modules.get(m)])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
