"""Older model files, a step each: (format, version) -> the record as the next version has it, and names of tensors.

A step is a function ``(record, tensors) -> (record, renamed)``. ``renamed`` has, for each tensor that is another in the
next version, its name in the file, or a function of the file's own tensors if it has another form. Steps follow each
other until this version is reached.
"""

from __future__ import annotations

from typing import Any

from pragam.files.container import Tensors
from pragam.files.upgrades import gp, graphs, linear, sequences
from pragam.files.upgrades.step import Renamed, Step

FORMAT, VERSION = "pragam-model", 5

STEPS: dict[tuple[str, int], Step] = {
    ("pragam-model", 1): linear.from_1,
    ("pragam-model", 2): linear.from_2,
    ("pragam-model", 3): linear.from_3,
    ("pragam-model", 4): linear.from_4,
    ("pragam-sequence-model", 1): sequences.from_1,
    ("pragam-graph-model", 1): graphs.from_1,
    ("pragam-gp-sequence-model", 1): gp.from_1,
}


class View:
    """The tensors of a file under the names of this version."""

    def __init__(self, tensors: Tensors, renamed: Renamed) -> None:
        self._tensors, self._renamed = tensors, renamed

    def __contains__(self, name: str) -> bool:
        return name in self._renamed or name in self._tensors

    def names(self, prefix: str) -> list[str]:
        """Those that begin so."""
        return sorted(name for name in {*self._renamed, *self._tensors.names()} if name.startswith(prefix))

    def dtype(self, name: str, *among: str) -> str:
        """Which of these types a tensor has; the last one if it has none of them, or there is no such tensor."""
        known = self._renamed.get(name, name)
        return self._tensors.dtype(known if isinstance(known, str) else name, *among)

    def array(self, name: str, dtype: str = "F64") -> Any:
        """One of them, which must hold numbers of this type."""
        known = self._renamed.get(name, name)
        return self._tensors.array(known, dtype) if isinstance(known, str) else known(self._tensors)


def upgraded(record: Any, tensors: Tensors) -> tuple[dict[str, Any], View]:
    """The record as this version has it, and the tensors under the names of this version."""
    renamed: Renamed = {}
    while (found := version_of(record)) != (FORMAT, VERSION):
        record, own = STEPS[found](record, tensors)
        renamed |= own
    return record, View(tensors, renamed)


def version_of(record: Any) -> tuple[str, int]:
    """The format and the version of a record, if there is a way from there to this version."""
    form, version = (record.get("format"), record.get("version")) if type(record) is dict else (None, None)
    known = {name for name, _ in STEPS}
    if type(form) is not str or form not in known:
        raise ValueError(f"its format is not {FORMAT!r}, but {form!r:.40}")
    found = (form, version)
    if type(version) is not int or (found not in STEPS and found != (FORMAT, VERSION)):
        most = max([number for name, number in STEPS if name == form] + [VERSION] * (form == FORMAT))
        raise ValueError(f"its format version is {version!r:.40}, and this pragam reads up to {most}")
    return form, version
