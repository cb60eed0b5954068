"""``pragam certify MODEL DATA`` for a model of sequences: its certificate, anew from the data and the model alone."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pragam.certificate import Certificate, certify
from pragam.cli.output import full_record, show_json
from pragam.cli.status import CERTIFIED, NOT_CERTIFIED

if TYPE_CHECKING:
    from pragam.cli.chain_data import ChainData
    from pragam.io import SequenceModel


def run(model: SequenceModel, args: argparse.Namespace) -> int:
    """Recompute, compare, report. The status is 0 only if the recomputed gap is within the tolerance."""
    from pragam.cli.certify import check_fingerprint, tolerance
    from pragam.cli.chain_data import data_for
    from pragam.io import data_fingerprint

    if args.exact:
        raise ValueError("--exact is not for models of sequences")
    if args.data is None:
        raise ValueError("name its training data: pragam certify MODEL DATA")
    tol = tolerance(model.parameters) if args.tol is None else args.tol
    data = data_for(model, args.data)
    if data.y is None:
        raise ValueError(f"{args.data}: there are no labels, which the training data have")
    if model.fingerprint:
        check_fingerprint(model.fingerprint, data_fingerprint(data.X, data.y, data.lengths), data.n_unseen)
    proof = _recomputed(model, data)
    is_certified = proof.rigorous and proof.relative_gap <= tol
    if args.json:
        entry = {"stored": full_record(model.certificate), "recomputed": full_record(proof)}
        show_json({"certified": is_certified, "relative_gap": proof.relative_gap, "tol": tol, **entry})
    else:
        _report(model.certificate, proof, tol, is_certified)
    return CERTIFIED if is_certified else NOT_CERTIFIED


def _recomputed(model: SequenceModel, data: ChainData) -> Certificate:
    from pragam.sequences.problem import chain_problem

    weights = {name: model.arrays.get(name) for name in ("sample_weight", "token_weight")}
    problem = chain_problem(model.risk, data.X, data.y, data.lengths, model.classes, **weights)
    return certify(problem, model.weights.to_vector(), model.dual)


def _report(old: Certificate, new: Certificate, tol: float, is_certified: bool) -> None:
    from pragam.cli.table import show

    rows = [(name, repr(getattr(old, name)), repr(getattr(new, name))) for name in ("primal", "dual")]
    rows.append(("relative gap", f"{old.relative_gap:.6e}", f"{new.relative_gap:.6e}"))
    show("certificate", ("", "stored", "recomputed"), rows)
    verdict = "Certified" if is_certified else "Not certified"
    print(f"{verdict}: the recomputed relative gap is {new.relative_gap:.2e}, the tolerance {tol:g}.")
