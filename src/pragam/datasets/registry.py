"""Data sets by name: real ones from a local folder, with the paper's preprocessing, and a built-in one.

The folder is not part of the package. It holds svmlight files compressed by xz. See :func:`data_folder`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

import numpy as np
from scipy import sparse

from pragam.atomic import replacing
from pragam.datasets.files import load
from pragam.datasets.svmlight import load_svmlight

Data = tuple[sparse.csr_array, np.ndarray]

# name: (files whose rows are joined, number of features or None for what the highest index needs)
_SETS: dict[str, tuple[tuple[str, ...], int | None]] = {
    "a9a": (("a9a/a9a.xz",), 123),
    "w8a": (("w8a/w8a.xz",), 300),
    "covtype": (("covtype/covtype.binary.scale.svm.xz",), 54),
    "news20-bow": (("news20-bow/news20.train.svm.xz", "news20-bow/news20.test.svm.xz"), 61188),
    "news20-bigram": (("news20-bigram/news20bydate.bigram.train.svm.xz",), 1403214),
    "rcv1-small": (("rcv1-small/rcv1_small.svm.xz",), None),
    "a1a": (("libsvm-small/a1a.xz",), None),
    "a1a.t": (("libsvm-small/a1a.t.xz",), None),
    "agaricus.train": (("libsvm-small/agaricus.train.xz",), None),
    "agaricus.test": (("libsvm-small/agaricus.test.xz",), None),
    "australian": (("libsvm-small/australian.xz",), None),
    "breast-cancer": (("libsvm-small/breast-cancer.xz",), None),
    "german.numer_scale": (("libsvm-small/german.numer_scale.xz",), None),
    "splice": (("libsvm-small/splice.xz",), None),
    "svmguide1": (("libsvm-small/svmguide1.xz",), None),
    "svmlight_example1.train": (("libsvm-small/svmlight_example1.train.xz",), None),
    "svmlight_example1.test": (("libsvm-small/svmlight_example1.test.xz",), None),
    "w1a": (("libsvm-small/w1a.xz",), None),
    "diabetes": (("small/diabetes.svm.xz",), None),
    "dna": (("small/dna.svm.xz",), None),
    "ionosphere": (("small/ionosphere.svm.xz",), None),
    "letter": (("small/letter.svm.xz",), None),
    "sonar": (("small/sonar.svm.xz",), None),
    "spambase": (("small/spambase.svm.xz",), None),
    "vehicle": (("small/vehicle.svm.xz",), None),
}

_PAPER_LAMBDA = {"a9a": -18, "w8a": -17, "covtype": -17, "news20-bow": -14, "news20-bigram": -14}

# comp.*, misc.* and sci.* against the rest: ten newsgroups each, the split of news20-bigram's labels.
_NEWS20_POSITIVE = (2, 3, 4, 5, 6, 7, 12, 13, 14, 15)


def names() -> list[str]:
    """The names that :func:`load_named` knows."""
    return list(_SETS)


def paper_lambda(name: str) -> float:
    """The regularisation lambda that the paper uses on this data set."""
    if name not in _PAPER_LAMBDA:
        raise ValueError(f"the paper gives no lambda for {name!r}, only for {', '.join(_PAPER_LAMBDA)}")
    return 2.0 ** _PAPER_LAMBDA[name]


def data_folder() -> Path | None:
    """The folder of real data, that of the environment variable PRAGAM_DATA; None if it is not set."""
    folder = os.environ.get("PRAGAM_DATA")
    return Path(folder) if folder else None


def load_named(name: str, *, keep_empty: bool = False) -> Data:
    """X and y of a real data set, prepared as in the paper.

    The labels of a two-class set become -1 (the lower one) and +1. Other labels stay. "w8a" loses its empty rows,
    as the paper's web8, unless ``keep_empty``. The two "news20" sets get tf-idf weights (:func:`tf_idf`).
    "news20-bow" joins its training and test rows, and +1 stands for the newsgroups comp, misc and sci.
    """
    if name not in _SETS:
        raise ValueError(f"unknown data set {name!r}; there are {', '.join(_SETS)}")
    folder = data_folder()
    files, n_features = _SETS[name]
    if folder is None or not all((folder / file).exists() for file in files):
        place = "no data folder" if folder is None else f"no {' or '.join(files)} in {folder}"
        raise FileNotFoundError(f"{name}: {place}; set PRAGAM_DATA to the folder of the data sets")
    parts = [_read(folder / file, n_features) for file in files]
    X = sparse.vstack([X for X, _ in parts], format="csr") if len(parts) > 1 else parts[0][0]
    y = np.concatenate([y for _, y in parts])
    if name == "w8a" and not keep_empty:
        full = np.diff(X.indptr) > 0
        X, y = X[full], y[full]
    if name.startswith("news20"):
        X = tf_idf(X)
    if name == "news20-bow":
        y = np.isin(y, _NEWS20_POSITIVE).astype(np.float64)
    return X, _signed(y)


def load_example() -> tuple[np.ndarray, np.ndarray]:
    """scikit-learn's breast cancer data (569 x 30), columns of mean 0 and variance 1, labels -1 and +1."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), _signed(y)


def tf_idf(counts: sparse.csr_array) -> sparse.csr_array:
    """Rows x_ij = tf_ij (log((1 + n) / (1 + df_j)) + 1), scaled to unit length. An empty row stays empty.

    tf is the count, and df_j the number of the n rows that contain term j, as in scikit-learn's TfidfTransformer.
    """
    n, d = counts.shape
    df = np.bincount(counts.indices[counts.data != 0], minlength=d)
    X = counts.astype(np.float64, copy=True)
    X.data *= (np.log((1 + n) / (1 + df)) + 1)[X.indices]
    lengths = np.sqrt(X.multiply(X).sum(axis=1))
    X.data /= np.repeat(np.where(lengths > 0, lengths, 1), np.diff(X.indptr))
    return X


def _signed(y: np.ndarray) -> np.ndarray:
    """Labels -1 and +1 if there are two classes, else y itself."""
    classes = np.unique(y)
    return np.where(y == classes[1], 1.0, -1.0) if len(classes) == 2 else y


def _read(path: Path, n_features: int | None) -> Data:
    """The parsed file, cached as npz in $PRAGAM_CACHE or the temporary folder, since unpacking xz is slow."""
    stat = path.stat()
    identity = f"{path.resolve()} {stat.st_size} {stat.st_mtime_ns} {n_features}"
    cache = Path(os.environ.get("PRAGAM_CACHE") or Path(tempfile.gettempdir()) / "pragam-cache")
    cached = cache / f"{path.stem}-{hashlib.sha256(identity.encode()).hexdigest()[:16]}.npz"
    with contextlib.suppress(OSError, ValueError):  # absent or damaged: parse again
        X, y = load(cached)
        return X.copy(), np.array(y)  # in memory, so that the cache may be deleted at any time
    X, y = load_svmlight(path, n_features)
    with contextlib.suppress(OSError):
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing(cached) as stream:
            np.savez(stream, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y)
    return X, y
