r"""Is what is proven of a range of lambda, and of rows left out, true of models that are solved one by one?

    sum over rows left out at w*(lam)    in   bounds(lam)                  at any lambda of a proven range
    <x_i, w*> + b*                       in   leave_one_out(X, y).bounds[i], of the optimum of all rows but i

Every lambda, and every row, is solved to a gap of 1e-12, or as near as float64 certifies. The region of that solve
(:mod:`pragam.certificate.region`, other formulas from one pair) says between which numbers the exact sum, or score, is.
A bound is *false* if the two have no number in common; *inside* if the whole of the brute force lies within. The
lambdas crowd where a proof is most at risk: at the ends of cells and a rounding beside them, where the bounds of
neighbours differ, around the best; a third of them are anywhere. The rows that bounds decide with least to spare, or
that are open, come first, then any.

Sets: those of ``proven_predictions.py``, and generated data with equal rows of both labels, ties, rows of zeros, a
plane between the classes, one class of a few, weights from 0 to 1e6, an offset, and scales; with the three hinges, and
with two losses of numbers; with one bias or none, standardised or not. Exits 1 if a bound is false.

    python benchmarks/selection_truth.py [SET ...] [--lams 30] [--rows 6] [--seeds 0 1] [--seconds 20]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

import pragam
from _common import one_thread, show
from _hostile_rows import MADE
from pragam import risks
from pragam.certificate.region import region
from pragam.conjugates import Quadratic
from pragam.driver.jobs import Settings
from pragam.models.features import Features
from pragam.models.standardize import Standardize
from pragam.polytopes import Box
from pragam.problem import AnyProblem
from pragam.samples import Rows
from pragam.selection import prove_range
from proven_predictions import SETS, fifth
from proven_range import filled

LABELS = (risks.Hinge, risks.SquaredHinge, risks.SmoothedHinge)
NUMBERS = (lambda bias: risks.EpsilonInsensitive(bias=bias), lambda bias: risks.Quantile(q=0.3, bias=bias))
HEADER = ("set", "statements", "finite", "settled", "inside", "false")
TOL = 1e-12
#: No brute-force solve takes longer; one that is cut off here says what it has certified.
_SECONDS = 20.0


@dataclass
class Tally:
    """Statements compared; those that say something; of these brute-force intervals that are one number, or lie
    within; and false ones."""

    statements: int = 0
    finite: int = 0
    settled: int = 0
    inside: int = 0
    false: list[str] = field(default_factory=list)

    def note(self, said: Any, found: Any, whole: float, what: str) -> None:
        """One more statement: ``said`` and ``found`` are (low, high); ``whole`` is how wide saying nothing is."""
        self.statements += 1
        self.finite += bool(said[1] - said[0] < whole)
        self.settled += bool(found[0] == found[1])
        self.inside += bool(said[0] <= found[0] and found[1] <= said[1])
        if said[0] > found[1] or found[0] > said[1]:
            self.false.append(f"{what}: said {said}, found {found}")


@dataclass(frozen=True)
class Case:
    """A risk with what it trains on and what is left out, a range of lams, and what is asked for."""

    name: str
    risk: Any
    train: Rows
    held: Rows
    lams: tuple[float, float]
    prove: float
    features: Features = field(default_factory=Features)


def made_cases(make: Callable[[Any], Any], seed: int) -> Iterator[Case]:
    """One for every kind of risk; the seed decides on the bias and on standardising."""
    X, t, weights = make(np.random.default_rng(seed))
    order = np.random.default_rng(seed + 1000).permutation(len(t))
    train, held = np.sort(order[: 2 * len(t) // 3]), np.sort(order[2 * len(t) // 3 :])
    for k, kind in enumerate((*LABELS, *NUMBERS)):
        bias, is_label = bool((seed + k) % 2), k < len(LABELS)
        risk = risks.OneVsRest(each=kind(bias=bias)) if is_label else kind(bias)
        y = np.where(t > 0, 1, -1) if is_label else t
        maps = (Standardize(centred=not bias),) if seed % 3 == 2 else ()
        scale = 1.0 if maps else float(np.mean(np.sum(X * X, axis=1))) or 1.0
        parts = [Rows.of(X[rows], y[rows]) for rows in (train, held)]
        if weights is not None:
            parts[0] = replace(parts[0], weights=weights[train])
        lams, prove = (1e-5 * scale, 2 * scale), (0.0, 0.02, 0.1)[seed % 3] if is_label else 0.05
        yield Case(f"{make.__name__}", risk, *parts, lams, prove, Features(maps))


def set_cases(name: str, seed: int) -> Iterator[Case]:
    """The hinge on the set, with a bias and without one; another loss for each seed."""
    X, y, V, t = fifth(*filled(name))
    for bias in (True, False):
        risk = risks.OneVsRest(each=LABELS[seed % 3](bias=bias))
        yield Case(name, risk, Rows.of(X, y), Rows.of(V, t), (2.0**-20, 1.0), 0.01)


# A range of lams -----------------------------------------------------------------------------------------------------


def crowd(found: Any, n: int, rng: Any) -> Any:
    """n lams of the range, where a proof is most at risk."""
    lo, hi, lower, upper = found.cells
    low, high = found.lams
    turns = np.flatnonzero((np.diff(lower) != 0) | (np.diff(upper) != 0))
    ends = np.concatenate([rng.choice(lo, n), hi[rng.choice(turns, n)] if len(turns) else lo])
    kinds = [
        ends, np.nextafter(ends, np.inf), np.nextafter(ends, 0), ends * (1 + 10.0 ** rng.uniform(-12, -4, len(ends))),
        found.lam * (1 + rng.choice([-1, 1], n) * 10.0 ** rng.uniform(-9, -0.5, n)),
    ]  # fmt: skip
    anywhere = np.exp(rng.uniform(np.log(low), np.log(high), n))
    lams = np.concatenate([rng.choice(np.concatenate(kinds), n - n // 3), anywhere[: n // 3]])
    return np.sort(np.clip(lams, low, high))[::-1]


def scores_at(problem: AnyProblem, X: Any, start: Any) -> tuple[Any, Any]:
    """((rows, 2): where the scores of every optimum are, what the next solve may start from)."""
    result = pragam.solve(problem, tol=TOL, start=start, max_seconds=_SECONDS)
    place = region(problem, result.w, result.alpha, result.certificate)
    ends, finer = place.decisions(X)[:, 0], place.combined(X)
    if finer is not None:
        ends = np.stack([np.fmax(ends[:, 0], finer[:, 0, 0]), np.fmin(ends[:, 1], finer[:, 0, 1])], axis=1)
    return ends, (result.w, result.alpha)


def exact_sum(ends: Any, risk: Any, held: Rows, labels: Any) -> tuple[float, float]:
    """The sum over the rows left out for scores between ends: wrong labels, or losses up to their rounding."""
    low, high = ends.T
    if risk.has_labels:
        is_positive = held.y == labels[1]
        right = np.where(is_positive, low > 0, high <= 0)
        wrong = np.where(is_positive, high <= 0, low > 0)
        return float(wrong.sum()), float(len(wrong) - right.sum())
    above, below = (risk.q, 1 - risk.q) if hasattr(risk, "q") else (1.0, 1.0)
    losses = [above * np.maximum(held.y - s, 0) + below * np.maximum(s - held.y, 0) for s in (low, high)]
    is_within = (low <= held.y) & (held.y <= high)
    least, most = np.where(is_within, 0.0, np.minimum(*losses)).sum(), np.maximum(*losses).sum()
    return float(least) * (1 - 1e-12), float(most) * (1 + 1e-12)


def range_of(case: Case, n: int, seed: int, seconds: float, tally: Tally) -> None:
    """Prove the case's range, and compare n of its lams."""
    risk, settings = case.risk, Settings(max_seconds=seconds)
    found = prove_range(risk, case.train, case.lams, case.prove, settings, validation=case.held, features=case.features)
    numbers = case.features.numbers(case.train)
    learnt, labels = case.features.learnt(numbers), risk.learn(numbers)
    (problem,), X = risk.pose(learnt.mapped(numbers), labels), learnt.of(case.held).X
    m, start = case.held.n, None
    whole = 1.0 if risk.has_labels else np.inf
    for lam in crowd(found, n, np.random.default_rng(seed)).tolist():
        ends, start = scores_at(problem.at(lam), X, start)
        if not problem.n_biases:
            ends[X.row_sizes == 0] = 0.0
        exact = exact_sum(ends, risk, case.held, labels)
        said = tuple(m * end for end in found.bounds(lam)) if not risk.has_labels else _counts(found.bounds(lam), m)
        tally.note(said, exact, whole * m, f"{case.name} {risk} lam={lam!r}")
        if m * (found.error - found.proven) > exact[1] + 1e-9:
            tally.false.append(f"{case.name} {risk} lam={lam!r}: {exact} is below {found.error} - {found.proven}")


