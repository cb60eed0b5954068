"""Figures and the page of a comparison, if what draws them is installed. What was measured never depends on it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from pragam.compare.experiment import Experiment

#: What is drawn, in the folder of the comparison.
FIGURES, PAGE = "figures", "report.html"


def render(experiment: Experiment, folder: Path) -> list[str]:
    """Draw the figures and the page. A sentence for each of them that there is none of."""
    try:
        report = import_module("pragam.report")
    except ImportError as error:
        return [f"No figures and no page: pip install 'pragam[report]' ({error})."]
    missing = []
    for what, write, path in (
        ("figures", report.write_figures, folder / FIGURES),
        ("page", _write_page, folder / PAGE),
    ):
        try:
            write(experiment, path)
        except ImportError as error:
            missing.append(f"No {what}: pip install 'pragam[report]' ({error}).")
        except Exception as error:  # a drawing that fails must not hide what was measured
            missing.append(f"No {what}: {type(error).__name__}: {' '.join(str(error).split())}.")
    return missing


def _write_page(experiment: Experiment, path: Path) -> None:
    """The page, with the paper's theorems: a table of what they say and what is measured, and pictures."""
    from pragam import theory
    from pragam.paper.figures import pictures
    from pragam.report import write_page

    write_page(experiment, path, checks=theory.run(), pictures=pictures())
