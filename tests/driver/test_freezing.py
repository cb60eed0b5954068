"""Whatever a solver remembers comes back to the bit, and shares what it shared."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from enum import Enum
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

import pragam
from pragam.driver.checkpoint.freezing import Frozen, Roots, UnknownError, freeze
from pragam.driver.checkpoint.thawing import thaw
from pragam.driver.result import Status
from pragam.numerics.remade import made_as, recording, remade
from pragam.solvers.base import Start


@dataclass
class Own:
    """A record of this module."""

    x: object = None
    y: object = None


class Colour(Enum):
    RED = 1


def through(what, objects=None, calls=None):
    """What comes back from the file, whose tree is JSON."""
    objects = objects or {}
    frozen = freeze(what, Roots(objects), calls, (__name__,))
    tree = json.loads(json.dumps(frozen.tree, allow_nan=False))
    return thaw(Frozen(tree, [each.copy() for each in frozen.memory]), objects, (__name__,))


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
DTYPES = arrays.boolean_dtypes() | arrays.integer_dtypes() | arrays.unsigned_integer_dtypes() | arrays.floating_dtypes()
ARRAYS = arrays.arrays(DTYPES, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0))
VALUES = st.recursive(
    PLAIN | ARRAYS,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner) | st.builds(Own, inner),
    max_leaves=12,
)


def same(a, b):
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, Own):
        return type(b) is Own and same(vars(a), vars(b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and repr(a) == repr(b)  # NaN and -0.0 too


@given(VALUES)
def test_values_come_back(value):
    assert same(value, through(value))


@given(st.sampled_from(["d", "f", "i8", "i4", "u2", "u1", "?"]), st.integers(0, 2**32))
def test_scalars_keep_their_type(kind, seed):
    x = np.random.default_rng(seed).integers(0, 256, 8, dtype=np.uint8).view(kind)[0]
    assert same(np.array(x), np.array(through(x))) and type(through(x)) is type(x)


def test_views_of_one_memory_share_it_afterwards():
    memory = np.arange(48.0).reshape(6, 8)
    parts = {
        "whole": memory, "column": memory[:, 3], "row": memory[2], "turned": memory[::-1, ::-2], "T": memory.T,
        "bytes": memory.view(np.uint8), "one": memory[1:2, 1:2],
    }  # fmt: skip
    found = through(parts)
    for name, part in parts.items():
        assert np.array_equal(part, found[name]) and part.strides == found[name].strides
        assert np.shares_memory(found[name], found["whole"])
    found["whole"][:] = 0.0
    assert not any(part.any() for part in found.values())


def test_what_is_used_of_a_large_memory_is_what_is_written():
    large = np.arange(1e6)
    frozen = freeze([large[10:20], large[15:25]], Roots({}))
    assert [each.size for each in frozen.memory] == [15 * 8]


@pytest.mark.parametrize("offset", [0, 1, 3, 7])
def test_arrays_begin_at_the_same_place_of_a_cache_line(offset):
    memory = np.zeros(200)
    x = memory[offset : offset + 100]
    assert through(x).ctypes.data % 64 == x.ctypes.data % 64


def test_objects_that_are_one_stay_one():
    inner = Own(np.arange(3))
    first, second = through([Own(inner, inner.x), inner])
    assert first.x is second and first.y is second.x
    ring = Own()
    ring.x = [ring]
    found = through(ring)
    assert found.x[0] is found


def test_a_generator_goes_on_where_it_was():
    for bits in (np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64):
        rng = np.random.Generator(bits(5))
        rng.random(7)
        rng.integers(0, 10, dtype=np.int32)  # leaves half a word
        found = through([rng, rng])
        assert found[0] is found[1]
        assert np.array_equal(found[0].integers(0, 1000, 9, dtype=np.int32), rng.integers(0, 1000, 9, dtype=np.int32))
        assert np.array_equal(found[0].random(9), rng.random(9))


def test_members_types_sets_and_sparse_arrays():
    X = sparse.random_array((5, 4), density=0.5, format="csr", rng=0)
    what = [
        Status.STALLED,
        Colour.RED,
        np.float32,
        np.dtype("u2"),
        frozenset("ab"),
        X,
        Start(np.ones(2), None),
        inf,
        nan,
    ]
    found = through(what)
    assert found[:5] == what[:5] and type(found[6]) is Start
    assert (found[5] != X).nnz == 0 and type(found[5]) is type(X)


def test_read_only_stays_read_only():
    x = np.arange(5.0)
    x.flags.writeable = False
    assert not through(x).flags.writeable and through(x.copy()).flags.writeable


def test_roots_are_referred_to():
    problem = pragam.hinge(np.eye(5), np.array([1, -1, 1, -1, 1]), 0.1)
    frozen = freeze([problem, problem.A, problem.A.storage.X], Roots({"problem": problem}))
    assert frozen.memory == []
    other = pragam.hinge(np.eye(5), np.array([1, -1, 1, -1, 1]), 0.1)
    found = thaw(frozen, {"problem": other})
    assert found[0] is other and found[1] is other.A and found[2] is other.A.storage.X


@remade
def doubled(x, times):
    return 2.0 * x * times, Own(x + times)


def test_what_a_pure_function_made_is_made_again():
    given = np.arange(3.0)
    with recording() as calls:
        first, own = doubled(given, 5)
        given[:] = -1.0  # the call was with other numbers
        other, _ = made_as((np.array([0.0, 10.0]), Own()), doubled, np.array([0.0, 1.0]), 5)
        frozen = freeze([first, own.x, own, first[1:], other], Roots({}), calls, (__name__,))
        found = thaw(frozen, {}, (__name__,))
        assert len(frozen.tree["calls"]) == 2
        again = freeze(found, Roots({}), calls, (__name__,))
    assert same(found[:4], [first, own.x, own, first[1:]]) and found[1] is found[2].x
    assert same(found[4], other)
    assert again.tree["calls"]  # a run that goes on knows it as well


def test_nothing_is_remembered_outside_of_a_recording():
    first, _ = doubled(np.arange(3.0), 5)
    with recording() as calls:
        second, _ = doubled(np.arange(3.0), 5)
        assert calls.of(first) is None and calls.of(second) is not None
        key = len(calls._found)
        del second
        assert len(calls._found) < key  # nor longer than there is something to know


@pytest.mark.parametrize(
    "what",
    [lambda: 0, threading.Lock(), b"bytes", {1, 2}, np.zeros(1, [("a", "f8")]), object(), (x for x in "a"), 1 + 2j],
    ids=lambda what: type(what).__name__,
)
def test_other_things_are_refused(what):
    with pytest.raises(UnknownError, match="it holds"):
        freeze(Own(what), Roots({}), None, (__name__,))


def test_classes_of_others_are_not_made():
    frozen = freeze(Own(1), Roots({}), None, (__name__,))
    with pytest.raises(ValueError, match="which this version does not know"):
        thaw(frozen, {})
    for name in ("subprocess:Popen", "builtins:list", "pragam.solvers.base:nothing", "pragam.solvers.base:Start._make"):
        frozen.tree["objects"][0][1] = name
        with pytest.raises(ValueError, match="which this version does not know"):
            thaw(frozen, {})


def test_functions_that_are_not_said_to_be_pure_are_not_called():
    tree = {"root": ["made", 0, []], "objects": [], "calls": [["os:system", ["true"]]], "remembered": []}
    with pytest.raises(ValueError, match="calls 'os:system'"):
        thaw(Frozen(tree, []), {})


def test_records_with_other_fields_are_of_another_version():
    frozen = freeze(pragam.solvers.State(1.0), Roots({}))
    del frozen.tree["objects"][0][2]["passes"]
    with pytest.raises(ValueError, match="its State has other fields"):
        thaw(frozen, {})
