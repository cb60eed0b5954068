"""What another package's solver is to a comparison: one file that says what it solves, and how to ask for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from pragam.compare.problems import HINGE
from pragam.numerics.vector import Vector


class Fitted(NamedTuple):
    """What one fit has found."""

    w: Vector | Callable[[], Vector]  # or a function that reads them from its model, off the clock
    bias: float | None = None  # its own; None: the best one for w, if the problem has one
    n_iter: int | None = None  # the iterations it made; None if it does not say
    support: int | None = None  # dual variables that are not zero; None if it does not say


class Peer(ABC):
    """A solver of another package, which has no callback: it is fitted anew with ever higher iteration limits.

    The package is imported in :meth:`fit` alone, so that a comparison runs without it. All solve, in the mean form,

        J(w) = lam/2 |w|^2 + (1/n) sum of losses,        in the sum form C = 1/(n lam).
    """

    name: ClassVar[str]
    #: What a reader knows it as.
    title: ClassVar[str]
    #: The package to install, and the module to import.
    package: ClassVar[str]
    module: ClassVar[str]
    #: The problem that it solves to the end, out of :data:`pragam.compare.problems.PROBLEMS`.
    problem: ClassVar[str] = HINGE
    #: Whether J is what it minimises. Else no J is stated, and its accuracy is that of its last fit.
    minimises: ClassVar[bool] = True
    #: The smallest tolerance that it accepts and that does not end a fit early.
    tightest: ClassVar[float]

    def convert(self, X: Any, y: Any) -> tuple[Any, Any]:
        """The data in a form that the package takes; by default as they are. Of sequences, y has their lengths too."""
        return X, y

    @abstractmethod
    def fit(self, X: Any, y: Any, lam: float, bias: bool, limit: int, tol: float) -> Fitted:
        """A fit from nothing with at most ``limit`` iterations, of its own kind, on converted data; always one seed.

        ``bias`` asks for a bias. Most penalise it, or have none, and solve another problem then: judge them by w.
        """
