"""Downloads from a server that breaks off, stalls, redirects and lies: the right file, or one clear error."""

import errno
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time

import faulty_server as fault
import numpy as np
import pytest

from pragam.datasets.fetching.download import Patience, download
from pragam.datasets.fetching.web import DownloadError
from pragam.datasets.record import File

CONTENT = np.random.default_rng(0).bytes(40_000)
SIZE = len(CONTENT)
SUM = hashlib.sha256(CONTENT).hexdigest()
QUICK = Patience(timeout=20, attempts=3, pause=0.0)
HASTY = Patience(timeout=0.2, attempts=3, pause=0.0)
THIRD = 13_000


@pytest.fixture
def goal(tmp_path, server):
    server.files["data"] = CONTENT
    return tmp_path / "folder" / "data"


def fetch(server, goal, size=SIZE, sha256=SUM, path="data", patience=QUICK):
    download(File("data", size, sha256, server.url(path)), goal, patience)


def broken_off(server, goal, *record):
    """A download that ends after a third of the file."""
    server.faults = [fault.breaks_after(THIRD), fault.answers(503), fault.answers(503)]
    with pytest.raises(DownloadError, match=f"503.*{THIRD} bytes are kept in .*data.part"):
        fetch(server, goal, *record)
    assert (goal.parent / "data.part").read_bytes() == CONTENT[:THIRD] and not goal.exists() and not server.faults


def leftovers(goal):
    return sorted(path.name for path in goal.parent.iterdir())


RECOVERED = {
    "a good server": [],
    "breaks midway": [fault.breaks_after(THIRD)],
    "breaks again and again, but gets on": [fault.breaks_after(7_000)] * 5,
    "breaks before the first byte": [fault.breaks_after(0)],
    "stalls": [fault.stalls_after(THIRD)],
    "slow": [fault.slowly],
    "500, then well": [fault.answers(500)],
    "503, 429, then well": [fault.answers(503), fault.answers(429)],
    "ignores ranges": [fault.breaks_after(THIRD), fault.without_ranges()],
    "ignores ranges and breaks": [fault.without_ranges(THIRD), fault.without_ranges(2 * THIRD)],
    "resumes elsewhere": [fault.breaks_after(THIRD), fault.wrong_range],
    "chunked": [fault.chunked()],
    "chunked and breaks": [fault.chunked(THIRD)],
    "claims too short a length": [fault.claims_length(THIRD)],
    "claims too long a length": [fault.claims_length(SIZE + 5)],
    "sends something shorter": [fault.other_content(CONTENT[::-1][:THIRD])],
}


#: Without a size or a checksum on record, nothing tells that these answers are wrong.
NEEDS_RECORD = {"claims too short a length", "sends something shorter"}
CASES = [(name, True) for name in RECOVERED] + [(name, False) for name in RECOVERED if name not in NEEDS_RECORD]


@pytest.mark.parametrize(("name", "on_record"), CASES)
def test_ends_with_the_right_file(name, on_record, server, goal):
    server.faults = list(RECOVERED[name])
    record = (SIZE, SUM) if on_record else (None, "")
    fetch(server, goal, *record, patience=HASTY if name == "stalls" else QUICK)
    assert goal.read_bytes() == CONTENT and not server.faults
    assert leftovers(goal) == ["data", "data.lock"]


def test_a_broken_download_is_resumed_where_it_ended(server, goal):
    server.faults = [fault.breaks_after(THIRD), fault.breaks_after(THIRD)]
    fetch(server, goal)
    assert server.ranges() == [None, f"bytes={THIRD}-", f"bytes={2 * THIRD}-"]


def test_a_later_process_resumes(server, goal):
    broken_off(server, goal)
    fetch(server, goal)
    assert goal.read_bytes() == CONTENT and server.ranges()[-1] == f"bytes={THIRD}-"


def test_a_file_that_changed_meanwhile_starts_anew(server, goal):
    broken_off(server, goal, None, "")
    server.files["data"] = changed = CONTENT[::-1]
    fetch(server, goal, None, "")
    assert goal.read_bytes() == changed and server.ranges()[-1] == f"bytes={THIRD}-"


def test_a_part_of_another_address_or_of_nobody_knows_what_starts_anew(server, goal):
    goal.parent.mkdir()
    (goal.parent / "data.part").write_bytes(b"what")
    fetch(server, goal, None, "")
    assert goal.read_bytes() == CONTENT and server.ranges() == [None]


def test_a_damaged_part_gets_another_chance(server, goal):
    broken_off(server, goal)
    (goal.parent / "data.part").write_bytes(bytes(THIRD))
    fetch(server, goal)
    assert goal.read_bytes() == CONTENT and server.ranges()[-2:] == [f"bytes={THIRD}-", None]


def test_a_complete_part_is_verified_and_not_fetched_again(server, goal):
    for content in (CONTENT, bytes(SIZE)):
        broken_off(server, goal)
        (goal.parent / "data.part").write_bytes(content)
        requests = len(server.requests)
        fetch(server, goal)
        assert goal.read_bytes() == CONTENT and len(server.requests) - requests == (content != CONTENT)
        goal.unlink()


def test_a_part_longer_than_the_file_starts_anew(server, goal):
    broken_off(server, goal)
    with open(goal.parent / "data.part", "ab") as part:
        part.write(CONTENT)
    fetch(server, goal)
    assert goal.read_bytes() == CONTENT


