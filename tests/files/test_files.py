"""load() gives the same samples from every kind of file, and one clear line for a bad one."""

import zipfile

import numpy as np
import pytest
from scipy import sparse

from pragam.datasets import load, save_svmlight


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    X = sparse.random_array((30, 11), density=0.3, rng=rng, format="csr")
    return X, rng.choice([-1.0, 1.0], 30)


def csr_arrays(X):
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}


def is_mapped(array):
    while isinstance(array, np.ndarray) and not isinstance(array, np.memmap):
        array = array.base
    return isinstance(array, np.memmap)


@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
def test_npz(write, data, tmp_path):
    X, y = data
    write(tmp_path / "d.npz", **csr_arrays(X), y=y.astype(int))
    Z, z = load(tmp_path / "d.npz")
    assert (Z != X).nnz == 0 and Z.shape == X.shape
    assert np.array_equal(z, y) and z.dtype == np.float64
    assert is_mapped(Z.data) == is_mapped(Z.indices) == (write is np.savez)


@pytest.mark.parametrize("compressed", [True, False])
def test_save_npz_of_scipy_has_no_labels(compressed, data, tmp_path):
    sparse.save_npz(tmp_path / "d.npz", data[0], compressed=compressed)
    X, y = load(tmp_path / "d.npz", 20)
    assert y is None and X.shape == (30, 20) and (X[:, :11] != data[0]).nnz == 0


def test_npz_without_entries(tmp_path):
    np.savez(tmp_path / "d.npz", **csr_arrays(sparse.csr_array((3, 2))))
    assert load(tmp_path / "d.npz")[0].shape == (3, 2)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_npy_is_mapped(order, dtype, data, tmp_path):
    dense = np.asarray(data[0].toarray(), dtype, order=order)
    np.save(tmp_path / "d.npy", dense)
    X, y = load(tmp_path / "d.npy")
    assert y is None and is_mapped(X) and X.dtype == dtype and np.array_equal(X, dense)
    np.save(tmp_path / "d.y.npy", data[1])
    assert np.array_equal(load(tmp_path / "d.npy", 11)[1], data[1])


def test_svmlight(data, tmp_path):
    save_svmlight(tmp_path / "d", *data)
    X, y = load(tmp_path / "d", 12)
    assert X.shape == (30, 12) and (X[:, :11] != data[0]).nnz == 0 and np.array_equal(y, data[1])


def test_absent_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "absent.npz")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data": None}, "no array 'data'"),
        ({"format": np.array(b"csc")}, "must be csr"),
        ({"shape": np.array([30])}, "whole numbers"),
        ({"shape": np.array([-30, 11])}, None),
        ({"shape": np.array([30, 2])}, None),
        ({"indices": np.zeros(5)}, "whole numbers"),
        ({"indptr": np.array([0, 5])}, None),
        ({"indptr": np.arange(31)[::-1]}, None),
        ({"data": np.array(["a"] * 99)}, "real numbers"),
        ({"data": np.array([None] * 99)}, "real numbers, not object"),
        ({"y": np.ones(29)}, r"labels of shape \(29,\) for 30 rows"),
        ({"y": np.full(30, np.nan)}, "not finite"),
    ],
)
@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
def test_bad_npz(change, message, write, data, tmp_path):
    arrays = csr_arrays(data[0]) | {"y": data[1]} | change
    path = tmp_path / "d.npz"
    write(path, **{name: array for name, array in arrays.items() if array is not None})
    with pytest.raises(ValueError, match=message) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ") and "\n" not in str(caught.value)


@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
def test_damaged_npz_never_crashes(write, data, tmp_path):
    path = tmp_path / "d.npz"
    write(path, **csr_arrays(data[0]), y=data[1])
    good = path.read_bytes()
    rng = np.random.default_rng(0)
    for stop in rng.integers(4, len(good), 60):
        path.write_bytes(good[:stop])
        with pytest.raises(ValueError):
            load(path)
    n_refused = 0
    for _ in range(200):
        bad = np.frombuffer(good, np.uint8).copy()
        bad[rng.integers(4, len(good), 3)] = rng.integers(0, 256, 3)
        path.write_bytes(bad.tobytes())
        try:
            X, _ = load(path)
        except ValueError as error:
            assert "\n" not in str(error)
            n_refused += 1
        else:
            X.check_format(full_check=True)
    assert n_refused > 100  # the archive has checksums: few bytes do not matter


