"""How much longer do others take to reach what pragam certifies?

Prints, for each problem and relative gap, pragam's time and the time of each peer over it (above 1: pragam is faster).

    pragam         pragam.solve(pragam.hinge(X, y, lam, bias=False), "auto", tol=gap), until the gap is certified; the
                   building of the problem and every certificate are inside the time
    peers          the fastest of all fits over a sweep of tolerances, 1 to 1e-10, whose J(w) is at most (1 + gap) J*,
                   J* being the best certified dual bound known: they need no proof, and their tolerance is chosen for
                   them in hindsight

Times are CPU seconds on one thread, the least over repeats, in which all take turns; a peer repeats those fits of its
sweep that may turn out the fastest. Fits of less than 0.1 s are made up to ten times a turn. Every J, D and gap comes
from pragam.certify. "never": no fit of the sweep reached it, or none within the cap. "—": pragam did not certify it
itself. With --bias the peers' bias is penalised (or there is none), and their J is that of the best bias for their w.

    python benchmarks/versus_peers.py [--sets a9a w8a] [--tols 1e-3 1e-6] [--lams] [--write FILE]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

import pragam
from _peers import PEERS, SETS, SWEEP, Runner, Timed, loaded, machine, ours

#: A fit of the first sweep is repeated if it took at most this much more than the fastest.
CLOSE = 1.5


class Row(NamedTuple):
    """One problem and gap: what pragam took (None: not certified), and each peer (inf: never; str: why not)."""

    problem: str
    tol: float
    gap: float
    seconds: float | None
    peers: dict[str, float | str]


class Judged(Protocol):
    """What a sweep asks of a judge."""

    def gap(self, fit: Timed) -> float: ...

    def excess(self, fit: Timed) -> float: ...


class Judge:
    """Says what a fit is worth: pragam.certify, with the best dual point known."""

    def __init__(self, problem: pragam.Problem, tol: float, max_seconds: float) -> None:
        self._problem = problem
        result = pragam.solve(problem, tol=tol, max_seconds=max_seconds)
        self._alpha, self.certificate = result.alpha, pragam.certify(problem, result.w, result.alpha)

    def gap(self, fit: Timed) -> float:
        """The certified relative gap of a fit with its own dual point."""
        return pragam.certify(self._problem, fit.w, fit.alpha).relative_gap

    def excess(self, fit: Timed) -> float:
        """J(w) / J* - 1, J* the best dual bound."""
        certificate = pragam.certify(self._problem, fit.w, self._alpha)
        return certificate.primal / certificate.dual - 1


def race(name: str, X: Any, y: np.ndarray, lam: float, options: argparse.Namespace) -> Iterator[Row]:
    """All competitors on one problem."""
    judge = Judge(pragam.hinge(X, y, lam, bias=options.bias), min(options.tols) / 100, 5 * options.cap)
    competitors = {"pragam": ours, **{peer: PEERS[peer] for peer in options.peers}}
    runners = {who: Runner.on(make, X, y, lam, options.bias, options.cap) for who, make in competitors.items()}
    fits: dict[str, dict[float, list[Any]]] = {who: {} for who in runners}  # tolerance: [excess or gap, seconds]
    failed: dict[str, str] = {}
    for repeat in range(options.repeats):
        for who, runner in runners.items():
            if who in failed:
                continue
            try:
                if not repeat:
                    runner.fit(max(options.tols))  # the first fit of a process is slower: memory is mapped
                    fits[who] = sweep(runner, judge, options.tols, who == "pragam")
                else:
                    again(runner, fits[who], options.tols, who == "pragam")
            except ImportError:
                failed[who] = "not installed"
            except RuntimeError as error:
                if who == "pragam":
                    raise
                failed[who] = f"fails: {error}"
    for runner in runners.values():
        runner.close()
    label = f"{name} ({X.shape[0]} x {X.shape[1]}, lam {power(lam)})"
    for tol in options.tols:
        gap, seconds = fits["pragam"].get(tol, (np.inf, np.inf))
        peers = {who: failed.get(who, fastest(fits[who], tol)) for who in options.peers}
        yield Row(label, tol, gap, seconds if gap <= tol else None, peers)


def sweep(runner: Runner, judge: Judged, tols: list[float], is_ours: bool) -> dict[float, list[Any]]:
    """Fits from loose to tight, up to the cap or, for a peer, to the tightest gap asked for. We need no sweep: each of
    the gaps is asked for by itself, even if a looser one has brought it already; not if a looser one was missed."""
    fits: dict[float, list[Any]] = {}
    for tol in sorted(tols, reverse=True) if is_ours else SWEEP:
        fit = runner.fit(float(tol))
        if fit is None:
            break
        fits[float(tol)] = [judge.gap(fit) if is_ours else judge.excess(fit), fit.seconds]
        reached = fits[float(tol)][0]
        if reached > tol if is_ours else reached <= min(tols):
            break
    return fits


def again(runner: Runner, fits: dict[float, list[Any]], tols: list[float], is_ours: bool) -> None:
    """Time once more what may be the fastest for one of the gaps, and everything of ours."""
    best = {tol: fastest(fits, tol) for tol in tols}
    for own, entry in fits.items():
        if is_ours or any(entry[0] <= tol and entry[1] <= CLOSE * best[tol] for tol in tols):
            fit = runner.fit(own)
            entry[1] = min(entry[1], np.inf if fit is None else fit.seconds)


def fastest(fits: dict[float, list[Any]], tol: float) -> float:
    """The least time of a fit that reached ``tol``."""
    return min((seconds for reached, seconds in fits.values() if reached <= tol), default=np.inf)


def power(lam: float) -> str:
    """2^k where it is one."""
    k = np.log2(lam)
    return f"2^{k:.0f}" if k == round(k) else f"{lam:g}"


def cells(row: Row) -> list[str]:
    """A row of the table as text."""
    if row.seconds is None:
        gap = f"{row.gap:.1e}" if np.isfinite(row.gap) else "—"
        return [row.problem, f"{row.tol:g}", gap, "—", *("—" for _ in row.peers)]
    texts = []
    for value in row.peers.values():
        if isinstance(value, str):
            texts.append(value.partition(":")[0])
        else:
            texts.append("never" if value == np.inf else f"{value / row.seconds:.2f}")
    return [row.problem, f"{row.tol:g}", f"{row.gap:.1e}", f"{1e3 * row.seconds:.1f}", *texts]


def losses(rows: list[Row]) -> list[str]:
    """Where a peer is faster, or reaches what pragam does not."""
    found = []
    for row in rows:
        for peer, value in row.peers.items():
            if isinstance(value, float) and value < (np.inf if row.seconds is None else row.seconds):
                ratio = "not certified here" if row.seconds is None else f"{value / row.seconds:.2f}"
                found.append(f"{row.problem}, gap {row.tol:g}: {peer} {ratio}")
    return found


def show(console: Console, rows: list[Row], header: list[str]) -> None:
    """The table for people; a cell below 1 is red."""
    table = Table(title=machine())
    for i, name in enumerate(header):
        table.add_column(name, no_wrap=i == 0, justify="right" if i else "left")
    for row in rows:
        first, *rest = cells(row)
        below = [text[:1] == "0" for text in rest[3:]]
        coloured = [f"[red]{text}[/]" if low else text for text, low in zip(rest[3:], below, strict=True)]
        table.add_row(first, *rest[:3], *coloured)
    console.print(table)
    console.print("\n".join(["Below 1:", *losses(rows)]) if losses(rows) else "No ratio is below 1.", highlight=False)
    reasons = {f"{peer} {why}" for row in rows for peer, why in row.peers.items() if isinstance(why, str)}
    for reason in sorted(reasons):
        console.print(reason, highlight=False, markup=False)


def write(path: Path, rows: list[Row], header: list[str]) -> None:
    """The table as markdown."""
    lines = [header, ["---"] * len(header), *map(cells, rows)]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    path.write_text(f"{machine()}. CPU time of the peer over that of pragam.\n\n{table}\n", encoding="utf-8")


def arguments() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--sets", nargs="+", choices=SETS, default=list(SETS), metavar="SET", help=f"out of {', '.join(SETS)}")
    add("--tols", nargs="+", type=float, default=[1e-2, 1e-3, 1e-6, 1e-9], help="relative gaps")
    add("--lams", nargs="*", type=int, metavar="K", help="lam = 2^K for each K; without K: -20, -16, ... 0")
    add(
        "--peers",
        nargs="+",
        choices=PEERS,
        default=[peer for peer in PEERS if peer not in {"svc", "plain-loop"}],
        metavar="PEER",
    )
    add("--repeats", type=int, default=3)
    add("--cap", type=float, default=20.0, metavar="SECONDS", help="of CPU, for each fit")
    add("--bias", action="store_true", help="with a bias, which pragam does not penalise")
    add("--write", type=Path, metavar="FILE", help="also write the table as markdown, after each problem")
    options = parser.parse_args()
    if options.lams == []:
        options.lams = list(range(-20, 1, 4))
    return options


def main() -> int:
    """Race on each problem and print the table; Ctrl-C prints what there is. The status is 1 if that is nothing."""
    options = arguments()
    console = Console()
    console.width = max(console.width, 130)  # a pipe has none
    header = ["problem", "gap", "certified", "pragam, ms", *options.peers]
    rows: list[Row] = []
    try:
        with threadpool_limits(1), console.status("") as status:
            for name, X, y, usual in loaded(options.sets):
                for lam in [usual] if options.lams is None else [2.0**k for k in options.lams]:
                    status.update(f"{name}, lam {power(lam)}")
                    rows += race(name, X, y, lam, options)
                    if options.write:
                        write(options.write, rows, header)
    except KeyboardInterrupt:
        console.print("interrupted")
    if not rows:
        console.print("Nothing was measured.")
        return 1
    show(console, rows, header)
    return 0


if __name__ == "__main__":
    sys.exit(main())
