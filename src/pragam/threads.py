"""BLAS on one thread while a solve or a certificate runs.

Its products here are short vectors and small matrices, for which threads cost more than they bring (far more on a busy
machine); and the result then does not depend, to the last bit, on how many cores there are.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context in which BLAS runs on one thread, in the whole process."""
    return _controller().limit(limits=1, user_api="blas")
