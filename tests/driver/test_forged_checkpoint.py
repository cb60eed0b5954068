"""A checkpoint that an enemy has written runs no code, reads no other memory and no other file.

Its sum is right: whoever forges a file can sum it. Indices and numbers that a solver works on are not checked; that may
crash the process, as the documentation says.
"""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from pragam.driver.checkpoint.freezing import Frozen
from pragam.driver.checkpoint.thawing import thaw
from pragam.files import checkpoint_file


def problem():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 5))
    return pragam.hinge(X, np.where(X[:, 0] > 0, 1, -1), 1e-3, bias=True)


def begun(path, **options):
    pragam.solve(problem(), "qp-bmrm", checkpoint=path, **options)
    return checkpoint_file.read(path)


@pytest.fixture
def forge(tmp_path):
    """Change the tree of an unfinished solve, with a sum that is right, and try to go on from it."""
    path = tmp_path / "c"
    content = begun(path, tol=1e-12, max_iter=5)

    def forged(change, content=content, **options):
        change(content.meta)
        checkpoint_file.write(path, content)
        options = {"tol": 1e-12, "max_iter": 9, **options}
        with pytest.raises(ValueError, match=r"c: not a usable checkpoint: .*begin anew") as error:
            pragam.solve(problem(), "qp-bmrm", checkpoint=path, **options)
        assert "\n" not in str(error.value)

    return forged


def on_tree(change):
    return lambda meta: change(meta["tree"])


def as_root(node, *objects, calls=()):
    """Put something else in the place of the state."""

    def change(tree):
        tree["root"] = node
        tree["objects"] += objects
        tree["calls"] += calls

    return on_tree(change)


def on_new(root, made, calls=lambda number: ()):
    """The same, where the tree has one more object, whose number ``root`` and ``calls`` are told."""

    def change(meta):
        number = len(meta["tree"]["objects"])
        as_root(root(number), made, calls=calls(number))(meta)

    return change


# Ways -----------------------------------------------------------------------------------------------------------------

WAYS = [
    ["problem", "__class__"],
    ["problem", "__class__", "__init__", "__builtins__", "get"],
    ["problem", "__init__", "__globals__"],
    ["problem", "primal"],
    ["problem", "A", "matvec"],
    ["problem", "A", "storage", "X", "ctypes"],
    ["problem", "A", "storage", "X", "base"],
    ["method", "step", "__func__", "__code__"],
    ["problem", "lam"],
    ["problem", 0],
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: ".".join(map(str, way)))
def test_a_way_leads_to_parts_of_the_data_only(way, forge):
    forge(as_root(["root", way]))


def test_a_call_leads_to_nothing_else_either(forge):
    """Rows of an object whose ``take`` is a built-in function once were any call at all."""
    builtin = ["root", ["problem", "__class__", "__init__", "__builtins__", "get"]]
    taken = "pragam.operators.storage.gathered:taken"
    fake = ["record", "pragam.solvers.base:State", {"passes": 0, "take": builtin}]
    forge(on_new(lambda number: ["made", 0, []], fake, lambda number: [[taken, [["object", number], "eval"]]]))
    forge(as_root(["made", 0, ["__class__", "__init__"]], calls=[["pragam.solvers.dcd.row_copy:copied_rows", []]]))


def test_only_what_is_remembered_is_set(forge):
    P = problem()
    for way, name in ((["problem", "A"], "matvec"), (["problem", "A", "storage"], "X"), (["method"], "step")):
        forge(on_tree(lambda tree, way=way, name=name: tree.update(remembered=[[way, name, 0]])))
    assert P.A.matvec(np.zeros(5)).shape == (300,)


