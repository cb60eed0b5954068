"""What a comparison is to measure, and whether it may go on in a folder where another one has begun."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from pragam.compare.competitors import Competitor
from pragam.compare.experiment import DataFacts
from pragam.compare.thinning import FULL, QUICK, Thinning
from pragam.numerics.arguments import check_number, is_whole

#: A peer's fits, each of which starts anew, may take so many times the budget together.
PEER_FACTOR = 3.0
#: J* is sought for so many times the budget.
REFERENCE_FACTOR, REFERENCE_TOL = 5.0, 1e-10
#: A limit of a peer over the one before.
LIMIT_GROWTH = 1.3


@dataclass(frozen=True)
class Plan:
    """The options. Data sets by name or path."""

    data: tuple[str, ...]
    solvers: tuple[Competitor, ...]
    seconds: float = 10.0  # a solver and data set
    repeats: int = 3
    tol: float = 1e-9
    lam: float | None = None
    test: str | None = None  # the test rows of a data set that is a file
    threads: int = 1
    max_iter: int | None = None
    quick: bool = False
    tune: bool = False  # choose lam on a validation split

    def __post_init__(self) -> None:
        check_number("seconds", self.seconds, above=0)
        check_number("tol", self.tol, least=0)
        if self.lam is not None:
            check_number("lam", self.lam, above=0)
        if self.lam is not None and self.tune:
            raise ValueError("lam is given, so there is nothing to tune")
        for name in ("repeats", "threads", "max_iter"):
            value = getattr(self, name)
            if not ((value is None and name == "max_iter") or (is_whole(value) and value >= 1)):
                raise ValueError(f"{name} must be a whole number >= 1, not {value!r:.60}")
        names = [each.name for each in self.solvers]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"solvers: {min(twice)!r} is named twice")

    @property
    def thinning(self) -> Thinning:
        return QUICK if self.quick else FULL

    @property
    def cap(self) -> float:
        """Seconds after which a run that does not end is ended: it may be inside one long iteration, or traced."""
        return 10 * self.seconds + 60

    def problems_on(self, facts: DataFacts) -> list[str]:
        """Those that its solvers get on a data set."""
        posed = (each.problem_on(facts.sequences > 0) for each in self.solvers)
        return list(dict.fromkeys(problem for problem in posed if problem))

    def record(self) -> dict[str, Any]:
        """As JSON has it: lists, not tuples."""
        return {**asdict(self), "data": list(self.data), "solvers": [asdict(each) for each in self.solvers]}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Plan:
        solvers = tuple(Competitor(**each) for each in record["solvers"])
        return cls(**{**record, "data": tuple(record["data"]), "solvers": solvers})

    def after(self, old: Plan) -> Plan:
        """The plan that goes on from an old one in the same folder: both data sets and solvers, all else equal."""
        for name, value in asdict(replace(self, data=(), solvers=())).items():
            if name not in ("data", "solvers") and value != getattr(old, name):
                before = getattr(old, name)
                raise ValueError(f"another comparison has begun there, with {name} {before!r}, not {value!r}")
        known = {each.name: each for each in old.solvers}
        for each in self.solvers:
            if each != known.get(each.name, each):
                raise ValueError(f"another comparison has begun there, and the file of {each.name!r} has changed")
        names = tuple(dict.fromkeys((*old.data, *self.data)))
        return replace(self, data=names, solvers=tuple({**known, **{e.name: e for e in self.solvers}}.values()))


def next_limit(limit: int) -> int:
    """The iteration limit of a peer's next fit."""
    return max(limit + 1, int(LIMIT_GROWTH * limit))
