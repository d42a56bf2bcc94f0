# SPDX-License-Identifier: Apache-2.0
"""Rendezvous of the processes of one user on one machine: a private folder with a file a topic.

The kernel's locks show who is alive, so that what a killed process left differs from what is used.
"""

from __future__ import annotations

import hashlib
import os
import random
import secrets
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from wirecost.system import private
from wirecost.system.errors import UserError
from wirecost.system.locks import Lock, hold, of_the_dead

MOST_NAME = 48
"""Characters of a file's name: the path of a Unix socket has at most 107."""
LEAST_NAME = 17
MOST_PATH = 107
DOOR_S = 10.0
"""Seconds to wait for others who take their places at the same moment."""
SWEEP_EVERY_S = 0.2
PORTS = range(20000, 32768)
"""Below those that the kernel gives to clients."""


def private_folder(middleware: str, longest: int = sys.maxsize) -> Path:
    """Return a folder that only this user can enter or replace, made if need be.

    Raises UserError if it is not. ``longest``: characters that its path may have; in place of a
    longer one it is one below /tmp, the same for all who mean the same.
    """
    base = private.runtime_path()
    folder = base / middleware
    if len(os.fsencode(folder)) > longest:
        digest = hashlib.sha256(os.fsencode(base)).hexdigest()[:8]
        base = private.below_tmp()
        folder = base / f"{middleware}-{digest}"
    for place in base, folder:
        private.private_folder(place, "set XDG_RUNTIME_DIR to a folder of your own")
    return folder


def file_name(topic: str, most: int = MOST_NAME) -> str:
    """Return a file's name for a topic, the same for the same and readable where it is short.

    It has ``most`` characters at most, and that at least ``LEAST_NAME``.
    """
    name = quote(topic, safe="")
    if len(name) <= most:
        return name
    return f"{name[: most - 17]}-{hashlib.sha256(topic.encode()).hexdigest()[:16]}"


_swept: dict[tuple[Path, tuple[str, ...]], float] = {}
"""Time at which this process did so last."""


def sweep(folder: Path, *patterns: str) -> None:
    """Remove what killed processes left: locks that nobody holds, with their sockets.

    Not again within ``SWEEP_EVERY_S``: who opens a thousand topics would look at a thousand files
    each time.
    """
    now = time.monotonic()
    if now - _swept.get((folder, patterns), -SWEEP_EVERY_S) < SWEEP_EVERY_S:
        return
    _swept[folder, patterns] = now
    for pattern in patterns:
        for path in folder.glob(pattern):
            if (lock := of_the_dead(path)) is not None:
                lock.release(path.with_suffix(".sock"))


def claim(path: Path, what: str) -> Lock:
    """Return the right to be the one process of ``path``. Raises UserError if another is it."""
    sweep(path.parent, "*.lock", "*.port")
    try:
        return hold(path)
    except BlockingIOError:
        raise UserError(f"{what} has one already, in this process or another: end it") from None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; make room, or set XDG_RUNTIME_DIR") from error


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Let one process after the other inside, for the folder. Raises UserError."""
    try:
        door = hold(folder / "door.lock", patience_s=DOOR_S)
    except BlockingIOError:
        raise UserError(
            f"{folder}: another process has been coming or going for {DOOR_S:g} s; end it"
        ) from None
    except OSError as error:
        raise UserError(f"{folder}: {error.strerror}; make room, or set XDG_RUNTIME_DIR") from error
    try:
        yield
    finally:
        door.release()


@contextmanager
def meet(folder: Path) -> Iterator[tuple[Lock, Path, list[Path]]]:
    """Take a place in ``folder`` as one of several.

    Returns its lock, its socket's path, and the sockets of those who came before. Of any two,
    exactly the later one knows of the other, which listens: who comes does so inside.
    """
    with alone(folder):
        sockets = []
        for path in folder.glob("*.peer"):
            socket_path = path.with_suffix(".sock")
            try:
                lock = hold(path, create=False, patience_s=0)
            except BlockingIOError:
                sockets.append(socket_path)
            except FileNotFoundError:
                continue
            else:
                lock.release(*beside(socket_path))
        path = folder / f"{os.getpid()}-{secrets.token_hex(4)}.peer"
        yield hold(path), path.with_suffix(".sock"), sockets


def beside(socket_path: Path) -> tuple[Path, Path]:
    """Return a Unix socket's file and the one that zenoh locks while it listens."""
    return socket_path, socket_path.with_name(socket_path.name + ".lock")


def port_of(path: Path, usable: Callable[[int], bool] | None = None) -> tuple[Lock, int]:
    """Return the TCP port in ``path``, chosen by whoever comes first, and kept by its users."""
    while True:
        with suppress(FileNotFoundError):
            lock = hold(path, shared=True, create=False)
            text = lock.read()
            if text.isdecimal() and int(text) in PORTS:
                return lock, int(text)
            lock.release()
            raise UserError(f"{path}: holds no port; remove it")
        used_ports = {used.read_text() for used in path.parent.glob("*.port")}
        port = next(
            port
            for port in random.sample(PORTS, len(PORTS))
            if str(port) not in used_ports and (usable or _is_free)(port)
        )
        # Written before it has its name, so that nobody sees it empty.
        draft = path.with_suffix(f".{os.getpid()}")
        draft.write_text(str(port))
        with suppress(FileExistsError):
            path.hardlink_to(draft)
        draft.unlink()


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return True
    return False