# Classes --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "pragam.files.atomic:tempfile._TemporaryFileCloser",  # removes a file of its own choice when it is gone
        "pragam.numerics.remade:threading.Thread",
        "pragam.solvers.base:Any",
        "pragam.packed.dataset:Packed",
        "pragam.engines.processes:Processes",
        "pragam.nothing:Nothing",
        "pragam.solvers.:State",
        "pragam.solvers.base",
        "tempfile:_TemporaryFileCloser",
    ],
)
@pytest.mark.parametrize("kind", ["record", "named", "member"])
def test_a_class_is_of_the_mathematics(name, kind, forge):
    if kind == "member":
        forge(as_root(["member", name, "x"]))
    else:
        forge(on_new(lambda number: ["object", number], [kind, name, {}]))


def test_a_class_that_is_no_enum_has_no_members(forge):
    forge(as_root(["member", "pragam.solvers.base:State", "x"]))


# Numbers --------------------------------------------------------------------------------------------------------------

ARRAYS = {
    "addresses": ["array", "|O", [1], [8], True, 0, 0, 0],
    "addresses in a record": ["array", "V8,O", [1], [16], True, 0, 0, 0],
    "before the memory": ["array", "<f8", [1], [8], True, 0, -8, 0],
    "behind the memory": ["array", "<f8", [2**20], [8], True, 0, 0, 0],
    "backwards": ["array", "<f8", [2], [-16], True, 0, 8, 0],
    "far apart": ["array", "<f8", [2], [2**40], True, 0, 0, 0],
    "larger than memory": ["array", "<f8", [2**61], [0], True, 0, 0, 0],
    "other memory": ["array", "<f8", [1], [8], True, 10**6, 0, 0],
    "a line of gigabytes": ["array", "<f8", [1], [8], True, 0, 0, 2**50],
    "in front of a line": ["array", "<f8", [1], [8], True, 0, 0, -64],
    "no name of a type": ["array", [["a", "<f8"]], [1], [8], True, 0, 0, 0],
    "shapes in words": ["array", "<f8", ["x"], [8], True, 0, 0, 0],
    "of random numbers": ["generator", {"bit_generator": "seed", "state": {}}],
    "of tests": ["generator", {"bit_generator": "test", "state": {}}],
    "in itself": ["tuple", [["object", -1]]],
}


@pytest.mark.parametrize("what", ARRAYS)
def test_an_array_lies_in_the_file(what, forge):
    forge(on_new(lambda number: ["object", number], ARRAYS[what]))


def test_an_array_without_memory_has_no_entries():
    tree = {"objects": [["array", "<f8", [1000], [8], True]], "calls": [], "remembered": [], "root": ["object", 0]}
    assert not thaw(Frozen(tree, []), {}).any()  # what lay in memory before is nobody's to read


@pytest.mark.parametrize("node", [["scalar", "|O", "41" * 8], ["dtype", "|O"], ["type", "|O"], ["scalar", "<f8", ""]])
def test_objects_are_no_numbers(node, forge):
    forge(as_root(node))


# Whole files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda meta: meta.clear(),
        lambda meta: meta.update(tree=[]),
        lambda meta: meta.update(tree={}),
        lambda meta: meta.update(sizes=[-1]),
        lambda meta: meta.update(sizes=["x"]),
        lambda meta: meta.update(sizes=[2**62] * 3),
        lambda meta: meta.update(holds="result"),
        lambda meta: meta["tree"].update(root=None),
        lambda meta: meta["tree"].update(root=["object", 10**9]),
        lambda meta: meta["tree"].update(root=["object", -1]),
        lambda meta: meta["tree"].update(root=["object", [0]]),
        lambda meta: meta["tree"].update(root=["nothing"]),
        lambda meta: meta["tree"].update(root=[]),
        lambda meta: meta["tree"].update(calls=[["pragam.views:packed", [["made", 0, []]]]], root=["made", 0, []]),
    ],
    ids=range(14),
)
def test_what_is_no_solve_is_refused_in_one_line(change, forge):
    forge(change)


def test_a_file_that_is_cut_anywhere_is_refused(tmp_path):
    path = tmp_path / "c"
    begun(path, tol=1e-12, max_iter=5)
    whole = path.read_bytes()
    for length in range(0, len(whole), 64):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match="not a usable checkpoint"):
            checkpoint_file.read(path)
