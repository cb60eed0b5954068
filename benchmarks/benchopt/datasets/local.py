"""Two-class sets of pragam's registry, from the local data folder, PRAGAM_DATA. One that is absent is skipped."""

import numpy as np

from benchopt import BaseDataset
from pragam.datasets import load_named


class Dataset(BaseDataset):
    name = "Local"
    parameters = {  # noqa: RUF012 (benchopt's convention)
        "set_name": ["australian", "german.numer_scale", "a1a", "rcv1-small", "a9a", "w8a", "covtype", "news20-bigram"]
    }
    test_parameters = {"set_name": ["australian"]}  # noqa: RUF012

    def get_data(self):
        try:
            X, y = load_named(self.set_name)
        except OSError:
            return {"X": None, "y": None}
        return {"X": X, "y": np.asarray(y, dtype=float)}
