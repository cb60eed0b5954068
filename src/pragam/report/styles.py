"""How a solver is drawn: one colour, marker and dash in all figures and on the page, whoever else is in the comparison.

Our solvers have solid lines and filled markers, peers dashed lines and hollow ones. Colours were searched for a large
distance between each two, in normal sight and as seen with a red, green or blue deficiency (Machado, Oliveira and
Fernandes 2009); markers and dashes tell curves apart in grey. A colour has a contrast of at least 3 to its background,
white or dark.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from pragam.compare import Experiment


@dataclass(frozen=True)
class Style:
    """Colours on a light and a dark background; marker as Matplotlib names it; dash lengths in points, () is solid."""

    light: str
    dark: str
    marker: str
    dash: tuple[int, ...] = ()

    @property
    def is_hollow(self) -> bool:
        """Whether the marker is an outline, as a peer's is."""
        return bool(self.dash)


OURS = {
    "auto": Style("#111111", "#ffffff", "*"),
    "dcd": Style("#248bed", "#11c7ff", "o"),
    "newton": Style("#ff5020", "#f36012", "s"),
    "pragam": Style("#32687a", "#14a571", "^"),
    "pragam-b": Style("#349d25", "#c6ff82", "v"),
    "qp-bmrm": Style("#5604b7", "#a570fc", "D"),
    "ls-bmrm": Style("#ad81a5", "#fc8dc1", "P"),
    "pegasos-n": Style("#8d3c0d", "#d5c121", ">"),
    "pegasos-1": Style("#442400", "#925995", "<"),
    "newton-dense": Style("#c0006a", "#ffb199", "p"),
    "proximal-newton": Style("#680062", "#d9433f", "X"),
    "sequential-dual": Style("#f92ce3", "#54be63", "<", (7, 1)),
    "flow-ascent": Style("#7d0df2", "#6650d4", "d"),
    "block-ascent": Style("#b041af", "#cb70c0", "h"),
    "bcfw": Style("#31088e", "#fed2f0", "H"),
    "pragam-entropy": Style("#4b3b3a", "#a44362", "8"),
    "rkhs-lbfgs": Style("#1507dd", "#e5c4cb", "o", (5, 1)),
    "gp-block-ascent": Style("#251c0b", "#6c5cf3", "s", (5, 1)),
    "block-newton": Style("#555447", "#bd2f18", "p", (7, 1)),
    "working-set": Style("#cc7c6e", "#708996", "D", (7, 1)),
    "windows": Style("#080005", "#c9e801", "s", (7, 1)),
    "merged-ascent": Style("#112638", "#8efab7", "^", (7, 1)),
}
_PEERS = {
    "liblinear": Style("#237480", "#5afffd", "o", (6, 2)),
    "sgd": Style("#4891eb", "#9da4ff", "s", (3, 2)),
    "svc": Style("#601fcd", "#9e25ff", "^", (6, 2, 1, 2)),
    "rehline": Style("#b03800", "#d29934", "v", (2, 1)),
    "skglm": Style("#00414f", "#137b7d", "D", (8, 3)),
    "snapml": Style("#bb851e", "#ffff14", "P", (4, 1, 1, 1)),
}
#: Colours and markers of solvers that are named nowhere here.
_SPARE = (
    ("#5a6b00", "#d3e04f", "H"), ("#9c2f6f", "#ff7fd0", "h"), ("#3b5bb5", "#8fa8ff", "d"), ("#7a5c45", "#d8b294", "8"),
    ("#00786a", "#58e0c8", ">"), ("#86661a", "#ffd97a", "<"), ("#6a6a75", "#c4c4d0", "s"), ("#b3263f", "#ff8f9f", "X"),
)  # fmt: skip
_SPARE_DASH = (5, 1, 2, 1)


def styles(experiment: Experiment) -> dict[str, Style]:
    """The style of each solver of the experiment."""
    peers = {run.solver: run.is_peer for run in experiment.runs}
    known = {name: _PEERS.get(name) if is_peer else OURS.get(name) for name, is_peer in peers.items()}
    spare = _spare(name for name, style in known.items() if style is None)
    return {name: style or _with_dash(spare[name], peers[name]) for name, style in known.items()}


def _spare(names: Iterable[str]) -> dict[str, tuple[str, str, str]]:
    """A place by the name itself, so that it stays from one comparison to the next; the next one if it is taken."""
    taken: dict[int, str] = {}
    for name in sorted(names):
        wish = zlib.crc32(name.encode()) % len(_SPARE)
        places = [(wish + step) % len(_SPARE) for step in range(len(_SPARE))]
        place = next((place for place in places if place not in taken), len(taken) + len(_SPARE))
        taken[place] = name
    return {name: _SPARE[place % len(_SPARE)] for place, name in taken.items()}


def _with_dash(spare: tuple[str, str, str], is_peer: bool) -> Style:
    return Style(*spare, dash=_SPARE_DASH if is_peer else ())
