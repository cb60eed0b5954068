"""All data sets by name. The records are in the files of this package; a new set is one more record."""

from __future__ import annotations

from pragam.datasets.catalogue import paper, published, small, stand_ins
from pragam.datasets.record import Dataset

SETS: dict[str, Dataset] = {
    dataset.name: dataset for part in (published, paper, small, stand_ins) for dataset in part.SETS
}
