"""Which blocks have the same maximiser for all scores in a region, judged in rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pragam.polytopes import Box, Pairs

from .strategies import boxes, exact, exact_dot, exact_support, exponents, pairs, simplices, vectors

BLOCKS = st.one_of(boxes(plane=False), simplices(), pairs())
#: A bit less and a bit more than 1/sqrt(2), and a bit more than sqrt(2).
LESS, MORE = Fraction(7, 10), Fraction(15, 10)


@st.composite
def regions(draw, Q):
    """(low, high, reach): an interval for each score, and a radius for each block."""
    scale = 2.0 ** draw(exponents)
    middle, room = draw(vectors(Q.size)), draw(vectors(Q.size, st.sampled_from([0.0, 0.0, 0.25, 1.0])))
    reach = draw(vectors(Q.n_blocks, st.sampled_from([0.0, 0.25, 0.5, 1.0])))
    return (middle - room) * scale, (middle + room) * scale, reach * scale


def corner_scores(Q, low, high, reach, data):
    """Scores of the region: a corner of the intervals, and then as far as two numbers of a block can go, or one."""
    at_top = data.draw(st.lists(st.booleans(), min_size=Q.size, max_size=Q.size))
    s = [Fraction(float(h if top else l)) for l, h, top in zip(low, high, at_top, strict=True)]
    for i, r in enumerate(exact(reach)):
        places = range(i * Q.width, (i + 1) * Q.width)
        a, b = (data.draw(st.sampled_from(places)) for _ in range(2))
        sign = data.draw(st.sampled_from([1, -1]))
        if a == b:
            s[a] += sign * r
        else:
            s[a] += sign * LESS * r
            s[b] += data.draw(st.sampled_from([1, -1])) * LESS * r
    return s


@settings(max_examples=400)
@given(BLOCKS, st.data())
def test_a_settled_block_is_the_maximiser_and_the_only_one(drawn, data):
    Q, member, _ = drawn
    low, high, reach = data.draw(regions(Q))
    known = Q.settled(low, high, reach)
    s = corner_scores(Q, low, high, reach, data)
    for i in range(Q.n_blocks):
        block = np.array([i])
        places, part = Q.variables(block), Q.take(block)
        if np.isnan(known[places]).any():
            assert np.isnan(known[places]).all()
            continue
        own, other = exact(known[places]), exact(member[places])
        assert part.contains(known[places])
        scores = [s[j] for j in places]
        assert exact_dot(own, scores) == exact_support(part, scores)
        assert own == other or exact_dot(other, scores) < exact_support(part, scores)


def clear(Q, low, high, reach):
    """Whether each block's best vertex wins by more than any score of the region can change."""
    if isinstance(Q, Box):
        return (Q.lower == Q.upper) | (low > MORE * reach) | (-high > MORE * reach)
    answers = []
    for i, r in enumerate(reach):
        row = slice(i * Q.K, (i + 1) * Q.K)
        room = float(MORE) * r
        sides = [np.full(Q.K, True)] if not isinstance(Q, Pairs) else [Q.wrong[i], ~Q.wrong[i]]
        if Q.totals[i] == 0:
            answers.append(True)
            continue
        tops = [np.flatnonzero(side)[np.argmax(low[row][side])] for side in sides]
        wins = [
            all(low[row][top] - high[row][j] > room for j in np.flatnonzero(side) if j != top)
            for top, side in zip(tops, sides, strict=True)
        ]
        won = all(wins) and (len(sides) == 1 or low[row][tops].sum() > room)
        lost = len(sides) == 2 and -sum(high[row][side].max() for side in sides) > room
        answers.append(won or lost)
    return np.array(answers)


@settings(max_examples=300)
@given(BLOCKS, st.data())
def test_what_is_clear_is_settled(drawn, data):
    Q = drawn.Q
    low, high, reach = data.draw(regions(Q))
    first = Q.starts[:-1]
    assert not np.isnan(Q.settled(low, high, reach)[first][clear(Q, low, high, reach)]).any()


@given(BLOCKS)
def test_nothing_is_settled_by_overflow(drawn):
    Q = drawn.Q
    nothing = np.full(Q.size, np.nan)
    free = Q.lower < Q.upper if isinstance(Q, Box) else (np.repeat(Q.totals, Q.K) > 0)
    wide = np.full(Q.size, -np.inf), np.full(Q.size, np.inf), np.full(Q.n_blocks, 1.0)
    for region in (wide, (nothing, nothing, np.ones(Q.n_blocks)), (nothing, nothing, np.full(Q.n_blocks, np.inf))):
        with np.errstate(invalid="ignore"):
            assert np.isnan(Q.settled(*region)[free]).all()
