"""Who takes part: our solvers, PRAGAM with a bias, the peers, and what a user's file defines.

A user's file is Python that defines a :class:`pragam.solvers.Solver` (a class, or an object with settings of its own)
or a :class:`pragam.compare.peers.Peer` (a class). Each has a ``name``. That is the whole contract.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from pragam import solvers
from pragam.compare import peers
from pragam.compare.peers import Peer
from pragam.compare.problems import BIASED, CHAIN, HINGE, check_problem
from pragam.solvers import Solver
from pragam.solvers.base import AnySolver

#: PRAGAM on the problem with a bias, under the paper's name.
PRAGAM_B = "pragam-b"
#: The paper's own, under its names.
PAPER = ("pragam", PRAGAM_B, "ls-bmrm", "qp-bmrm", "pegasos-n", "pegasos-1", "liblinear")


@dataclass(frozen=True)
class Competitor:
    """A solver or peer by name, so that a process of its own can make it."""

    name: str
    problem: str = HINGE
    is_peer: bool = False
    file: str = ""  # where a user's is defined
    digest: str = ""  # of that file

    def problem_on(self, is_sequences: bool) -> str | None:
        """The problem that it gets on such data; None if it takes no such data."""
        if not is_sequences:
            return None if self.problem == CHAIN else self.problem
        is_any = self.problem == HINGE and not self.is_peer  # a solver of ours takes whatever problem it fits
        return CHAIN if is_any or self.problem == CHAIN else None

    def make(self) -> AnySolver | Peer:
        """The solver or peer itself."""
        if self.file:
            return next(each for each in defined_in(Path(self.file)) if each.name == self.name)
        if self.is_peer:
            return peers.by_name(self.name)
        return solvers.by_name("pragam" if self.name == PRAGAM_B else self.name)


def usual() -> list[Competitor]:
    """All of ours, and the peers that are installed."""
    ours = [Competitor(name) for name in solvers.names()]
    theirs = [_peer(name) for name in peers.names() if name not in absent()]
    return [*ours, Competitor(PRAGAM_B, BIASED), *theirs]


def absent() -> list[str]:
    """The peers that are not installed."""
    return [name for name in peers.names() if not peers.is_installed(peers.by_name(name))]


def named(name: str) -> Competitor:
    """The one of this name."""
    if name in peers.names():
        return _peer(name)
    if name == PRAGAM_B:
        return Competitor(name, BIASED)
    if name in solvers.names():
        return Competitor(name)
    known = ", ".join([*solvers.names(), PRAGAM_B, *peers.names()])
    raise ValueError(f"solvers must be names or files ending in .py, not {name!r}; there are {known}")


def is_file(name: str) -> bool:
    return name.endswith(".py")


def inspect(path: Path) -> list[Competitor]:
    """What a user's file defines. It is executed, so this is for a process of its own."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return [
        Competitor(each.name, check_problem(getattr(each, "problem", HINGE)), isinstance(each, Peer), str(path), digest)
        for each in defined_in(path)
    ]


def defined_in(path: Path) -> Sequence[Any]:
    """The solvers and peers that a file defines: objects, and classes of which there is no object."""
    values = list(vars(_executed(path)).values())
    objects = [each for each in values if isinstance(each, Solver | Peer)]
    classes = [each for each in values if isinstance(each, type) and issubclass(each, Solver | Peer)]
    own = [each for each in classes if each.__module__ == _module_name(path) and not each.__abstractmethods__]
    found = [*objects, *(each() for each in own if not any(isinstance(one, each) for one in objects))]
    if not found:
        raise ValueError(f"{path} defines no pragam.solvers.Solver and no pragam.compare.peers.Peer")
    if nameless := [each for each in found if not getattr(each, "name", "")]:
        raise ValueError(f"{path}: {type(nameless[0]).__name__} has no name")
    return found


def _executed(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(_module_name(path), path)
    assert spec is not None and spec.loader is not None  # the name ends in .py
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def _module_name(path: Path) -> str:
    return f"pragam_user_{path.stem}"


def _peer(name: str) -> Competitor:
    return Competitor(name, peers.by_name(name).problem, is_peer=True)
