# SPDX-License-Identifier: Apache-2.0
"""A folder of Parquet files, one for each recording: a further run writes those that are missing.

Each file says in its metadata what it was made of, so an interrupted run needs no other record.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec
import polars as pl

from wirecost.system.errors import UserError
from wirecost.system.foreign import is_unicode

KEY = "wirecost"
"""Key of a file's metadata that has its origin."""
END_BYTES = 1 << 16
"""Bytes of both ends of a recording's files that are compared, as well as sizes and times."""
SUFFIX = ".parquet"
LONGEST_NAME = 200
"""Characters of a file's name that come from another name."""
_NO_NAME = re.compile(r"[^A-Za-z0-9_.-]+")


class TableOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """What a table was made of.

    ``recording``: as the command named it; ``place``: where it lies; ``state``: digest of its
    files' sizes, times and ends; ``options``: by which it was read; ``notes``: what was lost.
    """

    recording: str
    place: str
    state: str
    options: str
    notes: tuple[str, ...] = ()

    @property
    def metadata(self) -> dict[str, str]:
        """Metadata of the table's file."""
        return {KEY: msgspec.json.encode(self).decode()}


def origin_of(recording: Path, options: str) -> TableOrigin:
    """Return the origin of a table of a recording as it is now. Raises UserError."""
    if not is_unicode(f"{recording}{recording.resolve()}"):
        raise UserError(f"{recording}: its path is no UTF-8, as a table's texts are; rename it")
    digest = hashlib.blake2b(digest_size=16)
    try:
        files = sorted(recording.iterdir()) if recording.is_dir() else [recording]
        for file in filter(Path.is_file, files):
            status = file.stat()
            digest.update(os.fsencode(f"{file.name}\0{status.st_size}\0{status.st_mtime_ns}\0"))
            with file.open("rb") as content:
                digest.update(content.read(END_BYTES))
                content.seek(max(status.st_size - END_BYTES, 0))
                digest.update(content.read(END_BYTES))
    except OSError as error:
        raise UserError(f"{recording}: {error.strerror}; name another recording") from error
    return TableOrigin(
        recording=str(recording), place=str(recording.resolve()), state=digest.hexdigest(),
        options=options,
    )  # fmt: skip


@contextmanager
def written_alone(folder: Path) -> Iterator[None]:
    """Keep other runs from writing there meanwhile, where the file system has locks of folders.

    They would give two recordings one file. Raises UserError where another run is first; OSError.
    """
    descriptor = os.open(folder, os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise UserError(f"{folder}: another run writes there; wait until it has ended") from error
    except OSError:
        pass
    try:
        yield
    finally:
        os.close(descriptor)


class TableSet:
    """The files of a folder, which need not be there yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.origins = {file: _read_origin(file) for file in sorted(folder.glob(f"*{SUFFIX}"))}
        """Files by what they were made of; None where that is not said."""

    def files(self, names: Mapping[Path, str]) -> dict[Path, Path]:
        """Return a file for each recording: its own, or a new one by its name."""
        own = {origin.place: file for file, origin in self.origins.items() if origin is not None}
        files = {recording: own.get(str(recording.resolve())) for recording in names}
        taken = {*own.values()}
        for recording, file in files.items():
            if file is None:
                free = files[recording] = free_file(self.folder, names[recording], taken)
                taken.add(free)
        return {recording: file for recording, file in files.items() if file is not None}

    def current(self, file: Path, origin: TableOrigin) -> TableOrigin | None:
        """Return the origin that a file has if it was made of the same; else None."""
        there = self.origins.get(file)
        is_same = there is not None and msgspec.structs.replace(there, notes=()) == origin
        return there if is_same else None


def free_file(folder: Path, text: str, taken: Collection[Path]) -> Path:
    """Return a file named by a text, of which letters, digits and ``_.-`` are kept."""
    stem = _NO_NAME.sub("_", text.strip("/"))[:LONGEST_NAME].lstrip(".") or "topic"
    name, number = stem, 1
    while folder / f"{name}{SUFFIX}" in taken:
        number += 1
        name = f"{stem}_{number}"
    return folder / f"{name}{SUFFIX}"


def _read_origin(file: Path) -> TableOrigin | None:
    try:
        return msgspec.json.decode(pl.read_parquet_metadata(file).get(KEY, ""), type=TableOrigin)
    except (OSError, pl.exceptions.PolarsError, msgspec.MsgspecError):
        return None
