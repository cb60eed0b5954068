"""Where tasks on blocks of data run: in turn, in processes of this machine, or on a Dask cluster. One interface.

    engine.map(task, blocks, common, own) -> [task(block, common, own of it) for each block], in the order of blocks

A task is a function of a module, and pure: what it returns follows from its arguments, to the bit, so it may run
anywhere, twice, or again after a process has died. Only :mod:`pragam.distributed` knows of Dask.
"""

from pragam.engines.base import Block, Engine, EngineError, Here, InTurn, Task
from pragam.engines.kept import Kept
from pragam.engines.processes import Processes

__all__ = ["Block", "Engine", "EngineError", "Here", "InTurn", "Kept", "Processes", "Task"]
