"""Where the files of data sets may lie: folders of the user's, and the cache."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from pragam.datasets.record import File, Piece


class Place(NamedTuple):
    """A file that is at hand, and whether it is the user's own ("local") or was downloaded ("cache")."""

    file: File
    path: Path
    kind: str


def data_folder() -> Path | None:
    """The folder of local copies, that of the environment variable PRAGAM_DATA; None if it is not set."""
    folder = os.environ.get("PRAGAM_DATA")
    return Path(folder) if folder else None


def cache_folder() -> Path:
    """The folder of what can be had again: $PRAGAM_CACHE, or "pragam" in the platform's folder for user caches."""
    if chosen := os.environ.get("PRAGAM_CACHE"):
        return Path(chosen)
    try:
        return _user_caches() / "pragam"
    except RuntimeError:  # a user without a home
        return Path(tempfile.gettempdir()) / "pragam-cache"


def downloads() -> Path:
    """The part of the cache that holds downloaded files."""
    return cache_folder() / "files"


def folders(data_dir: str | os.PathLike[str] | None = None) -> list[tuple[Path, str]]:
    """The folders to look into, in this order: ``data_dir``, PRAGAM_DATA, the cache."""
    if data_dir is not None and not Path(data_dir).is_dir():
        raise ValueError(f"data_dir: {data_dir} is not a folder")
    own = [Path(folder) for folder in (data_dir, data_folder()) if folder is not None]
    return [*((folder, "local") for folder in own), (downloads(), "cache")]


def find(piece: Piece, data_dir: str | os.PathLike[str] | None = None) -> Place | None:
    """The first file of the piece that exists."""
    for folder, kind in folders(data_dir):
        for file in piece:
            if (folder / file.path).is_file():
                return Place(file, folder / file.path, kind)
    return None


def offline() -> bool:
    """Whether PRAGAM_OFFLINE forbids every use of the network."""
    return os.environ.get("PRAGAM_OFFLINE", "0") not in ("", "0")


def _user_caches() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
