"""Where the measurements were made: the processor, its cores and memory, and the versions that matter."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pragam

_LIBRARIES = ("numpy", "scipy", "scikit-learn")


def facts(threads: int, packages: Iterable[str] = ()) -> dict[str, Any]:
    """The machine, how many threads each measurement had, and the versions of the libraries and of these packages."""
    versions = {"pragam": pragam.__version__, "Python": platform.python_version()}
    for package in dict.fromkeys((*_LIBRARIES, *packages)):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:  # its row says so
            continue
    return {
        "processor": processor(), "cores": os.cpu_count(), "memory": _memory(),
        "system": f"{platform.system()} {platform.machine()}", "threads": threads, "versions": versions,
    }  # fmt: skip


def processor() -> str:
    """Its name, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return model or platform.processor() or platform.machine()


def _memory() -> int | None:
    """Bytes; None where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
