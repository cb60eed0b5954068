"""One look for each solver, which colour-blind readers and grey printers keep apart."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import pragam
from made import made, made_run
from pragam.report.markup import SHAPES
from pragam.report.styles import _PEERS, _SPARE, OURS, Style, styles

BACKGROUND = {"light": "#ffffff", "dark": "#12161c"}
#: Linear RGB as seen with a deficiency: Machado, Oliveira and Fernandes 2009, severity 1.
SIGHT = {
    "normal": np.eye(3),
    "red": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "green": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]),
    "blue": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]),
}


def linear(colour: str) -> np.ndarray:
    c = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(a: str, b: str) -> float:
    low, high = sorted(linear(colour) @ [0.2126, 0.7152, 0.0722] for colour in (a, b))
    return (high + 0.05) / (low + 0.05)


def oklab(rgb: np.ndarray) -> np.ndarray:
    """Perceived lightness and hue (Ottosson 2020), in hundredths."""
    cones = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                      [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip
    mix = np.array([[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
                    [0.0259040371, 0.7827717662, -0.808675766]])  # fmt: skip
    return 100 * mix @ np.cbrt(cones @ np.clip(rgb, 0, 1))


@pytest.mark.parametrize("theme", BACKGROUND)
def test_every_colour_stands_out(theme):
    colours = [getattr(style, theme) for style in (*OURS.values(), *_PEERS.values())]
    colours += [spare[theme == "dark"] for spare in _SPARE]
    assert min(contrast(colour, BACKGROUND[theme]) for colour in colours) >= 3


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("theme", BACKGROUND)
@pytest.mark.parametrize("group", [OURS, _PEERS], ids=["ours", "peers"])
def test_colours_differ_for_colour_blind_readers(group, theme, sight):
    """About 2 is the least difference that an eye sees side by side."""
    seen = {name: oklab(SIGHT[sight] @ linear(getattr(style, theme))) for name, style in group.items()}
    distances = {(a, b): np.linalg.norm(seen[a] - seen[b]) for a, b in itertools.combinations(seen, 2)}
    assert min(distances.values()) >= 5, min(distances, key=distances.get)


@pytest.mark.parametrize("group", [OURS, _PEERS], ids=["ours", "peers"])
def test_markers_tell_solvers_apart_in_grey(group):
    assert len({(style.marker, style.dash) for style in group.values()}) == len(group)
    assert {style.marker for style in group.values()} | {spare[2] for spare in _SPARE} <= set(SHAPES)


def test_all_our_solvers_have_a_style_of_their_own():
    assert set(pragam.solvers.names()) <= set(OURS)


def test_a_style_does_not_depend_on_the_company():
    alone = styles(made([made_run("a", "dcd"), made_run("a", "mine")]))
    names = ["theirs", "mine", "dcd", "newton"]
    together = styles(made([made_run("a", name) for name in names]))
    assert {name: together[name] for name in alone} == alone
    assert len(set(together.values())) == len(names)


def test_peers_are_hollow_and_dashed_even_with_the_name_of_ours():
    look = styles(made([made_run("a", "dcd", is_peer=True), made_run("a", "stranger", is_peer=True)]))
    assert all(style.is_hollow for style in look.values())
    assert not Style("#000000", "#ffffff", "o").is_hollow


def test_more_strangers_than_spare_styles():
    names = [f"solver {k}" for k in range(20)]
    assert set(styles(made([made_run("a", name) for name in names]))) == set(names)
