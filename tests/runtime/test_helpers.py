"""Calls ahead: in order, by several threads, and with an end whether threads come or not."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from pragam.runtime import helpers
from pragam.runtime.helpers import computed, one_ahead
from pragam.runtime.threads import n_threads

WAYS = {"two": lambda f, items: computed(f, items, 2), "three": lambda f, items: computed(f, items, 3),
        "ahead": one_ahead}  # fmt: skip


def test_answers_come_in_the_order_of_the_items():
    started = threading.Barrier(3)

    def square(item):
        if item < 3:
            started.wait()  # three at a time
        return item**2

    assert list(computed(square, range(20), 3)) == [item**2 for item in range(20)]
    assert list(computed(square, range(3, 20), 1)) == [item**2 for item in range(3, 20)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_every_item_is_met_once(way, count):
    met = []
    assert list(WAYS[way](lambda item: met.append(item) or -item, range(count))) == [-item for item in range(count)]
    assert sorted(met) == list(range(count))


def test_one_item_is_worked_on_while_the_one_before_is_used():
    ready = [threading.Event() for _ in range(4)]
    for item in one_ahead(lambda item: ready[item].set() or item, range(4)):
        assert ready[min(item + 1, 3)].wait(60)


@pytest.mark.parametrize("way", WAYS)
def test_an_error_comes_where_its_answer_was_wanted(way):
    def fails(item):
        if item == 3:
            raise ValueError("the fourth")
        return item

    found = WAYS[way](fails, range(9))
    assert [next(found) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="the fourth"):
        next(found)


@pytest.mark.parametrize("way", WAYS)
def test_whoever_leaves_waits_for_what_has_begun_and_begins_no_more(way):
    begun, over = [], []

    def noted(item):
        begun.append(item)
        over.append(item)

    found = WAYS[way](noted, range(100))
    next(found)
    found.close()
    assert begun == over and len(begun) <= 5
    before = list(begun)
    assert threading.Event().wait(0.05) is False and begun == before


def test_calls_of_several_threads_take_one_thread_each():
    assert set(computed(lambda _: n_threads(), range(8), 2)) == {1}


def refused(*_):
    raise RuntimeError("can't start new thread")


def no_memory(*_):
    raise MemoryError


def never_begins(*_):
    """As a thread that has no memory to begin with."""


@pytest.mark.parametrize("start", [refused, no_memory, never_begins])
@pytest.mark.parametrize("way", WAYS)
def test_without_a_thread_the_caller_does_the_work(way, start, monkeypatch):
    monkeypatch.setattr(helpers._thread, "start_new_thread", start)
    assert list(WAYS[way](lambda item: item**2, range(9))) == [item**2 for item in range(9)]


UNDER_A_LIMIT = """
import faulthandler, resource, sys
from pragam.runtime.helpers import computed, one_ahead

def size():
    for line in open("/proc/self/status"):
        if line.startswith("VmData"):
            return int(line.split()[1]) * 1024

def work(k):
    return [k] * 1000

def both():
    assert list(computed(work, range(9), 2)) == [work(k) for k in range(9)]
    assert list(one_ahead(work, range(9))) == [work(k) for k in range(9)]

both()
faulthandler.dump_traceback_later(60, exit=True)
highest = resource.getrlimit(resource.RLIMIT_DATA)[1]
resource.setrlimit(resource.RLIMIT_DATA, (size() + int(sys.argv[1]), highest))
held, done = [], 0
for _ in range(60):
    try:
        held.append(bytearray(int(sys.argv[2])))
        both()
        done += 1
    except MemoryError:
        pass
resource.setrlimit(resource.RLIMIT_DATA, (highest, highest))
print(done)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_DATA and /proc")
@pytest.mark.parametrize(("extra", "step"), [(8_600_000, 300_000), (9_000_000, 60_000), (18_000_000, 300_000)])
def test_it_ends_when_memory_does(extra, step):
    """At these limits threads were started that had no memory to begin with, and were waited for without an end."""
    command = [sys.executable, "-c", UNDER_A_LIMIT, str(extra), str(step)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0 and int(done.stdout) > 0, done.stderr
