"""LIBLINEAR's options of training, answered by ours: what a user of its ``train`` types first.

None of them is obeyed as it stands, because LIBLINEAR's defaults are others: without ``-s`` it minimises the squared
hinge, and without ``-B`` it has no intercept. A ``-c 1`` that meant C = 1 of *our* default problem would be a wrong
answer without a word. So the answer is one line with the options of ours that state the whole of LIBLINEAR's problem.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from pragam.models.liblinear_types import JOINT, TYPES, SolverType

#: Its options and how many values each takes; -wLABEL is one more. ``-C`` is ours, and takes a value.
_VALUES = {"-s": 1, "-c": 1, "-p": 1, "-n": 1, "-e": 1, "-B": 1, "-v": 1, "-m": 1, "-R": 0, "-q": 0}
_WEIGHT = re.compile(r"-w-?\d+")


class _Found(NamedTuple):
    """The values of LIBLINEAR's options, by their names, and the weights of labels."""

    values: dict[str, str]
    weights: dict[str, str]

    @property
    def names(self) -> str:
        return ", ".join([*self.values, *(f"-w{label}" for label in self.weights)])


def answer(argv: Sequence[str]) -> str:
    """One line that says what LIBLINEAR's options on a command line are here; empty if there are none."""
    found = _found(argv)
    if not (found.values or found.weights):
        return ""
    try:
        said = _in_our_words(found)
    except ValueError as error:
        said = str(error)
    return f"{found.names}: LIBLINEAR's options. {said}"


def _found(argv: Sequence[str]) -> _Found:
    values: dict[str, str] = {}
    weights: dict[str, str] = {}
    words = iter(argv)
    for word in words:
        if word == "--":  # files follow
            break
        if word in _VALUES:
            values[word] = next(words, "") if _VALUES[word] else ""
        elif _WEIGHT.fullmatch(word):
            weights[word[2:]] = next(words, "")
    return _Found(values, weights)


def _in_our_words(found: _Found) -> str:
    values, weights = found
    name, solver = _solver(values.get("-s", "1"))
    if solver.lacking:
        return f"-s {solver.number} is {solver.lacking}, a risk that pragam does not have"
    is_tube = solver.loss == "epsilon_insensitive"
    command, words = ("tune" if "-v" in values else "train"), [_task(name, solver.loss)]
    if "-v" not in values:
        words.append(f"-C {_checked('-c', values.get('-c', '1'))}")
    if is_tube:
        words.append(f"--epsilon {_checked('-p', values.get('-p', '0.1'))}")
    words.append(_intercept(values))
    if weights and not is_tube:
        pairs = (f"{label}={_checked('-w' + label, weight)}" for label, weight in weights.items())
        words.append(f"--class-weight={','.join(pairs)}")  # with "=", as a label may begin with "-"
    if "-v" in values:
        words.append(f"--folds {_whole('-v', values['-v'])}")
    if "-q" in values:
        words.append("--quiet")
    return (
        f"The same problem is: pragam {command} DATA -o MODEL {' '.join(filter(None, words))}{_remarks(found, solver)}"
    )


def _solver(text: str) -> tuple[str, SolverType]:
    number = _whole("-s", text)
    for name, solver in TYPES.items():
        if solver.number == number:
            return name, solver
    known = ", ".join(str(solver.number) for solver in TYPES.values())
    raise ValueError(f"-s must be one of {known}, not {text!r:.40}")


def _task(name: str, loss: str) -> str:
    if name == JOINT:
        return "--task multiclass"
    return "--task regress" if loss == "epsilon_insensitive" else f"--loss {loss}"


def _intercept(values: dict[str, str]) -> str:
    """Without -B, or with one that is not positive, there is none; with -R it is free, as ours is by default."""
    column = _checked("-B", values.get("-B", "-1"))
    if float(column) <= 0:
        return "--no-bias"
    return "" if "-R" in values else f"--penalised {column}"


def _remarks(found: _Found, solver: SolverType) -> str:
    """What has no counterpart."""
    said, values = [], found.values
    if "-s" not in values:
        said.append("without -s LIBLINEAR minimises the squared hinge")
    if found.weights and solver.scheme == "ovr" and solver.loss != "epsilon_insensitive":
        said.append("of more than two classes, -wi scales the rows of a class in its own problem, ours in all of them")
    if "-v" in values and "-c" in values:
        said.append("tune chooses lam = 1/(n C) of a grid, --lams")
    if "-e" in values:
        said.append("-e is a size of gradients or steps, and --tol the proven relative gap, 1e-6 unless given")
    return f" ({'; '.join(said)})" if said else ""


def _whole(name: str, text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise ValueError(f"{name} must be followed by a whole number, not {text!r:.40}")
    return int(text)


def _checked(name: str, text: str) -> str:
    """A number as it was written, so that no digit is lost."""
    try:
        is_number = math.isfinite(float(text))
    except ValueError:
        is_number = False
    if not is_number:
        raise ValueError(f"{name} must be followed by a number, not {text!r:.40}")
    return text
