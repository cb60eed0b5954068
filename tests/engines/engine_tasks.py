"""Tasks for the tests of engines, in a module that worker processes can import."""

from __future__ import annotations

import os
import signal
import struct
import sys
import time
from pathlib import Path

from pragam.engines import Block


class Number(Block):
    """A block that is a number."""

    def __init__(self, value):
        self.value = value

    def open(self):
        return self.value


def times(value, factor, own):
    return value * factor + (own or 0)


def process(value, common, own):
    return os.getpid()


def fails(value, common, own):
    raise ValueError(f"chunk {value}: is damaged")


def eats(value, common, own):
    raise MemoryError("cannot allocate 80 GB")


def dies(value, common, own):
    os.kill(os.getpid(), signal.SIGKILL)


def dies_once(value, folder, own):
    """Kill the first process that comes to block 2, in the midst of its task."""
    mark = Path(folder) / "dead"
    if value == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return value


def dies_in_its_answer(value, folder, own):
    """Kill the first process that comes to block 2 when it has sent the size of an answer and a part of it."""
    mark, frame = Path(folder) / "half", sys._getframe()
    if value == 2 and not mark.exists():
        mark.touch()
        while "result_queue" not in frame.f_locals:
            frame = frame.f_back
        os.write(frame.f_locals["result_queue"]._writer.fileno(), struct.pack("!i", 1000) + b"half")
        os.kill(os.getpid(), signal.SIGKILL)
    return value


def stops_once(value, folder, own):
    """Stop the first process that comes to block 2: it is there, and does nothing."""
    mark = Path(folder) / "stopped"
    if value == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGSTOP)
    return value


def waits(value, seconds, own):
    time.sleep(seconds)
    return value
