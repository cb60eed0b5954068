"""``--cluster``: whose workers multiply a packed directory: processes of this machine, or a Dask cluster's."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from pragam.engines import Engine, Processes
from pragam.packed import Packed, Spread

_LOCAL = "local:"


@contextmanager
def spread_over(cluster: str | None, data: Any, args: argparse.Namespace) -> Iterator[Any]:
    """DATA with X over the workers, which are let go in the end; without a cluster, DATA as it is."""
    if cluster is None:
        yield data
        return
    packed = data.samples.X if hasattr(data.samples, "X") else None
    if not isinstance(packed, Packed):
        raise ValueError(
            f"--cluster is for a packed directory, which all workers open: pragam pack {args.data or 'DATA'} -o DIR"
        )
    with ExitStack() as stack:
        X = Spread(packed, stack.enter_context(_engine(cluster, stack)))
        yield data._replace(samples=replace(data.samples, X=X))


def _engine(cluster: str, stack: ExitStack) -> Engine:
    if cluster.startswith(_LOCAL):
        count = cluster[len(_LOCAL) :]
        if not (count.isdecimal() and int(count) > 0):
            raise ValueError(f"--cluster must be local:N with N processes, or an address, not {cluster!r}")
        return Processes(int(count))
    try:
        from distributed.comm import get_address_host_port

        from distributed import Client
        from pragam.distributed import DaskFutures
    except ImportError as error:
        raise ValueError("--cluster ADDRESS needs Dask: pip install 'pragam[distributed]'") from error
    try:
        get_address_host_port(cluster)  # a client that was given no address tries to close for a minute
        return DaskFutures(stack.enter_context(Client(cluster, set_as_default=False)))
    except (OSError, ValueError) as error:
        raise ValueError(f"--cluster {cluster}: no Dask scheduler answers: {str(error).splitlines()[0]}") from error
