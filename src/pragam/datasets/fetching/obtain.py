"""The files of a data set at hand: found in a folder of the user's or in the cache, or else downloaded."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

from pragam.datasets.fetching import checksums
from pragam.datasets.fetching.places import Place, downloads, find, folders, offline
from pragam.datasets.record import Dataset, File, Piece
from pragam.runtime.screen import Screen

Folder = str | os.PathLike[str] | None


def obtain(dataset: Dataset, pieces: Sequence[Piece], data_dir: Folder = None) -> list[Place]:
    """A file for each piece. One that is not at hand is downloaded into the cache.

    Each is compared with the checksum on record, with a warning if they differ. If a file cannot be had, a
    FileNotFoundError of one line names all files that are missing and the folders where they are looked for.
    """
    missing = [piece for piece in pieces if find(piece, data_dir) is None]
    if missing:
        _download(dataset, missing, data_dir)
    places = [place for piece in pieces if (place := find(piece, data_dir)) is not None]
    for place in places:
        checksums.check(place)
    return places


def address(piece: Piece) -> File | None:
    """The file of the piece that can be downloaded, if there is one."""
    return next((file for file in piece if file.url), None)


def _download(dataset: Dataset, missing: Sequence[Piece], data_dir: Folder) -> None:
    files = [address(piece) for piece in missing]
    if None in files:
        raise FileNotFoundError(_advice(dataset, missing, data_dir, "no address is known"))
    if offline():
        raise FileNotFoundError(_advice(dataset, missing, data_dir, "PRAGAM_OFFLINE is set"))
    from pragam.datasets.fetching.download import download  # the standard library's web modules take a while to import
    from pragam.datasets.fetching.web import DownloadError

    try:
        for file in filter(None, files):
            with Screen() as screen:
                download(file, downloads() / file.path, watch=partial(screen.show, f"{file.path}, bytes"))
    except DownloadError as error:
        raise FileNotFoundError(_advice(dataset, missing, data_dir, str(error))) from error


def _advice(dataset: Dataset, missing: Sequence[Piece], data_dir: Folder, cause: str) -> str:
    """Which files are not there, where they should be, and why they could not be downloaded."""
    wanted = " and ".join(piece[0].path for piece in missing)
    choices = " and ".join(
        " or ".join(file.path + (f" from {file.url}" if file.url else "") for file in piece) for piece in missing
    )
    where = [str(folder) for folder, _ in folders(data_dir)]
    otherwise = f"; or take its synthetic stand-in, {dataset.stand_in}" if dataset.stand_in else ""
    return (
        f"{dataset.name}: no {wanted} in {' or '.join(where)}: {cause}; put {choices} into {where[0]}, "
        f"or set PRAGAM_DATA to the folder of the data sets{otherwise}"
    )