def test_member_that_lies_about_its_size(data, tmp_path):
    path = tmp_path / "d.npz"
    np.savez(path, **csr_arrays(data[0]))
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["data.npy"] = members["data.npy"][:-8]
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(ValueError, match="size"):
        load(path)


def test_bad_npy(tmp_path):
    path = tmp_path / "d.npy"
    for shape, dtype, message in (
        (3, float, "matrix"),
        ((2, 2), complex, "real"),
        ((2, 3), float, "columns"),
    ):
        np.save(path, np.ones(shape, dtype))
        with pytest.raises(ValueError, match=message):
            load(path, 2)
    np.save(path, np.array([[None]]), allow_pickle=True)
    with pytest.raises(ValueError, match=r"d\.npy: "):
        load(path)


HEADERS = {
    "open bracket": "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2",  # a TokenError of Python's own
    "huge shape": f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({10**30}, 2)}}",  # an OverflowError
    "huge but empty": f"{{'descr': '<f8', 'fortran_order': False, 'shape': (0, {10**30})}}",
    "negative": "{'descr': '<f8', 'fortran_order': False, 'shape': (-2, -2)}",
    "too long": "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
    "too short": "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1)}",
    "rows of rows": "{'descr': ('<f8', (2,)), 'fortran_order': False, 'shape': (2, 1)}",
    "text": "{'descr': '<U8', 'fortran_order': False, 'shape': (1, 1)}",
    "nested": "{'descr': " + "-" * 5000 + "1, 'fortran_order': False, 'shape': (2, 2)}",
    "no dict": "[]",
    "empty": "",
}


@pytest.mark.parametrize("kind", HEADERS)
def test_damaged_npy_header(kind, tmp_path):
    header = HEADERS[kind].encode() + b"\n"
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(32)
    (tmp_path / "d.npy").write_bytes(content)
    with pytest.raises(ValueError) as caught:
        load(tmp_path / "d.npy")
    assert str(caught.value).startswith(f"{tmp_path / 'd.npy'}: ") and "\n" not in str(caught.value)


def test_damaged_npy_never_crashes(tmp_path):
    path = tmp_path / "d.npy"
    np.save(path, np.arange(12.0).reshape(3, 4))
    good = path.read_bytes()
    rng = np.random.default_rng(0)
    n_refused = 0
    for trial in range(400):
        bad = bytearray(good)
        for where in rng.integers(0, 128, rng.integers(1, 4)):
            bad[where] = rng.integers(256)
        path.write_bytes(bad if trial % 2 else bad[: rng.integers(len(bad))])
        try:
            X, _ = load(path)
        except ValueError as error:
            assert "\n" not in str(error)
            n_refused += 1
        else:
            assert X.ndim == 2
    assert 200 < n_refused < 400  # all that are cut short, and a part of those with other bytes


@pytest.mark.parametrize("rows", [30, 30_000])
def test_a_flipped_bit_in_a_mapped_array_is_noticed(rows, tmp_path):
    path = tmp_path / "d.npz"
    X = sparse.random_array((rows, 11), density=0.3, rng=np.random.default_rng(3), format="csr")
    np.savez(path, **csr_arrays(X))
    content = bytearray(path.read_bytes())
    content[content.find(X.data[-3:].tobytes())] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"data\.npy is damaged: its checksum|CRC-32 for file 'data\.npy'"):
        load(path)


def test_two_arrays_of_one_name_are_refused(data, tmp_path):
    path = tmp_path / "d.npz"
    np.savez(path, **csr_arrays(data[0]))
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("data.npy", archive.read("data.npy"))
    with pytest.raises(ValueError, match="the same name"):
        load(path)