def _counts(share: tuple[float, float], m: int) -> tuple[float, float]:
    """Shares of m rows as counts: each is one rounding from its own."""
    return float(round(m * share[0])), float(round(m * share[1]))


# Rows left out -------------------------------------------------------------------------------------------------------


def rows_of(case: Case, n: int, seed: int, seconds: float, tally: Tally) -> None:
    """Leave out the rows of the case at one lam of its range, and compare n of them."""
    if not case.risk.has_labels or case.features.maps:
        return
    rng, (low, high) = np.random.default_rng(seed), case.lams
    lam, each = float(np.exp(rng.uniform(np.log(low), np.log(high)))), case.risk.each
    X, y, weights = case.train.X, case.train.y, case.train.weights
    more = {} if weights is None else {"sample_weight": weights}
    model = pragam.LinearSVC(C=1 / (len(y) * lam), loss=each.name, fit_intercept=each.bias, max_seconds=seconds).fit(
        _plain(X), y, **more
    )
    found = model.leave_one_out(_plain(X), y, max_seconds=seconds)
    (whole,) = model.model_.pose(Rows.of(_plain(X), y, weights))
    spare = np.where(found.decided_by == "open", 0.0, np.abs(found.bounds).min(axis=1))
    first = np.argsort(spare, kind="stable")[: n // 2]
    for i in {*first.tolist(), *rng.choice(len(y), min(n - n // 2, len(y)), replace=False).tolist()}:
        others = np.delete(np.arange(len(y)), i)
        labels = np.where(y[others] == model.classes_[1], 1, -1)
        problem = getattr(pragam, each.name)(X.take(others), labels, whole.lam, bias=each.bias)
        problem = replace(problem, Q=Box(whole.Q.lower[others], whole.Q.upper[others]), g=_of_rows(whole.g, others))
        ends, _ = scores_at(problem, X.take(np.array([i])), None)
        score = ends[0] if each.bias or X.row_sizes[i] else np.zeros(2)
        what = f"{case.name} {each} lam={whole.lam!r} row {i} of seed {seed}, {found.decided_by[i]}"
        tally.note(found.bounds[i], score, np.inf, what)
        label = model.classes_[1] if score[0] > 0 else model.classes_[0] if score[1] <= 0 else None
        is_said = label is not None and found.decided_by[i] != "open"
        if is_said and (found.predictions[i] != label or found.wrong[i] != (label != y[i])):
            tally.false.append(f"{what}: predicted {found.predictions[i]}, found {score}")


def _of_rows(g: Any, rows: Any) -> Any:
    """The curvature of some rows."""
    return Quadratic(g.curvature[rows]) if np.ndim(g.curvature) else g


def _plain(X: Any) -> Any:
    """What an estimator takes."""
    kind, arrays = X.rows()
    return arrays[0] if kind == "dense" else sparse.csr_array(arrays, shape=X.shape)


def main() -> None:
    """Print the tables; 1 if anything was false."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made = {make.__name__: make for make in MADE}
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join((*made, *SETS))}; default: generated")
    parser.add_argument("--lams", type=int, default=30, help="lams compared of each range")
    parser.add_argument("--rows", type=int, default=6, help="rows left out of each set")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--seconds", type=float, default=20.0, help="that a search may take")
    options = parser.parse_args()
    ranges: dict[str, Tally] = {}
    rows: dict[str, Tally] = {}
    with one_thread():
        for seed in options.seeds:
            for name in options.sets or made:
                for case in made_cases(made[name], seed) if name in made else set_cases(name, seed):
                    range_of(case, options.lams, seed, options.seconds, ranges.setdefault(name, Tally()))
                    rows_of(case, options.rows, seed, options.seconds, rows.setdefault(name, Tally()))
    for title, found in (("lams of proven ranges", ranges), ("rows left out", rows)):
        show(title, HEADER, [(n, t.statements, t.finite, t.settled, t.inside, len(t.false)) for n, t in found.items()])
    false = [each for found in (ranges, rows) for tally in found.values() for each in tally.false]
    print("\n".join(false))
    sys.exit(bool(false))


if __name__ == "__main__":
    main()
