"""The charts of the page: a Vega specification for each family and axis, and the points for each chart.

A specification is written in Vega-Lite and compiled here, once for all data sets. The page puts the points and the ends
of the axes into a copy. Each solver has marks of its own, whose names become CSS classes of the SVG: ``s3`` its line,
``s3m`` its markers, ``s3b`` its band. So colours, themes and toggles are CSS, and a toggle computes nothing anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam.compare import Experiment
from pragam.compare.experiment import Floats
from pragam.report.extras import need
from pragam.report.families import AXES, FAMILIES, Axis, Curve, Family, curves, domain, ticks, x_domain
from pragam.report.markup import SHAPES
from pragam.report.styles import Style, styles
from pragam.report.tables import percent, seconds
from pragam.report.thinning import marked, thinned

HEIGHT = 210
_FONT = "system-ui, sans-serif"
#: How the numbers on the vertical axes are written, in d3's notation.
_FORMATS = {"error": "~e", "gap": "~e", "accuracy": ".1%", "support": "~s"}


def specifications(experiment: Experiment) -> dict[str, Any]:
    """Compiled specifications by "FAMILY-AXIS", and "tuning" if there are validation curves."""
    look = list(styles(experiment).values())
    found = {f"{family.key}-{axis}": _compiled(_layers(look, family, axis)) for family in FAMILIES for axis in AXES}
    return found | ({"tuning": _compiled(_tuning_layers())} if experiment.tuning else {})


def points(experiment: Experiment, data: str, family: Family) -> dict[str, Any]:
    """What the page needs to draw one chart: the ends of its axes, and columns for each solver."""
    shown = curves(experiment, data, family)
    number = {name: k for k, name in enumerate(styles(experiment))}
    y, x = domain(family, shown), {axis: x_domain(shown, axis) for axis in AXES}
    return {
        "family": family.key,
        "y": {"ends": y, "ticks": ticks(*y) if family.is_log else []},
        "x": {axis: {"ends": x[axis], "ticks": ticks(*x[axis])} for axis in AXES},
        "curves": [_columns(thinned(curve), number[curve.solver]) for curve in shown],
    }


def tuning_points(columns: dict[str, list[float]]) -> dict[str, Any]:
    """Validation accuracy with its standard error at each lambda."""
    lam, accuracy = np.array(columns["lam"]), np.array(columns["accuracy"])
    error = np.array(columns.get("error") or np.zeros(len(lam)))
    best = int(np.nanargmax(accuracy)) if np.isfinite(accuracy).any() else -1
    rows = [
        {"x": x, "y": y, "low": y - e, "high": y + e, "power": float(np.log2(x)), "best": k == best}
        for k, (x, y, e) in enumerate(zip(lam.tolist(), accuracy.tolist(), error.tolist(), strict=True))
        if np.isfinite([x, y, e]).all()
    ]
    ends = [end for row in rows for end in (row["low"], row["high"])] or [0.0, 1.0]
    room = 0.05 * (max(ends) - min(ends)) or 0.01
    x = [row["x"] for row in rows] or [0.1, 1.0]
    horizontal = {"ends": [min(x) / 1.3, max(x) * 1.3], "ticks": []}
    vertical = {"ends": [min(ends) - room, max(ends) + room], "ticks": []}
    return {"family": "tuning", "x": dict.fromkeys(AXES, horizontal), "y": vertical, "rows": rows}


def summary(experiment: Experiment, data: str, family: Family) -> str:
    """A text alternative: where each curve ends."""
    shown = curves(experiment, data, family)
    ends = [
        f"{curve.solver} ends at {value(family, curve.value[-1])} after {curve.iterations[-1]:,.0f} iterations and "
        f"{seconds(curve.seconds[-1])}"
        for curve in shown
    ]
    return f"{family.title} on {experiment.data[data].title}. {'; '.join(ends) if ends else 'Nothing to draw'}."


def value(family: Family, number: float) -> str:
    return f"{number:.2g}" if family.key in ("error", "gap") else f"{number:,.0f}" if family.is_log else percent(number)


def _columns(curve: Curve, number: int) -> dict[str, Any]:
    """The columns of a curve, and the numbers of the points that carry a marker, for each axis."""
    columns = {"iterations": curve.iterations, "seconds": curve.seconds, "value": curve.value}
    if curve.repeats > 1:
        columns |= {"fastest": curve.fastest, "slowest": curve.slowest}
    if curve.lower is not None:
        columns["lower"] = curve.lower
    markers = {axis: marked(curve.x(axis)).tolist() for axis in AXES}
    return {"solver": number, "markers": markers} | {name: _digits(column) for name, column in columns.items()}


def _digits(column: Floats) -> list[float | None]:
    """Five digits: more than a screen shows. None for what is no number."""
    rounded = (float(f"{x:.5g}") for x in column)
    return [None if not np.isfinite(x) else int(x) if x.is_integer() else x for x in rounded]


def _compiled(layers: dict[str, Any]) -> dict[str, Any]:
    config = {"font": _FONT, "axis": {"labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal"}}
    sizes = {"width": "container", "height": HEIGHT, "autosize": {"type": "fit-x", "contains": "padding"}}
    compiled: dict[str, Any] = need("vl_convert").vegalite_to_vega({"config": config, **sizes, **layers})
    for mark in compiled["marks"]:
        mark.pop("sort", None)  # points come in the order of iterations, and that is how they are joined
    return {key: part for key, part in compiled.items() if key != "$schema"}  # the page holds no addresses


def _layers(look: list[Style], family: Family, axis: Axis) -> dict[str, Any]:
    x = {
        "field": "x",
        "type": "quantitative",
        "scale": _log_scale(),
        "axis": _axis(axis, "~s" if axis == "iterations" else "~g"),
    }
    scale = _log_scale() if family.is_log else {"domain": [0, 1], "nice": False, "zero": False}
    y = {"field": "y", "type": "quantitative", "scale": scale, "axis": _axis(family.label, _FORMATS[family.key])}
    numbered = reversed(list(enumerate(look)))  # the first on top
    layers = [layer for number, style in numbered for layer in _solver_layers(number, style, x, y)]
    return {"layer": layers}


def _solver_layers(number: int, style: Style, x: dict[str, Any], y: dict[str, Any]) -> list[dict[str, Any]]:
    line = {"type": "line", "clip": True, "strokeWidth": 1.8, "strokeDash": list(style.dash), "aria": False}
    marker = {"type": "point", "shape": SHAPES[style.marker], "size": 13, "aria": False}
    band = {"type": "area", "clip": True, "aria": False}
    return [
        {"name": f"s{number}b", "data": {"name": f"s{number}b"}, "mark": band | {"orient": "horizontal"},
         "encoding": {"x": x | {"field": "low"}, "x2": {"field": "high"}, "y": y}},
        {"name": f"s{number}i", "data": {"name": f"s{number}i"}, "mark": band,
         "encoding": {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}}},
        {"name": f"s{number}", "data": {"name": f"s{number}"}, "mark": line,
         "encoding": {"x": x, "y": y}},
        {"name": f"s{number}m", "data": {"name": f"s{number}m"}, "mark": marker, "encoding": {"x": x, "y": y}},
    ]  # fmt: skip


def _tuning_layers() -> dict[str, Any]:
    powers = "'2^' + format(log(datum.value) / LN2, '~g')"
    x = {"field": "x", "type": "quantitative", "scale": _log_scale(2), "axis": _axis("λ", "~g") | {"labelExpr": powers}}
    scale = {"domain": [0, 1], "nice": False, "zero": False}
    y = {"field": "y", "type": "quantitative", "scale": scale, "axis": _axis("validation accuracy", ".1%")}
    data = {"data": {"name": "rows"}}
    band = {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}}
    return {"layer": [
        data | {"name": "tb", "mark": {"type": "area", "aria": False}, "encoding": band},
        data | {"name": "t", "mark": {"type": "line", "aria": False}, "encoding": {"x": x, "y": y}},
        data | {"name": "tm", "mark": {"type": "point", "size": 70, "aria": False}, "encoding": {"x": x, "y": y},
                "transform": [{"filter": "datum.best"}]},
    ]}  # fmt: skip


def _log_scale(base: int = 10) -> dict[str, Any]:
    return {"type": "log", "base": base, "domain": [1, 10], "nice": False}


def _axis(title: str, form: str) -> dict[str, Any]:
    label = f"datum.value == 1 ? '1' : format(datum.value, '{form}')"
    return {"title": title, "tickCount": 5, "labelExpr": label, "labelOverlap": True}
