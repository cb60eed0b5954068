"""What the commands read for ``--task chain``: column files, made into features by a template, or ``.npz``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pragam.cli.data import named
from pragam.numerics.arguments import is_whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pragam.io import SequenceModel
    from pragam.sequences import ArrayData, ColumnData, Template


class ChainData(NamedTuple):
    """The sequences of an input."""

    X: Any
    lengths: NDArray[np.int64]
    y: Any  # labels of all tokens, None if there are none
    columns: ColumnData | None = None  # of a column file, without the labels
    features: list[str] | None = None
    template: Template | None = None
    n_unseen: int = 0


def training_data(path: str, template: str | None) -> ChainData:
    """The sequences to train on. The last column of a column file holds the labels."""
    import numpy as np

    from pragam.sequences import Template, Vocabulary, default_template

    found = _read(path)
    if not _is_columns(found):
        if template is not None:
            raise ValueError(f"{path}: --template is for column files, and this is an .npz")
        return _of_arrays(found, path, needs_labels=True)
    *columns, labels = found.columns
    if not columns:
        raise ValueError(f"{path}: one column, and training needs the label in a column behind others")
    own = Template(default_template(len(columns)) if template is None else template)
    lines = _occurrences(own, found._replace(columns=columns), path)
    vocabulary = Vocabulary.of_occurrences(lines)
    X, _ = vocabulary.vectorise_occurrences(lines)
    return ChainData(
        X, found.lengths, np.array(labels), found._replace(columns=columns), vocabulary.names, own
    )  # fmt: skip


def data_like(data: ChainData, path: str) -> ChainData:
    """The sequences of another input, with their labels, in the features of the training data."""
    found = _read(path)
    if _is_columns(found) != (data.columns is not None):
        raise ValueError(f"{path}: one of it and the training data is a column file, and the other an .npz")
    if data.columns is None or data.features is None or data.template is None:
        other = _of_arrays(found, path, needs_labels=True)
        if other.X.shape[1] != data.X.shape[1]:
            raise ValueError(f"{path}: {other.X.shape[1]} columns, and the training data have {data.X.shape[1]}")
        return other
    width = len(data.columns.columns)
    if len(found.columns) != width + 1:
        raise ValueError(f"{path}: {len(found.columns)} columns, and the training data have {width + 1}")
    return _in_features(found, width, data.features, data.template, path)


def data_for(model: SequenceModel, path: str) -> ChainData:
    """The sequences in the model's features. Column files may lack the labels."""
    from pragam.sequences import Template

    if model.kernel is not None or (model.features is not None and model.template is None):
        raise ValueError("the model has a kernel or features of its user's: load it by pragam.ChainSVC.load")
    found = _read(path)
    if not _is_columns(found):
        data = _of_arrays(found, path, needs_labels=False)
        if data.X.shape[1] != model.n_features:
            raise ValueError(f"{path}: {data.X.shape[1]} columns, and the model needs {model.n_features}")
        return data
    if model.template is None or model.features is None:
        raise ValueError(f"{path}: a column file, and the model was trained on an .npz")
    width, count = _width(model), len(found.columns)
    if count not in (width, width + 1):
        raise ValueError(f"{path}: {count} columns, and the model needs {width}, and perhaps the label behind them")
    return _in_features(found, width, model.features, Template(model.template), path)


def _in_features(found: ColumnData, width: int, features: list[str], template: Template, path: str) -> ChainData:
    """The first columns in these features. The labels are in the column behind them, if there is one."""
    import numpy as np

    from pragam.sequences import Vocabulary

    columns = found._replace(columns=found.columns[:width])
    y = np.array(found.columns[width]) if len(found.columns) > width else None
    X, n_unseen = Vocabulary(features).vectorise_occurrences(_occurrences(template, columns, path))
    return ChainData(X, found.lengths, y, columns, n_unseen=n_unseen)


def _width(model: SequenceModel) -> int:
    """How many columns its training data had before the label."""
    width: Any = model.parameters.get("n_columns")
    if not is_whole(width):
        raise ValueError(f"its n_columns must be a whole number, not {width!r:.40}")
    return width


def _read(path: str) -> Any:
    from pragam.files import source
    from pragam.files.column_files import read_opened as read_columns
    from pragam.files.sequence_arrays import read_opened as read_npz

    with source.opened(named(path)) as opened:
        return read_npz(opened) if opened.head.startswith(b"PK") else read_columns(opened)


def _is_columns(found: ColumnData | ArrayData) -> bool:
    return hasattr(found, "columns")


def _occurrences(template: Template, data: ColumnData, path: str) -> Any:
    try:
        return template.occurrences(data)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _of_arrays(found: ArrayData, path: str, needs_labels: bool) -> ChainData:
    if needs_labels and found.y is None:
        raise ValueError(f"{path}: there are no labels: an array y is needed")
    return ChainData(found.X, found.lengths, found.y)
