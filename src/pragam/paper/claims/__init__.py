"""The paper's findings as a table: one sentence of its results = one claim, judged on what an experiment has measured.

>>> from pragam.paper import claims
>>> claims.claims()[0].reference
'Section 5, Results, paragraph 2, sentence 2'

``verdicts(experiment)`` is the table, one row for a claim and a data set, and one for all sets together. No claim is
assumed to be true: each is confirmed, refuted or undecided by the numbers that its row shows. Where the runs had less
than ``THRESHOLDS.budget`` seconds, all are undecided.

To add a claim, add a file with a tuple ``CLAIMS`` of :class:`Claim`. All numbers that decide are in
:data:`pragam.paper.claims.thresholds.THRESHOLDS`. Three questions need runs of their own, which take seconds and are
made on demand (``pragam.paper.claims.experiments``).
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module

from pragam.compare.experiment import Experiment
from pragam.paper.claims import results
from pragam.paper.claims.thresholds import THRESHOLDS
from pragam.paper.claims.verdict import Claim, Finding, Verdict, over_all_sets

__all__ = ["Claim", "Finding", "Verdict", "claims", "verdicts"]


def claims() -> list[Claim]:
    """All claims, in the order of the paper."""
    modules = sorted(module.name for module in pkgutil.iter_modules(results.__path__))
    found = [claim for name in modules for claim in import_module(f"{results.__name__}.{name}").CLAIMS]
    return sorted(found, key=lambda claim: (claim.place.section.startswith("Appendix"), claim.place))


def verdicts(experiment: Experiment) -> list[Verdict]:
    """Every claim on every data set it speaks of, and on all of them together where there are several."""
    return [verdict for claim in claims() for verdict in _of_claim(claim, experiment)]


def _of_claim(claim: Claim, experiment: Experiment) -> Iterator[Verdict]:
    # The paper's experiments are on two classes.
    sets = [facts for facts in experiment.data.values() if claim.speaks_of(facts) and not facts.sequences]
    findings = {facts.title: _within_budget(claim.judge(experiment, facts.name), experiment) for facts in sets}
    for title, finding in findings.items():
        yield Verdict(claim.sentence, claim.reference, title, finding.answer, finding.numbers)
    if len(findings) > 1:
        total = over_all_sets(claim.sets, findings)
        yield Verdict(claim.sentence, claim.reference, "all", total.answer, total.numbers)


def _within_budget(finding: Finding, experiment: Experiment) -> Finding:
    """The finding; undecided if the runs were too short to tell."""
    seconds = experiment.options.get("seconds", THRESHOLDS.budget)
    if seconds >= THRESHOLDS.budget:
        return finding
    why = f"A run had {seconds:g} s; nothing is decided on less than {THRESHOLDS.budget:g} s."
    return Finding("undecided", f"{why} {finding.numbers}")
