"""The model file, for every kind of model: a safetensors container with a record and tensors by name.

    {"format": "pragam-model", "version": 5, "kind": "linear", "risk": {...}, "labels": [...], "features": [...],
     "proofs": [{"certificate", "status", "n_iter", "solver", "dual"}], "calibration", "fingerprint", "settings"}

A kind is a table of tensors (:attr:`pragam.models.Model.shapes`). Tensors of feature maps are called ``features.K.*``,
the weights of samples ``given.*``, dual points ``dual.K.*``. Files of older formats pass through
:mod:`pragam.files.upgrades` first. What the parts mean, :mod:`pragam.models.stored` says; here they have their types.
Whatever is not right is a ValueError of one line, and nothing in a file is executed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NamedTuple, TypeVar

from numpy.typing import NDArray

from pragam.files import container, source
from pragam.files.columns import is_too_wide
from pragam.files.fields import fields_of
from pragam.files.upgrades import FORMAT, VERSION, View, upgraded, version_of

T = TypeVar("T")

_FIELDS = {
    "kind": str, "risk": dict, "labels": list, "features": list, "proofs": list, "calibration": dict,
    "fingerprint": dict, "settings": dict,
}  # fmt: skip
_PROOF = {"certificate": dict, "status": str, "n_iter": int, "solver": str}


class Content(NamedTuple):
    """What a file holds: the record, in the types of this version, and the tensors under its names."""

    record: dict[str, Any]
    tensors: View


def write(path: str | os.PathLike[str], record: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> None:
    """Write a file; it appears whole, with all bytes on the disk, or not at all."""
    container.write(path, {"format": FORMAT, "version": VERSION, **record}, tensors)


def read(opened: source.Source, build: Callable[[Content], T]) -> T:
    """What ``build`` makes of a file of this or an older version; a ValueError of its names the file."""

    def checked(text: str, tensors: Callable[[], container.Tensors]) -> T:
        stored = _parsed(text)
        version_of(stored)
        _check_width(stored.get("fingerprint"))
        record, own = upgraded(stored, tensors())
        for proof in fields_of(record, _FIELDS)["proofs"]:
            fields_of(proof, _PROOF)
        return build(Content(record, own))

    return container.read(opened.content(), opened.name, checked)


def _parsed(text: str) -> Any:
    """JSON whose numbers are all finite."""
    return json.loads(text, parse_float=_finite, parse_constant=_finite, parse_int=_whole)


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(f"its metadata hold the number {text:.60}, which is not finite")
    return value


def _whole(text: str) -> int:
    """JSON's whole numbers have no limit; ours must fit into a float."""
    _finite(text)
    return int(text)


def _check_width(fingerprint: Any) -> None:
    """Refuse a model that is long for no reason before its weights are read."""
    d, nnz = (fingerprint.get("d"), fingerprint.get("nnz")) if type(fingerprint) is dict else (None, None)
    if type(d) is int and type(nnz) is int and is_too_wide(d, nnz):
        raise ValueError(
            f"it has {d} columns, and was trained on {nnz} entries: every vector would take {8 * d / 1e9:.3g} GB; "
            "train it again with --compact-columns"
        )
