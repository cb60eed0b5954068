"""Figures and the page of a comparison, if what draws them is installed. What was measured never depends on it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from pragam.compare import Experiment, Observer

#: What is drawn, in the folder of the comparison.
FIGURES, PAGE = "figures", "report.html"
#: Beside them the answers of the theorems, which are not run again for the next page.
THEORY = "theory.json"


def render(experiment: Experiment, folder: Path, observer: Observer, theory: bool) -> list[str]:
    """Draw the figures and the page. A sentence for each of them that there is none of."""
    from pragam.report import write_figures

    figures = partial(write_figures, experiment, folder / FIGURES)
    page = partial(_write_page, experiment, folder / PAGE, observer, theory)
    observer.working("drawing figures", 0, 2)
    said = [_drawn("figures", ("matplotlib",), figures)]
    observer.working("drawing the page", 1, 2)
    said.append(_drawn("page", ("vl_convert", "matplotlib"), page))
    return [sentence for sentence in said if sentence]


def _drawn(what: str, packages: tuple[str, ...], write: Callable[[], object]) -> str:
    """Write it if these packages are there, which is asked first. A sentence if it was not written."""
    from pragam.report.extras import need

    try:
        need(*packages)
        write()
    except ImportError as error:
        return f"No {what}: {error}."
    except Exception as error:  # a drawing that fails must not hide what was measured
        return f"No {what}: {type(error).__name__}: {' '.join(str(error).split())}."
    return ""


def _write_page(experiment: Experiment, path: Path, observer: Observer, theory: bool) -> None:
    """The page with the paper's claims and, if asked for, its theorems: a table and pictures."""
    from pragam import theory as theorems
    from pragam.cli.commands.theory import checked
    from pragam.paper.figures import pictures
    from pragam.paper.kept import kept_checks
    from pragam.paper.sections import claims_section, theory_section
    from pragam.report import write_page

    sections = claims_section(experiment)
    if theory:
        kept = path.with_name(THEORY)
        checks = kept_checks(kept, theorems.names(), lambda names: checked(names, observer.working))
        sections += theory_section(checks, pictures())
    write_page(experiment, path, sections)
