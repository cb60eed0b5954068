"""One web page of an experiment, in one file that never uses a network (extra ``report``).

Charts are Vega-Lite's, compiled when the page is written (:mod:`pragam.report.charts`). Beside Bokeh, Vega's bundle is
smaller, and its SVG output makes toggles and themes a matter of CSS, where Bokeh paints its canvases anew
(``tests/report/test_browser.py`` prints how long a toggle takes). Keyboard and screen reader need work of our own with
either.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from pragam.compare import Experiment
from pragam.files.atomic import replacing
from pragam.report.charts import specifications
from pragam.report.extras import need
from pragam.report.figures import slugs
from pragam.report.markup import as_json, sample, text
from pragam.report.parts import Section
from pragam.report.sections import data_section, section, sections_below
from pragam.report.styles import Style, styles

#: The browser itself is told to load nothing. Vega turns the expressions of a specification into functions.
_POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data:"


def write_page(experiment: Experiment, path: str | os.PathLike[str], sections: Sequence[Section] = ()) -> None:
    """Write the page of an experiment; it appears whole or not at all.

    Parameters
    ----------
    experiment : Experiment
        What was measured.
    path : path
        The HTML file.
    sections : sequence of Section, optional
        Further parts, which are shown below the certificates.
    """
    page = "\n".join(_page(experiment, sections_below(experiment, sections)))
    with replacing(path) as stream:
        stream.write(page.encode())


def _page(experiment: Experiment, sections: Sequence[Section]) -> Iterator[str]:
    look = styles(experiment)
    anchors = {data: f"data-{slug}" for data, slug in slugs(experiment.data).items()}
    yield _head(look)
    yield _header(experiment)
    yield _contents(experiment, anchors, sections)
    yield f'<main><div class="measured">{_controls(experiment, look)}<div id="charts">'
    for data in experiment.data:
        yield data_section(experiment, data, anchors[data])
    yield "</div></div>"  # the controls stay in view as long as their charts
    yield from map(section, sections)
    yield "</main>"
    content = {"specifications": specifications(experiment), "solvers": list(look)}
    yield f'<div id="reading" hidden></div><script type="application/json" id="content">{as_json(content)}</script>'
    yield f"<script>{_bundle()}</script><script>{_asset('page.js')}</script></body></html>"


def _head(look: dict[str, Style]) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>pragam: comparison of solvers</title><style>{_asset('page.css')}{_colours(look)}</style></head>"
        '<body><a class="skip" href="#charts">Skip to the charts</a>'
    )


def _colours(look: dict[str, Style]) -> str:
    """The colours of the solvers in both themes, and the marks that wear them."""
    light = "".join(f"--c{k}:{style.light};" for k, style in enumerate(look.values()))
    dark = "".join(f"--c{k}:{style.dark};" for k, style in enumerate(look.values()))
    worn = "".join(
        f".c{k}{{--c:var(--c{k})}}.s{k}_marks path{{stroke:var(--c{k})}}.s{k}b_marks path,.s{k}i_marks path"
        f"{{fill:var(--c{k});fill-opacity:.16}}.s{k}m_marks path{{stroke:var(--c{k});"
        f"fill:{'var(--paper)' if style.is_hollow else f'var(--c{k})'}}}"
        for k, style in enumerate(look.values())
    )
    by_system = f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}"
    return f":root{{{light}}}{by_system}:root[data-theme=dark]{{{dark}}}{worn}"


def _header(experiment: Experiment) -> str:
    count = f"{_counted(len(experiment.solvers), 'solver')} on {_counted(len(experiment.data), 'data set')}"
    return (
        '<header><h1>Comparison of solvers</h1><p class="lead">'
        f"{count}. err = min J(w) − J* is how far the best weights so far are from the optimum J*, which is known from "
        "a certificate. Lines are medians over repeats, bands their spread. Solid: pragam's solvers. Dashed: peers. "
        "For values, point at a chart, or go to it with the Tab key and use the arrow keys.</p>"
        '<button type="button" id="theme" aria-pressed="false">Dark theme</button></header>'
        "<noscript><p>The charts need JavaScript. All tables are below.</p></noscript>"
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _contents(experiment: Experiment, anchors: dict[str, str], sections: Sequence[Section]) -> str:
    links = [(anchors[name], one.title) for name, one in experiment.data.items()]
    links += [(one.anchor, one.title) for one in sections]
    listed = "".join(f'<li><a href="#{anchor}">{text(title)}</a></li>' for anchor, title in links)
    return f'<nav aria-label="Contents"><ul>{listed}</ul></nav>'


def _controls(experiment: Experiment, look: dict[str, Style]) -> str:
    peers = {run.solver for run in experiment.runs if run.is_peer}
    buttons = "".join(
        f'<button type="button" class="solver" data-solver="{number}" aria-pressed="true">{sample(number, style)}'
        f"{text(name)}{' <small>peer</small>' if name in peers else ''}</button>"
        for number, (name, style) in enumerate(look.items())
    )
    return (
        '<section id="controls" aria-label="Curves and axis"><details open><summary>Curves and axis</summary>'
        '<div class="bar"><div role="group" aria-label="Horizontal axis" class="axis">'
        '<button type="button" data-axis="iterations" aria-pressed="false">Iterations</button>'
        '<button type="button" data-axis="seconds" aria-pressed="true">Time</button></div>'
        f'<div role="group" aria-label="Solvers shown" class="solvers">{buttons}'
        '<button type="button" id="all">Show all</button><button type="button" id="none">Hide all</button></div>'
        "</div></details></section>"
    )


def _asset(name: str) -> str:
    return files("pragam.report").joinpath("assets", name).read_text(encoding="utf-8")


@cache
def _bundle() -> str:
    """Vega and its embedding, as one script."""
    script: str = need("vl_convert").javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return script.replace("</script", "<\\/script")
