"""replacing(): whole or not at all, through devices and FIFOs, along links, with the mode that was there."""

from __future__ import annotations

import os
import stat
import threading

import pytest

from pragam.files.atomic import replacing

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX files")


def write(path, content=b"new"):
    with replacing(path) as stream:
        stream.write(content)


def test_a_new_file_has_the_usual_mode(tmp_path):
    (tmp_path / "usual").write_bytes(b"")
    write(tmp_path / "f")
    assert (tmp_path / "f").read_bytes() == b"new"
    assert (tmp_path / "f").stat().st_mode == (tmp_path / "usual").stat().st_mode


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
def test_the_mode_of_an_old_file_stays(tmp_path, mode):
    path = tmp_path / "f"
    path.write_bytes(b"old")
    path.chmod(mode)
    write(path)
    assert path.read_bytes() == b"new" and stat.S_IMODE(path.stat().st_mode) == mode


@posix
@pytest.mark.parametrize("old", [True, False])
def test_links_are_followed(tmp_path, old):
    (tmp_path / "folder").mkdir()
    real, link, chain = tmp_path / "folder" / "real", tmp_path / "link", tmp_path / "chain"
    if old:
        real.write_bytes(b"old")
    link.symlink_to("folder/real")
    chain.symlink_to(link)
    write(chain)
    assert link.is_symlink() and chain.is_symlink() and not real.is_symlink() and real.read_bytes() == b"new"
    assert sorted(os.listdir(tmp_path / "folder")) == ["real"]


@posix
def test_a_fifo_stays_a_fifo_and_gets_the_bytes(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    got = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "fifo").read_bytes()))
    reader.start()
    write(tmp_path / "fifo", b"x" * 200_000)
    reader.join()
    assert got == [b"x" * 200_000] and stat.S_ISFIFO((tmp_path / "fifo").stat().st_mode)
    assert os.listdir(tmp_path) == ["fifo"]


@posix
def test_a_device_stays_a_device(tmp_path):
    device = tmp_path / "link"
    device.symlink_to("/dev/null")
    write(device)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode) and device.is_symlink()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_full_device_is_an_error_that_names_it(tmp_path):
    with pytest.raises(OSError, match="No space left") as caught:
        write("/dev/full")
    assert caught.value.filename == "/dev/full"


def test_a_failure_leaves_the_old_file_alone(tmp_path):
    (tmp_path / "f").write_bytes(b"old")
    with pytest.raises(RuntimeError, match="midway"), replacing(tmp_path / "f") as stream:
        stream.write(b"half")
        raise RuntimeError("midway")
    assert os.listdir(tmp_path) == ["f"] and (tmp_path / "f").read_bytes() == b"old"


def test_a_folder_and_an_absent_folder_are_named(tmp_path):
    for path in (tmp_path, tmp_path / "none" / "f"):
        with pytest.raises(OSError) as caught:
            write(path)
        assert caught.value.filename == str(path)
