"""From the files of a data set to its rows: svmlight text, MNIST's images, Reuters' vectors with their topics.

What svmlight text holds is cached as ``.npz``, since unpacking xz and parsing is slow.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy import sparse

from pragam.datasets.fetching.checksums import identity
from pragam.datasets.fetching.places import cache_folder
from pragam.datasets.preparation import joined
from pragam.datasets.record import Data, Reader
from pragam.files.atomic import replacing
from pragam.files.rows import load
from pragam.files.source import opened
from pragam.files.svmlight import load_svmlight


def svmlight(paths: Sequence[Path], n_features: int | None) -> Data:
    """The rows of svmlight files, one below the other."""
    return joined([_parsed(path, n_features) for path in paths])


def odd_digits(paths: Sequence[Path], n_features: int | None) -> Data:
    """MNIST's images, pixels in [0, 1], and +1 for odd digits, -1 for even ones. The files are images and labels."""
    images, digits = (_idx(path) for path in paths)
    if len(images) != len(digits):
        raise ValueError(f"{paths[0]}: {len(images)} images, but {len(digits)} labels in {paths[1]}")
    X = sparse.csr_array(images.reshape(len(digits), -1))
    X.data = X.data / 255.0
    return X, np.where(digits % 2 == 1, 1.0, -1.0)


def reuters_topic(topic: str) -> Reader:
    """The reader of RCV1-v2 vectors with +1 for the documents of a topic. The files are vectors and topics.

    A line of the vectors is svmlight text with the document's number as its label. A line of the topics is
    "TOPIC DOCUMENT 1".
    """

    def read(paths: Sequence[Path], n_features: int | None) -> Data:
        X, documents = _parsed(paths[0], n_features)
        inside = _documents_of(topic, paths[1])
        if not len(inside):
            raise ValueError(f"{paths[1]}: no document of topic {topic}")
        return X, np.where(np.isin(documents, inside), 1.0, -1.0)

    read.__name__ = f"reuters_topic({topic!r})"
    return read


def _documents_of(topic: str, path: Path) -> np.ndarray:
    """The numbers of the documents that a topics file assigns to a topic."""
    prefix = topic.encode() + b" "
    with opened(path) as source:
        lines = [line.split() for line in source.content().read().splitlines() if line.startswith(prefix)]
    try:
        return np.array([int(document) for _, document, _ in lines], dtype=np.float64)
    except ValueError:
        raise ValueError(f'{path}: a line of the topics is not of the form "TOPIC DOCUMENT 1"') from None


def _idx(path: Path) -> np.ndarray:
    """An array of bytes in MNIST's format: two zeros, 8 for bytes, the number of axes, their lengths, the entries."""
    with opened(path) as source:
        content = source.content().read()
    try:
        zeros, kind, axes = struct.unpack_from(">HBB", content)
        shape = struct.unpack_from(f">{axes}I", content, 4)
        if (zeros, kind) == (0, 8):
            return np.frombuffer(content, np.uint8, offset=4 + 4 * axes).reshape(shape)
    except (ValueError, struct.error):  # too short, or not of that shape
        pass
    raise ValueError(f"{path}: not an IDX file of bytes")


def _parsed(path: Path, n_features: int | None) -> Data:
    """The content of an svmlight file, in memory, so that the cache may be deleted at any time."""
    width = "" if n_features is None else f"-{n_features}"
    cached = cache_folder() / "parsed" / f"{path.stem}-{identity(path)}{width}.npz"
    with contextlib.suppress(OSError, ValueError):  # absent or damaged: parse again
        X, y = load(cached)
        return X.copy(), np.array(y)
    X, y = load_svmlight(path, n_features)
    with contextlib.suppress(OSError):
        cached.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing(cached) as stream:
            np.savez(stream, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y)
    return X, y
