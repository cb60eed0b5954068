"""Annotated matrices, made by h5py in the layout of AnnData, are packed as rows; anything else is refused in a line."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from packed_data import content_of, small
from scipy import sparse

import pragam
from peaks import peak_memory
from pragam.cli import main
from pragam.files import source
from pragam.packed import annotated_rows

h5py = pytest.importorskip("h5py", reason="h5py is not installed")

N = 3000
X, Y = small(N, 12)
CELLS = np.where(Y > 0, "T cell", "B-Zelle ä")


def kind(node, name, **attributes):
    node.attrs.update({"encoding-type": name, "encoding-version": "0.2.0", **attributes})
    return node


def matrix(group, name, X):
    if not sparse.issparse(X):
        return kind(group.create_dataset(name, data=X, chunks=(100, X.shape[1]), compression="gzip"), "array")
    node = kind(group.create_group(name), f"{X.format}_matrix", shape=X.shape)
    for part in ("data", "indices", "indptr"):
        node.create_dataset(part, data=getattr(X, part), compression="gzip")
    return node


def texts(group, name, values):
    data = np.array(values, dtype=object)
    return kind(group.create_dataset(name, data=data, dtype=h5py.string_dtype()), "string-array")


def categorical(group, name, values):
    node = kind(group.create_group(name), "categorical", ordered=False)
    levels, codes = np.unique(values, return_inverse=True)
    kind(node.create_dataset("codes", data=codes.astype(np.int8)), "array")
    texts(node, "categories", levels) if levels.dtype.kind == "U" else kind(
        node.create_dataset("categories", data=levels), "array"
    )
    return node


def written(path, X=X, layers=None, **columns):
    """A file with these columns of obs."""
    with h5py.File(path, "w") as file:
        kind(file, "anndata")
        matrix(file, "X", X)
        own = kind(file.create_group("layers"), "dict")
        for name, layer in (layers or {}).items():
            matrix(own, name, layer)
        obs = kind(file.create_group("obs"), "dataframe", _index="_index")
        texts(obs, "_index", [f"cell {k}" for k in range(X.shape[0])])
        for name, values in {"cell": CELLS[: X.shape[0]], **columns}.items():
            categorical(obs, name, values) if np.asarray(values).dtype.kind == "U" else kind(
                obs.create_dataset(name, data=values), "array"
            )
        obs.attrs["column-order"] = ["cell", *columns]
    return path


def chunks_of(folder):
    return {name: content for name, content in content_of(folder).items() if name != "manifest.json"}


@pytest.mark.parametrize("store", [sparse.csr_array, lambda X: X.toarray()], ids=["csr", "dense"])
@pytest.mark.parametrize("rows", [None, 7])
def test_it_is_packed_as_the_same_rows_are_from_memory(store, rows, tmp_path, monkeypatch):
    if rows:
        monkeypatch.setattr(annotated_rows, "_ROWS", rows)
        monkeypatch.setattr(annotated_rows, "PART", 500)
    wanted = pragam.pack([(store(X).astype(np.float32), CELLS)], tmp_path / "memory")
    found = pragam.pack(written(tmp_path / "cells.h5ad", store(X).astype(np.float32)), tmp_path / "file", target="cell")
    assert chunks_of(found.path) == chunks_of(wanted.path)
    assert pragam.LinearSVC(C=0.01).fit(found).classes_.tolist() == ["B-Zelle ä", "T cell"]


def test_a_layer_is_read_in_place_of_it_and_numbers_are_labels(tmp_path):
    path = written(tmp_path / "cells.h5ad", layers={"counts": 2.0 * X}, dose=Y)
    found = pragam.pack(path, tmp_path / "file", target="dose", layer="counts")
    assert chunks_of(found.path) == chunks_of(pragam.pack([(2.0 * X, Y)], tmp_path / "memory").path)


def test_several_files_are_one_data_set(tmp_path):
    for k, own in enumerate((slice(0, 1000), slice(1000, N))):
        written(tmp_path / f"cells-{k}.h5ad", X[own], y=Y[own])
    found = pragam.pack(tmp_path / "cells-*.h5ad", tmp_path / "file", target="y")
    assert chunks_of(found.path) == chunks_of(pragam.pack([(X, Y)], tmp_path / "memory").path)


def test_columns_that_may_lack_values_are_read_if_none_is_missing(tmp_path):
    path = written(tmp_path / "cells.h5ad")
    for mask, missing in ((np.zeros(N, bool), None), (np.arange(N) == 5, 5)):
        with h5py.File(path, "a") as file:
            if "age" in file["obs"]:
                del file["obs/age"]
            node = kind(file["obs"].create_group("age"), "nullable-integer")
            node["values"], node["mask"] = Y.astype(int), mask
            kind(node["values"], "array")
        if missing is None:
            assert pragam.pack(path, tmp_path / "file", target="age").y.dtype == int
        else:
            with pytest.raises(ValueError, match="row 5: the label 'age' is missing"):
                pragam.pack(path, tmp_path / "other", target="age")


def test_a_part_of_the_rows_is_in_memory_at_a_time(tmp_path):
    large = sparse.random_array((20_000, 300), density=0.3, rng=np.random.default_rng(0), format="csr")
    path = written(tmp_path / "cells.h5ad", large, cell=np.where(np.arange(20_000) % 2, "a", "b"))
    size = large.data.nbytes + large.indices.nbytes
    del large
    with peak_memory() as peak, source.opened(path) as opened:
        rows = sum(read.part.rows for read in annotated_rows.AnnotatedRows("cell", None).read(opened, None))
    assert rows == 20_000 and size > 20e6 and peak.bytes < 0.9 * size


def _without(path, name):
    with h5py.File(path, "a") as file:
        del file[name]


def _older(path):
    with h5py.File(path, "a") as file:
        del file["X"].attrs["encoding-type"]


def _shorter(path):
    with h5py.File(path, "a") as file:
        file["X"].attrs["shape"] = (N - 1, 12)


def _not_a_number(path):
    with h5py.File(path, "a") as file:
        file["X/data"][3] = np.nan


def _backwards(path):
    with h5py.File(path, "a") as file:
        file["X/indptr"][3] = 10**9


def _unlabelled(path):
    with h5py.File(path, "a") as file:
        file["obs/cell/codes"][7] = -1


def _cut(path):
    path.write_bytes(path.read_bytes()[:3000])


@pytest.mark.parametrize(
    ("damage", "keywords", "words"),
    [
        (None, {}, "is a .h5ad file: --target names the column of obs with the labels"),
        (None, {"target": "age"}, "obs has no column 'age'; its columns are 'cell'"),
        (None, {"target": "cell", "layer": "raw"}, "it has no layers/raw; its layers are none"),
        (None, {"target": "cell", "drop": ["x"], "layer": "raw"}, "layer is for .h5ad files"),
        (None, {"target": "cell", "missing": "mean"}, "and drop, categorical and missing are for tables"),
        (None, {"target": "cell", "layer": 3}, "layer must be the name of a layer, not 3"),
        (lambda path: _without(path, "X"), {"target": "cell"}, "it has no X"),
        (lambda path: _without(path, "obs"), {"target": "cell"}, "its obs is no table of a recent AnnData"),
        (lambda path: _without(path, "X/indices"), {"target": "cell"}, "not a usable .h5ad file"),
        (_older, {"target": "cell"}, "X is stored as something older: write it as CSR or dense, by AnnData"),
        (_shorter, {"target": "cell"}, "has 3001 ends of rows, not 3000"),
        (_not_a_number, {"target": "cell"}, "rows 0 to .*: X contains NaN or infinity"),
        (_backwards, {"target": "cell"}, "is damaged: rows .* end before they begin"),
        (_unlabelled, {"target": "cell"}, "row 7: the label 'cell' is missing"),
        (_cut, {"target": "cell"}, "not a usable .h5ad file"),
    ],
)
def test_what_is_no_such_file_is_said_in_a_line(damage, keywords, words, tmp_path):
    path = written(tmp_path / "cells.h5ad")
    if damage is not None:
        damage(path)
    with pytest.raises(ValueError, match=words) as error:
        pragam.pack(path, tmp_path / "set", **keywords)
    assert "\n" not in str(error.value)


def test_columns_stored_one_after_the_other_and_other_widths_are_refused(tmp_path):
    path = written(tmp_path / "columns.h5ad", sparse.csc_array(X))
    with pytest.raises(ValueError, match="X is stored as csc_matrix: write it as CSR"):
        pragam.pack(path, tmp_path / "set", target="cell")
    files = [written(tmp_path / "a.h5ad"), written(tmp_path / "b.h5ad", X[:, :9])]
    with pytest.raises(ValueError, match="X has 9 columns, and the files before have 12"):
        pragam.pack(files, tmp_path / "other", target="cell")


def test_a_file_of_another_kind_beside_a_layer_is_refused(tmp_path):
    (tmp_path / "rows.csv").write_text("a,cell\n1,2\n")
    with pytest.raises(ValueError, match=r"is a table, and layer says that it is a \.h5ad file"):
        pragam.pack(tmp_path / "rows.csv", tmp_path / "set", target="cell", layer="raw")


def test_the_command_packs_and_trains(tmp_path, capsys):
    path, folder = written(tmp_path / "cells.h5ad", layers={"scaled": 0.5 * X}), tmp_path / "set"
    assert main(["pack", str(path), "--target", "cell", "--layer", "scaled", "-o", str(folder), "--quiet"]) == 0
    assert main(["train", str(folder), "--tol", "1e-2", "--quiet"]) == 0
    assert "3,000 rows, 12 columns" in capsys.readouterr().out


def test_without_h5py_it_says_what_to_install(tmp_path, monkeypatch):
    path = written(tmp_path / "cells.h5ad")
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ValueError, match="this needs the package h5py: pip install h5py"):
        pragam.pack(path, tmp_path / "set", target="cell")
