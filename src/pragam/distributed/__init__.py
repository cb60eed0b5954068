"""Training on a Dask cluster (the extra ``distributed``): the same models, the same certificates.

>>> from pragam.distributed import LinearSVC                        # doctest: +SKIP
>>> model = LinearSVC(client=client).fit(X, y)                      # doctest: +SKIP

X is a dask array (dense, or blocks of CSR), a dask dataframe, a list of delayed blocks, or a packed directory that all
workers see. What is sent back are sums and vectors of a length of n, never rows but those of a sample. See
``docs/distributed.md``.
"""

from pragam.distributed.collected import collected
from pragam.distributed.engine import DaskFutures
from pragam.distributed.estimators import LinearSVC, LinearSVR, QuantileRegressor
from pragam.distributed.spreading import spread

__all__ = ["DaskFutures", "LinearSVC", "LinearSVR", "QuantileRegressor", "collected", "spread"]
