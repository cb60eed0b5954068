"""The linear estimators on a cluster: they fit collections, and predict lazily."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pragam import estimators
from pragam.distributed.collected import is_collection
from pragam.distributed.spreading import spread
from pragam.estimators.base import CertifiedEstimator
from pragam.estimators.parameters import estimator, parameter

if TYPE_CHECKING:
    from pragam.samples import Rows


@estimator
class OnCluster(CertifiedEstimator):
    """An estimator whose data lie with the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client or None
        Whose cluster; None: the client that was made last.
    """

    client: Any = parameter(None, object, None)

    def predict(self, X: Any) -> Any:
        """A prediction for each row of X; of a collection it is one too, computed when it is asked for."""
        return self._lazily("predict", X)

    def decision_bounds(self, X: Any) -> Any:
        """What no further optimisation can change (:meth:`pragam.LinearSVC.decision_bounds`), lazily too."""
        return self._lazily("decision_bounds", X)

    def _samples(self, X: Any, y: Any = None, sample_weight: Any = None, reset: bool = True) -> Rows:
        names = getattr(X, "columns", None)
        X, y, sample_weight = spread(self._connected(), X, y, sample_weight)
        samples: Rows = super()._samples(X, y, sample_weight, reset)
        if reset and names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)
        return samples

    def _connected(self) -> Any:
        if self.client is not None:
            return self.client
        from distributed import get_client

        try:
            return get_client()
        except ValueError as error:
            raise ValueError("client is None, and there is no Dask client: make one, and pass client=...") from error

    def _lazily(self, method: str, X: Any) -> Any:
        of_rows = getattr(super(), method)
        if not is_collection(X):
            return of_rows(X)
        own = self._local()
        call = getattr(own, method)
        if isinstance(X, list | tuple):
            from dask import delayed

            return [delayed(call)(block) for block in X]
        if hasattr(X, "numblocks"):
            X = X if X.numblocks[1] == 1 else X.rechunk({1: -1})
            sample = call(np.zeros((1, X.shape[1]), X.dtype))
            added = {"drop_axis": 1} if sample.ndim == 1 else {"new_axis": 2} if sample.ndim == 3 else {}
            sizes = (X.chunks[0], *((m,) for m in sample.shape[1:]))
            return X.map_blocks(call, dtype=sample.dtype, chunks=sizes, meta=sample[:0], **added)
        return X.map_partitions(call, meta=np.zeros((0, *call(X._meta_nonempty).shape[1:])))

    def _local(self) -> Any:
        """The same model without a cluster, which can be sent to workers."""
        kind = next(each for each in type(self).__mro__ if not issubclass(each, OnCluster))
        own: Any = object.__new__(kind)
        vars(own).update({name: value for name, value in vars(self).items() if name != "client"})
        return own


@estimator
class LinearSVC(OnCluster, estimators.LinearSVC):
    """:class:`pragam.LinearSVC` on a Dask cluster."""


@estimator
class LinearSVR(OnCluster, estimators.LinearSVR):
    """:class:`pragam.LinearSVR` on a Dask cluster."""


@estimator
class QuantileRegressor(OnCluster, estimators.QuantileRegressor):
    """:class:`pragam.QuantileRegressor` on a Dask cluster."""
