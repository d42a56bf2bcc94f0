# SPDX-License-Identifier: Apache-2.0
"""Place of a store: a folder, or a URL that fsspec knows, such as ``s3://bucket/name``.

Files have their name once they are whole.
"""

from __future__ import annotations

import errno
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import polars as pl

from wirecost.system.errors import UserError
from wirecost.system.foreign import shown
from wirecost.system.regular_file import read_regular
from wirecost.system.whole_file import made_folder, remove_empty, replaced

WHOLE = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl"})
"""Protocols by which an object appears whole; elsewhere it is renamed."""

PARTITION = re.compile(r"\b(campaign|scenario|host)=[^/]*")
"""Folders of a store: in its own path, readers of Parquet would take it for one of them."""


class StorePlace(Protocol):
    """Names are relative, with ``/``. All raise OSError; ``read`` FileNotFoundError too."""

    def __str__(self) -> str: ...

    def read(self, name: str, most: int) -> bytes:
        """Return a file of at most so many bytes."""

    def read_all(self, names: list[str]) -> Iterator[bytes]:
        """Yield those files, in that order."""

    def write(self, name: str, data: bytes) -> None:
        """Whole, in the place of what was there."""

    def remove(self, name: str) -> None:
        """With the folders that are empty then. Nothing if it is not there."""

    def names(self, folder: str) -> list[str]:
        """Return all Parquet files below that folder, sorted."""

    def is_other(self) -> bool:
        """Return whether something is there, other than an empty folder."""

    def scan(self, folder: str) -> pl.LazyFrame:
        """Return all Parquet files below that folder, with the columns of their hive partitions."""


def place_of(named: str | Path) -> StorePlace:
    """Raise UserError for a URL that cannot be used here."""
    text = str(named)
    if match := PARTITION.search(text):
        raise UserError(f"{text}: {match[0]} in it is read as a column; name another place")
    if "\\" in text:
        raise UserError(f"{text}: DuckDB cannot read below a backslash; name another place")
    return _Url(text) if "://" in text else _Folder(Path(text))


class _Folder:
    def __init__(self, path: Path) -> None:
        self._path = path

    def __str__(self) -> str:
        return str(self._path)

    def read(self, name: str, most: int) -> bytes:
        return read_regular(self._path / name, most)

    def read_all(self, names: list[str]) -> Iterator[bytes]:
        for name in names:
            yield (self._path / name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        path = self._path / name
        with made_folder(path.parent), replaced(path) as file:
            file.write_bytes(data)

    def remove(self, name: str) -> None:
        (self._path / name).unlink(missing_ok=True)
        # Nobody else writes a store, and an empty folder says nothing.
        remove_empty(self._path / parent for parent in Path(name).parents)

    def names(self, folder: str) -> list[str]:
        listed = (self._path / folder).rglob("*.parquet")
        return sorted(path.relative_to(self._path).as_posix() for path in listed)

    def is_other(self) -> bool:
        path = self._path
        return path.exists() and (not path.is_dir() or any(path.iterdir()))

    def scan(self, folder: str) -> pl.LazyFrame:
        # A pattern would be one in the store's own path too.
        return pl.scan_parquet(
            [self._path / name for name in self.names(folder)], glob=False, hive_partitioning=True,
            missing_columns="insert", extra_columns="ignore",
        )  # fmt: skip


class _Url:
    def __init__(self, url: str) -> None:
        try:
            import fsspec  # noqa: PLC0415 - of an extra

            self._system, self._root = fsspec.core.url_to_fs(url)
        except ImportError as error:
            why = f"{shown(error)}; pip install 'wirecost[campaign]'"
            raise UserError(f"{url}: cannot be reached: {why}") from error
        except (ValueError, OSError) as error:
            why = "name a folder, or a URL as fsspec has them"
            raise UserError(f"{url}: {shown(error)}; {why}") from error
        self._url = url
        self._whole = url.partition("://")[0] in WHOLE

    def __str__(self) -> str:
        return self._url

    def read(self, name: str, most: int) -> bytes:
        with self._errors(name):
            data: bytes = self._system.cat_file(self._path(name), start=0, end=most + 1)
        if len(data) > most:
            raise OSError(errno.EFBIG, f"has more than {most:,} bytes", f"{self._url}/{name}")
        return data

    def read_all(self, names: list[str]) -> Iterator[bytes]:
        if not names:
            return
        with self._errors(""):
            contents: dict[str, bytes] = self._system.cat([self._path(name) for name in names])
        for name in names:
            yield contents[self._path(name)]

    def write(self, name: str, data: bytes) -> None:
        path = self._path(name)
        with self._errors(name):
            self._system.makedirs(path.rpartition("/")[0], exist_ok=True)
            if self._whole:
                self._system.pipe_file(path, data)
                return
            folder, _, own = path.rpartition("/")
            temporary = f"{folder}/.{own}.{secrets.token_hex(4)}.new"
            self._system.pipe_file(temporary, data)
            self._system.mv(temporary, path)

    def remove(self, name: str) -> None:
        with self._errors(name):
            if self._system.exists(self._path(name)):
                self._system.rm_file(self._path(name))

    def names(self, folder: str) -> list[str]:
        with self._errors(folder):
            self._system.invalidate_cache()
            path = self._path(folder)
            listed = self._system.find(path) if self._system.exists(path) else []
        begin = len(self._root.rstrip("/")) + 1
        return sorted(name[begin:] for name in listed if name.endswith(".parquet"))

    def is_other(self) -> bool:
        with self._errors(""):
            self._system.invalidate_cache()
            return bool(self._system.exists(self._root)) and bool(self._system.find(self._root))

    def scan(self, folder: str) -> pl.LazyFrame:
        from pyarrow import dataset  # noqa: PLC0415 - of an extra

        with self._errors(folder):
            table = dataset.dataset(
                self._path(folder), filesystem=self._system, format="parquet",
                partitioning="hive", partition_base_dir=self._path(folder.partition("/")[0]),
            )  # fmt: skip
        return pl.scan_pyarrow_dataset(table)

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}"

    @contextmanager
    def _errors(self, name: str) -> Iterator[None]:
        """Each library of a protocol has errors of its own."""
        try:
            yield
        except OSError:
            raise
        except Exception as error:
            url = f"{self._url}/{name}" if name else self._url
            raise OSError(errno.EIO, shown(error), url) from error


def scanned(place: StorePlace, kind: str) -> dict[str, pl.LazyFrame]:
    """Return a kind's files by ``campaign=…/scenario=…``: scenarios have columns of their own."""
    folders = {"/".join(name.split("/")[:3]) for name in place.names(kind)}
    return {folder: place.scan(folder) for folder in sorted(folders)}
