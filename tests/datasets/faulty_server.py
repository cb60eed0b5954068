"""An HTTP server on this machine that serves some files, and misbehaves as told."""

from __future__ import annotations

import contextlib
import hashlib
import re
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server:
    """``files`` by path. ``faults`` are used up one a request; then ``always``, or good behaviour. ``requests`` are all
    headers."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.faults: list[Fault] = []
        self.always: Fault | None = None
        self.requests: list[dict[str, str]] = []
        self.over = threading.Event()
        self.address = ""

    def url(self, path: str) -> str:
        return f"{self.address}/{path}"

    def ranges(self) -> list[str | None]:
        """The ranges asked for, one for each request."""
        return [headers.get("Range") for headers in self.requests]


class Handler(BaseHTTPRequestHandler):
    """Answers GET with ranges and strong tags, as a good server does."""

    server: ThreadingHTTPServer
    files: Server

    def do_GET(self) -> None:
        self.files.requests.append(dict(self.headers))
        fault = self.files.faults.pop(0) if self.files.faults else self.files.always
        with contextlib.suppress(ConnectionError):
            (fault or well)(self, self.files.files[self.path.lstrip("/")])

    def head(self, status: int, length: int | None, tag: str = "", **headers: str) -> None:
        self.send_response(status)
        if length is not None:
            self.send_header("Content-Length", str(length))
        if tag:
            self.send_header("ETag", tag)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def body_for(self, content: bytes) -> bytes:
        """Send the head of the answer to this request, whole or in part, and return the body that should follow."""
        tag = f'"{hashlib.sha256(content).hexdigest()}"'
        found = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if found is None or self.headers.get("If-Range", tag) != tag:
            self.head(200, len(content), tag)
            return content
        start = int(found[1])
        if start >= len(content):
            self.head(416, 0, Content_Range=f"bytes */{len(content)}")
            return b""
        self.head(206, len(content) - start, tag, Content_Range=f"bytes {start}-{len(content) - 1}/{len(content)}")
        return content[start:]

    def log_message(self, *args: object) -> None:
        """Be quiet."""


Fault = Callable[[Handler, bytes], None]


def well(handler: Handler, content: bytes) -> None:
    handler.wfile.write(handler.body_for(content))


def breaks_after(n: int) -> Fault:
    """The connection breaks after n bytes of the body."""
    return lambda handler, content: _send(handler, handler.body_for(content)[:n])


def stalls_after(n: int) -> Fault:
    """No more bytes come after the first n, but the connection stays."""

    def stall(handler: Handler, content: bytes) -> None:
        _send(handler, handler.body_for(content)[:n])
        handler.files.over.wait(30)

    return stall


def slowly(handler: Handler, content: bytes) -> None:
    """A few bytes at a time."""
    body = handler.body_for(content)
    step = max(1, len(content) // 40)
    for start in range(0, len(body), step):
        _send(handler, body[start : start + step])
        time.sleep(0.01)


def answers(status: int) -> Fault:
    return lambda handler, content: handler.head(status, 0)


def redirects(to: str) -> Fault:
    return lambda handler, content: handler.head(302, 0, Location=to)


def without_ranges(n: int | None = None) -> Fault:
    """Always the whole file, without a tag, broken after n bytes if n is given."""

    def send(handler: Handler, content: bytes) -> None:
        handler.head(200, len(content))
        _send(handler, content[:n])

    return send


def chunked(n: int | None = None) -> Fault:
    """The file in one chunk, without a Content-Length, broken after n bytes if n is given."""

    def send(handler: Handler, content: bytes) -> None:
        handler.head(200, None, Transfer_Encoding="chunked")
        _send(handler, b"%x\r\n" % len(content) + content[:n])
        if n is None:
            _send(handler, b"\r\n0\r\n\r\n")

    return send


def claims_length(length: int) -> Fault:
    """The whole body under a false Content-Length."""

    def send(handler: Handler, content: bytes) -> None:
        handler.head(200, length, '"false"')
        _send(handler, content)

    return send


def other_content(content: bytes) -> Fault:
    """The right headers for something else."""
    return lambda handler, _: _send(handler, handler.body_for(content))


def wrong_range(handler: Handler, content: bytes) -> None:
    """A part that begins elsewhere than asked."""
    handler.head(206, 3, '"x"', Content_Range=f"bytes 1-3/{len(content)}")
    _send(handler, content[1:4])


def web_page(handler: Handler, content: bytes) -> None:
    handler.head(200, 15, Content_Type="text/html; charset=utf-8")
    _send(handler, b"<html>log in</>")


def _send(handler: Handler, body: bytes) -> None:
    handler.wfile.write(body)
    handler.wfile.flush()


@contextlib.contextmanager
def running() -> Iterator[Server]:
    """A server for the time of the block."""
    files = Server()
    handler = type("_Handler", (Handler,), {"files": files})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        files.address = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield files
        finally:
            files.over.set()
            server.shutdown()
            thread.join()
