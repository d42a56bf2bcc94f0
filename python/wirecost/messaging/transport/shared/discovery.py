# SPDX-License-Identifier: Apache-2.0
"""Discovery of servers, for middlewares whose publishers are servers.

They are at one address that is given, or on this machine by one small file each, in a folder a
path, locked while its process lives.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wirecost.messaging.transport.shared.rendezvous import private_folder
from wirecost.system import scratch
from wirecost.system.errors import UserError

_NAME = re.compile(r"[0-9a-f]{16}(\.new)?")
_UNFINISHED_S = 2.0
"""Seconds after which a file without a lock is none that is being made."""


def path_of(kind: str, name: str) -> str:
    """Return ``/kind/name``, any characters allowed. Raises UserError for too long names."""
    quoted = urllib.parse.quote(name, safe="")
    if not name or len(quoted) > 200:
        raise UserError(f"{kind} {name!r}: a name of 1 to 200 bytes is needed")
    return f"/{kind}/{quoted}"


def _file_name(path: str) -> str:
    return urllib.parse.quote(path, safe="")


class Offer:
    """A file by which others find a server of this process that has ``path``.

    It is there until it is closed or its process killed.
    """

    def __init__(self, folder: Path, path: str, address: str) -> None:
        place = folder / _file_name(path)
        self._file = place / secrets.token_hex(8)
        unready = self._file.with_suffix(".new")
        self._descriptor = -1
        while self._descriptor < 0:
            place.mkdir(0o700, exist_ok=True)
            # The last offer of another process may have removed the folder.
            with suppress(FileNotFoundError):
                self._descriptor = os.open(
                    unready, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600
                )
        os.write(self._descriptor, address.encode())
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        unready.rename(self._file)  # nobody sees it unlocked

    def close(self) -> None:
        """Take it back. A second call does nothing."""
        if self._descriptor >= 0:
            self._file.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = -1
            with suppress(OSError):  # others offer it too
                self._file.parent.rmdir()


def offered(folder: Path, path: str) -> list[str]:
    """Return addresses of the servers that have ``path``. Files of killed processes are removed."""
    return _living(folder / _file_name(path))


def sweep(folder: Path) -> None:
    """Remove what killed processes left."""
    for place in folder.iterdir():
        # The folder may be one that other things lie in.
        if place.name.startswith(_file_name("/")):
            _living(place)


def _living(place: Path) -> list[str]:
    """Return the contents of a folder's locked files.

    The others are removed, and the folder with the last of them.
    """
    addresses = []
    removed = False
    try:
        files = list(place.iterdir())
    except OSError:
        return []
    for file in files:
        if not _NAME.fullmatch(file.name):
            continue
        try:
            descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            if not file.suffix:
                addresses.append(os.read(descriptor, 256).decode(errors="replace"))
        else:
            if not file.suffix or time.time() - os.fstat(descriptor).st_ctime > _UNFINISHED_S:
                file.unlink(missing_ok=True)
                removed = True
        finally:
            os.close(descriptor)
    if removed:
        with suppress(OSError):
            place.rmdir()
    return addresses


class Servers:
    """The servers of one middleware: a folder of offers, or one address."""

    def __init__(self, name: str, address: str | None) -> None:
        """Look in the folder ``address``; None: this user's; else it is where one server is."""
        if address is None:
            address = str(private_folder(name))
        self.folder = Path(address) if address.startswith("/") else None
        self.address = address

    def of(self, path: str) -> list[str]:
        """Return the addresses to look for a topic or service at."""
        return [self.address] if self.folder is None else offered(self.folder, path)

    def offer(self, path: str, address: str) -> Offer | None:
        """Let others find a server of this process, where they do not know its address."""
        if self.folder is None:
            return None
        sweep(self.folder)
        return Offer(self.folder, path, address)

    @staticmethod
    @contextmanager
    def of_their_own() -> Iterator[str]:
        """Return the address of a folder that nobody else uses."""
        with scratch.folder("offers") as folder:
            yield str(folder)


class Following:
    """Threads, one for each server of a path, while they come and go."""

    EVERY_S = 0.05

    def __init__(
        self, servers: Servers, path: str, follow: Callable[[str, threading.Event], None]
    ) -> None:
        """Follow the servers of a path, each in a thread.

        ``follow(address, ended)`` returns when that server cannot be reached or has gone, and once
        ``ended`` is set; whoever sets it by ``close`` makes it return by other means.
        """
        self._servers = servers
        self._path = path
        self._follow = follow
        self._followed: set[str] = set()
        self._ended = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while not self._ended.is_set():
            for address in self._servers.of(self._path):
                if address not in self._followed:
                    self._followed.add(address)
                    threading.Thread(target=self._one, args=(address,), daemon=True).start()
            self._ended.wait(self.EVERY_S)

    def _one(self, address: str) -> None:
        try:
            self._follow(address, self._ended)
        finally:
            # Not at once again: what answers here may be a stranger.
            self._ended.wait(self.EVERY_S)
            self._followed.discard(address)

    def close(self) -> None:
        """Follow no more servers."""
        self._ended.set()
