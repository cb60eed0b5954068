"""One HTTP request: http and https only, redirects included. Failures are sorted by whether another try may help."""

from __future__ import annotations

import errno
import http.client
import re
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

_BLOCK = 1 << 16
#: Answers after which the same request may succeed: timeout, too many requests, errors of the server.
_PASSING = {408, 429, 500, 502, 503, 504}
#: Without a network, or with a wrong certificate, another try takes time and brings nothing.
_FINAL = (socket.gaierror, ssl.SSLCertVerificationError)
_NO_NETWORK = {errno.ENETUNREACH, errno.ENETDOWN, errno.EHOSTUNREACH}


class DownloadError(OSError):
    """A download that failed for good. The message is one line."""


class PassingError(Exception):
    """A download that failed for now."""


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, up to the limits of the standard library, but never out of http and https."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        check_address(newurl)
        if urlsplit(req.full_url).scheme == "https" and urlsplit(newurl).scheme == "http":
            raise DownloadError(f"a redirect from https to {newurl} is refused")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def check_address(url: str) -> None:
    """Refuse an address of another kind than http or https."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise DownloadError(f"{url}: only http and https addresses are read")


def open_url(url: str, headers: dict[str, str], timeout: float) -> Any:
    """The answer of the server to a GET request, before its body is read. ``timeout`` is for each wait."""
    check_address(url)
    opener = urllib.request.OpenerDirector()  # without the standard handlers of ftp, file and data addresses
    handlers = (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        _Redirects(),
        urllib.request.HTTPErrorProcessor(),
    )
    for handler in handlers:
        opener.add_handler(handler)
    try:
        return opener.open(urllib.request.Request(url, headers=headers), timeout=timeout)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
            return None
        problem = f"the server answers {error.code} {_one_line(error.reason)}"
        raise (PassingError(problem) if error.code in _PASSING else DownloadError(f"{url}: {problem}")) from None
    except urllib.error.URLError as error:
        if isinstance(error.reason, _FINAL) or getattr(error.reason, "errno", None) in _NO_NETWORK:
            raise DownloadError(f"{url}: {_one_line(error.reason)}") from None
        raise PassingError(_one_line(error.reason)) from None
    except DownloadError:
        raise
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise PassingError(_one_line(error)) from None


def body(answer: Any) -> Iterator[bytes]:
    """The blocks of the body as they come."""
    while True:
        try:
            block = answer.read1(_BLOCK)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise PassingError(_one_line(error)) from None
        if not block:
            return
        yield block


def validator(answer: Any) -> str:
    """What tells this version of the file from another one: a strong ETag, or the date of the last change, or ""."""
    tag = answer.headers.get("ETag", "")
    return tag if tag.startswith('"') else answer.headers.get("Last-Modified", "")


def extent(answer: Any) -> tuple[int, int | None]:
    """Where the body begins in the file, and the size of the whole file if the server says so."""
    if answer.status == http.client.PARTIAL_CONTENT:
        found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", answer.headers.get("Content-Range", "").strip())
        if found is None:
            return -1, None
        return int(found[1]), None if found[2] == "*" else int(found[2])
    length = answer.headers.get("Content-Length", "")
    return 0, int(length) if length.isdigit() else None


def _one_line(problem: object) -> str:
    text = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
    return " ".join(str(text).split())
