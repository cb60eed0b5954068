"""The sections of the page: charts and times for each data set, then tables about all of them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from io import BytesIO
from typing import Any

from pragam.compare import Experiment
from pragam.report import tables
from pragam.report.charts import points, summary, tuning_points
from pragam.report.families import FAMILIES, Family, endings, notes
from pragam.report.markup import as_json, items, table, text
from pragam.report.parts import Picture, Section


def section(one: Section) -> str:
    """A section as HTML."""
    return _headed(one.anchor, one.title, "".join([*map(_picture, one.pictures), *map(table, one.tables)]))


def _headed(anchor: str, title: str, body: str) -> str:
    """A part of the page with a heading that names it."""
    heading = f'<h2 id="{anchor}-title">{text(title)}</h2>'
    return f'<section id="{anchor}" aria-labelledby="{anchor}-title">{heading}{body}</section>'


def data_section(experiment: Experiment, data: str, anchor: str) -> str:
    """The charts of a data set, how its runs ended, and the table of times."""
    facts = experiment.data[data]
    figures = "".join(_family_figure(experiment, data, family) for family in FAMILIES)
    if data in experiment.tuning:
        figures += _tuning_figure(experiment, data)
    body = (
        f'<p class="facts">{text(facts.caption)}. {facts.n_test:,} test rows.</p><div class="charts">{figures}</div>'
        f"{items(endings(experiment, data))}{table(tables.times(experiment, data))}"
    )
    return _headed(anchor, facts.title, body)


def _family_figure(experiment: Experiment, data: str, family: Family) -> str:
    said, remarks = summary(experiment, data, family), notes(experiment, data, family)
    return _figure(family.title, experiment.data[data].title, points(experiment, data, family), said, remarks)


def _tuning_figure(experiment: Experiment, data: str) -> str:
    columns, title = tuning_points(experiment.tuning[data]), experiment.data[data].title
    best = [
        f"Best: λ = 2^{row['power']:.3g} with {tables.percent(row['y'])}." for row in columns["rows"] if row["best"]
    ]
    return _figure("Choice of λ", title, columns, f"Validation accuracy against λ on {title}. {' '.join(best)}", best)


def _figure(title: str, where: str, columns: dict[str, Any], said: str, remarks: Sequence[str]) -> str:
    """A chart with its text alternative, its points for the script, remarks, and a data table on demand."""
    return (
        f"<figure><figcaption>{text(title)}</figcaption>"
        f'<div class="plot" role="img" tabindex="0" aria-label="{text(said)}"></div>'
        f'<script type="application/json" class="columns">{as_json(columns)}</script>{items(remarks)}'
        f'<details class="points"><summary>Data table<span class="hidden"> of {text(title)} on {text(where)}</span>'
        "</summary></details></figure>"
    )


def sections_below(experiment: Experiment, given: Sequence[Section]) -> list[Section]:
    """What stands below the data sets, with the caller's sections: first the results, then the records."""
    machine = tables.facts("Machine and versions", experiment.machine)
    options = tables.facts("Options of this comparison", experiment.options)
    return [
        Section("certificates", "Certificates", [tables.certificates(experiment)]),
        *given,
        Section("failures", "Failures", [tables.failures(experiment)]),
        Section("runs", "Runs", [tables.runs(experiment)]),
        Section("setting", "Setting", [tables.data_sets(experiment), options, machine]),
    ]


def _picture(picture: Picture) -> str:
    stream, caption = BytesIO(), text(picture.caption)
    picture.figure.savefig(stream, format="png", dpi=110)
    source = f"data:image/png;base64,{b64encode(stream.getvalue()).decode()}"
    return f'<figure><img class="picture" alt="{caption}" src="{source}"><figcaption>{caption}</figcaption></figure>'