REFUSED = {
    "not found": (fault.answers(404), "answers 404"),
    "forbidden": (fault.answers(403), "answers 403"),
    "server error": (fault.answers(500), "answers 500"),
    "never ends": (fault.stalls_after(0), "timed out"),
    "always breaks": (fault.without_ranges(THIRD), f"ended after {THIRD} of 40000 bytes"),
    "nothing": (fault.other_content(b""), "sent 0 of 40000 bytes"),
    "wrong content": (fault.other_content(bytes(SIZE)), f"the sha256 of what came is .*, not {SUM}"),
    "too much": (fault.other_content(CONTENT + b"x"), "more than the 40000 bytes on record"),
    "to a file": (fault.redirects("file:///etc/passwd"), "302.*not allowed"),
    "to ftp": (fault.redirects("ftp://127.0.0.1/data"), "only http and https"),
    "in a loop": (fault.redirects("/data"), "302.*loop"),
    "a page to log in": (fault.web_page, "a web page"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_ends_with_one_clear_line(name, server, goal):
    server.always, message = REFUSED[name]
    with pytest.raises(DownloadError, match=message) as failure:
        fetch(server, goal, patience=HASTY if name == "never ends" else QUICK)
    assert "\n" not in str(failure.value) and not goal.exists()
    if name in {"wrong content", "too much"}:
        assert leftovers(goal) == ["data.lock"], "what is wrong is not kept"


def test_an_empty_answer_is_no_file(server, goal):
    server.always = fault.other_content(b"")
    with pytest.raises(DownloadError, match="sent 0 of some bytes"):
        fetch(server, goal, None, "")


def test_redirects_are_followed(server, goal):
    server.files["elsewhere"] = b""
    server.faults = [fault.redirects("/elsewhere"), fault.redirects(server.url("data"))]
    fetch(server, goal, path="elsewhere")
    assert goal.read_bytes() == CONTENT


def test_a_redirect_from_https_to_http_is_refused():
    from urllib.request import Request

    from pragam.datasets.fetching.web import _Redirects

    with pytest.raises(DownloadError, match="from https to http://b"):
        _Redirects().redirect_request(Request("https://a/"), None, 302, "Found", {}, "http://b/")


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x", "x"])
def test_other_addresses_are_refused(url, tmp_path):
    with pytest.raises(DownloadError, match="only http and https"):
        download(File("data", url=url), tmp_path / "data", QUICK)


def test_no_server(tmp_path, server):
    with pytest.raises(DownloadError, match="refused"):
        download(File("data", url="http://127.0.0.1:1/data"), tmp_path / "data", QUICK)


def test_a_full_disk_is_noticed_before_the_download(server, goal, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10, 9, 1))
    with pytest.raises(OSError, match="No space left") as failure:
        fetch(server, goal)
    assert failure.value.errno == errno.ENOSPC and failure.value.filename.endswith("data.part")


CHILD = """
import sys
from pathlib import Path
from pragam.datasets.fetching.download import download, Patience
from pragam.datasets.record import File
size, url, goal = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
if len(sys.argv) > 4:
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[4]),) * 2)
try:
    download(File("data", size, url=url), goal, Patience(pause=0.0))
except OSError as error:
    sys.exit(f"{error.strerror}: {error.filename}")
"""


def child(server, goal, *more):
    command = [sys.executable, "-c", CHILD, str(SIZE), server.url("data"), str(goal), *more]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files")
def test_a_disk_that_takes_no_more_is_one_line_and_the_rest_comes_later(server, goal):
    with child(server, goal, str(THIRD)) as process:
        _, complaint = process.communicate(timeout=60)
    assert complaint.strip() == f"{os.strerror(errno.EFBIG)}: {goal}.part"
    assert (goal.parent / "data.part").read_bytes() == CONTENT[:THIRD]
    fetch(server, goal)
    assert goal.read_bytes() == CONTENT and server.ranges()[-1] == f"bytes={THIRD}-"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="a folder that is closed to us")
def test_a_folder_that_is_not_writable(server, goal):
    goal.parent.mkdir(mode=0o500)
    with pytest.raises(PermissionError):
        fetch(server, goal)


def test_a_folder_that_is_a_file(server, goal):
    goal.parent.write_bytes(b"")
    with pytest.raises(OSError, match="folder"):
        fetch(server, goal)


def test_a_killed_process_leaves_a_part_that_resumes(server, goal):
    server.faults = [fault.stalls_after(THIRD)]
    part = goal.parent / "data.part"
    with child(server, goal) as process:
        until = time.monotonic() + 60
        while not (part.exists() and part.stat().st_size == THIRD):
            assert process.poll() is None and time.monotonic() < until
            time.sleep(0.01)
        process.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
    fetch(server, goal)
    assert goal.read_bytes() == CONTENT and server.ranges() == [None, f"bytes={THIRD}-"]


def test_processes_at_once_download_once(server, goal):
    server.always = fault.slowly
    processes = [child(server, goal) for _ in range(2)]
    for process in processes:
        with process:
            assert process.communicate(timeout=60)[1] == "" and process.returncode == 0
    assert goal.read_bytes() == CONTENT and server.ranges() == [None]
    assert leftovers(goal) == ["data", "data.lock"]
