"""How much longer do others take to reach what pragam certifies, for every risk?

Prints, for each row of problems (``_risk_rows.py``) and relative gap, the CPU time of the peer over ours (above 1:
pragam is faster), one thread, the least of ``--repeats``, in which all take turns.

    pragam      pragam.solve(problem, "auto", tol=gap) until the gap is certified, the building of the problem and every
                certificate inside the time; in the rows one-vs-rest and estimators, fit. "- (gap)": what was certified
                when the cap came
    a peer      the fastest of its fits over a sweep of its tolerances, 1 to 1e-10, whose J(w) is at most (1 + gap) J*.
                It needs no proof, and its tolerance is chosen in hindsight. "> r": the cap came first; "never": the
                sweep ended first. J is Problem.primal of our problem, at the best biases; J* is our certified dual
                bound, or the least J that anybody found if no bound is within 1e-7 of it
    nearest     the least J(w)/J* - 1 of the peer: about 0 if it solves the same problem
    J* to       the relative distance of J* to our bound: what it may be wrong by, in favour of the peer
    timed       peers of the rows quantile-large-C, multilabel and estimators solve another problem, as they are: a
                yardstick, without "nearest"
    biases      here the ratio is ours with biases over ours without

    python benchmarks/risks_versus_peers.py [--rows svr ordinal] [--tols 1e-3] [--size .1] [--markdown] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np

from _common import one_thread, show
from _peers import machine
from _risk_race import Outcome, race
from _risk_rows import ROWS, Scope


def outcomes(row: str, options: argparse.Namespace) -> Iterator[Outcome]:
    """The races of a row; a set that is absent is skipped."""
    for name, pose in ROWS[row].items():
        if options.only and not any(name.startswith(start) for start in options.only):
            continue
        print(f"{row}: {name}", file=sys.stderr)
        try:
            case = pose(scope=Scope(options.size, options.cap))
        except FileNotFoundError as error:
            print(f"skipped: {error}", file=sys.stderr)
            continue
        yield race(row, name, case, options.tols, options.cap, options.repeats)


def lines(found: list[Outcome]) -> Iterator[list[str]]:
    """A line for each problem and peer, and the geometric means of the best peers."""
    for outcome in found:
        ours = " / ".join(ours_text(outcome, i) for i in range(len(outcome.tols)))
        for rival in outcome.rivals:
            ratios = [ratio_text(outcome, rival, i) for i in range(len(outcome.tols))]
            nearest = outcome.nearest[rival]
            seen = [f"{nearest:.0e}", f"{outcome.doubt:.0e}"] if np.isfinite(nearest) else ["", ""]
            yield [outcome.problem + f" ({outcome.says})" * bool(outcome.says), rival, ours, *ratios, *seen]
    if len(found) > 1:
        yield ["geometric mean", "the best", "", *(mean_text(found, i) for i in range(len(found[0].tols))), "", ""]


def mean_text(found: list[Outcome], i: int) -> str:
    """The geometric mean over the problems that have a ratio."""
    ratios = [best for outcome in found if np.isfinite(best := outcome.best(i))]
    return f"{np.exp(np.mean(np.log(ratios))):.2f} (of {len(ratios)})" if ratios else "-"


def ours_text(outcome: Outcome, i: int) -> str:
    """Our milliseconds, or the gap at the cap."""
    mine = outcome.ours[i]
    if not isinstance(mine, str):
        return f"{1e3 * mine:.3g}"
    gap = outcome.missed.get(outcome.tols[i])
    return f"- ({gap:.0e})" if gap else "-"


def ratio_text(outcome: Outcome, rival: str, i: int) -> str:
    """The peer's time over ours, or what there is to say."""
    theirs, mine = outcome.rivals[rival][i], outcome.ours[i]
    if isinstance(mine, str):
        return "-" if isinstance(theirs, str) else f"- (peer {1e3 * theirs:.3g} ms)"
    if isinstance(theirs, str):
        return f"> {float(theirs[2:]) / mine:.3g}" if theirs.startswith(">") else theirs.partition(":")[0]
    return f"{theirs / mine:.2f}"


def report(row: str, found: list[Outcome], markdown: bool) -> None:
    """The table of a row."""
    header = ["problem", "peer", "pragam, ms", *(f"{tol:g}" for tol in found[0].tols), "nearest", "J* to"]
    if not markdown:
        show(row, header, list(lines(found)))
        return
    table = [header, ["---"] * len(header), *lines(found)]
    print("\n".join([f"\n**{row}**\n", *(f"| {' | '.join(line)} |" for line in table)]), flush=True)


def main() -> None:
    """Race in each row and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--rows", nargs="+", choices=ROWS, default=list(ROWS), metavar="ROW", help=f"out of {', '.join(ROWS)}")
    add("--only", nargs="+", metavar="START", help="problems whose names start so")
    add("--tols", nargs="+", type=float, default=[1e-2, 1e-3, 1e-6], help="relative gaps")
    add("--size", type=float, default=1.0, help="the share of the rows of each set, at least 200")
    add("--repeats", type=int, default=3)
    add("--cap", type=float, default=20.0, metavar="SECONDS", help="of CPU, for each fit")
    add("--markdown", action="store_true", help="tables in Markdown")
    add("--json", type=Path, metavar="FILE", help="also write all seconds, after each row")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    every: list[Outcome] = []
    with one_thread():
        for row in options.rows:
            found = list(outcomes(row, options))
            if found:
                report(row, found, options.markdown)
            every += found
            if options.json:
                options.json.write_text(json.dumps([asdict(outcome) for outcome in every], indent=1), encoding="utf-8")
    print(machine())


if __name__ == "__main__":
    main()
