"""Two Gaussian classes that overlap: the larger the correlation of the features, the harder the problem."""

import numpy as np

from benchopt import BaseDataset
from benchopt.datasets import make_correlated_data


class Dataset(BaseDataset):
    name = "Simulated"
    parameters = {"n_samples, n_features": [(1000, 50), (200, 500)], "rho": [0.0, 0.9]}  # noqa: RUF012
    test_parameters = {"n_samples, n_features": [(100, 10)], "rho": [0.5]}  # noqa: RUF012

    def get_data(self):
        X, y, _ = make_correlated_data(self.n_samples, self.n_features, rho=self.rho, snr=2, random_state=0)
        return {"X": X, "y": np.where(y > np.median(y), 1.0, -1.0)}
