# SPDX-License-Identifier: Apache-2.0
"""A ring's file: what it is, and which message each of its slots holds (docs/formats).

The sender locks it as long as it lives, so that a receiver notices when it has ended. The numbers
are read and written by system calls, not mapped: a file that somebody shortens ends no process.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
import struct
from contextlib import suppress
from pathlib import Path

from wirecost.messaging.tensor.errors import FrameError, LostError
from wirecost.messaging.tensor.ipc.driver import HANDLE_BYTES, UUID_BYTES
from wirecost.system import private
from wirecost.system.errors import UserError
from wirecost.system.locks import hold, of_the_dead

FOLDER = "devices"
SLOTS = 16
"""Messages in a ring, as many as may wait for a listener by default."""
MAGIC = b"WCRING\0\1"
ABOUT = struct.Struct(f"<8s{UUID_BYTES}s{HANDLE_BYTES}sQ")
STATE = struct.Struct("<Q")
FILE_BYTES = ABOUT.size + SLOTS * STATE.size
TOKEN_BYTES = 16
_REMEDY = 'let the sender send by way of the host: use_devices(device_to_host="pinned")'


def folder() -> Path:
    """Return the folder of this user's rings on this machine. Raises UserError."""
    base = private.runtime_path()
    for folder in (base, base / FOLDER):
        private.private_folder(folder, "set XDG_RUNTIME_DIR to a folder of your own")
    return base / FOLDER


def _name(token: bytes) -> str:
    return f"{token.hex()}.ring"


def _place(number: int) -> int:
    """Return the place of the state of the slot that a message lies in."""
    return ABOUT.size + number % SLOTS * STATE.size


class RingFile:
    """Sender's side. Messages are numbered from 1; message n lies in slot n modulo SLOTS."""

    def __init__(self, uuid: bytes, handle: bytes, slot_bytes: int) -> None:
        """Make the file. Raises UserError."""
        self.token = secrets.token_bytes(TOKEN_BYTES)
        home = folder()
        for ring_path in home.glob("*.ring"):
            if (lock := of_the_dead(ring_path)) is not None:
                lock.release()
        path = home / _name(self.token)
        try:
            self._lock = hold(path)
            content = ABOUT.pack(MAGIC, uuid, handle, slot_bytes).ljust(FILE_BYTES, b"\0")
            os.pwrite(self._lock.fileno(), content, 0)
        except OSError as error:
            raise UserError(
                f"{path}: {error.strerror}; make room, or set XDG_RUNTIME_DIR"
            ) from error

    def begin(self, number: int) -> None:
        """Begin a message: whoever reads its slot's former one has lost it."""
        os.pwrite(self._lock.fileno(), STATE.pack(2 * number - 1), _place(number))

    def end(self, number: int) -> None:
        """Count the message, once it is there."""
        os.pwrite(self._lock.fileno(), STATE.pack(2 * number), _place(number))

    def close(self) -> None:
        """Take it away; who holds it open sees that its slots are empty.

        A second call does nothing.
        """
        if self._lock.fileno() >= 0:
            with suppress(OSError):  # something else is in its place, which stays
                os.pwrite(self._lock.fileno(), bytes(SLOTS * STATE.size), ABOUT.size)
                self._lock.release()


class FollowedFile:
    """A receiver's side."""

    def __init__(self, token: bytes) -> None:
        """Open a file of this user's. Raises FrameError where there is none, and UserError."""
        home = private.runtime_path() / FOLDER
        path = home / _name(token)
        try:
            if home.is_dir():  # who was sent such a frame needs none
                private.private_folder(home, "set XDG_RUNTIME_DIR to a folder of your own")
            # A FIFO would block.
            flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
            self._file = os.open(path, flags)
        except OSError as error:
            raise FrameError(
                f"frame: its tensors lie on a device of a process that {path.parent} knows nothing"
                " of: it has ended, or is on another machine, of another user or with another"
                f" XDG_RUNTIME_DIR; {_REMEDY}"
            ) from error
        try:
            status = os.fstat(self._file)
            sound = stat.S_ISREG(status.st_mode) and status.st_size == FILE_BYTES
            own = status.st_uid == os.geteuid() and not status.st_mode & 0o077
            content = os.pread(self._file, ABOUT.size, 0) if sound and own else b""
            if not content.startswith(MAGIC) or len(content) != ABOUT.size:
                raise FrameError(f"frame: {path} is no ring of a sender of yours; remove it")
            _, self.uuid, self.handle, self.slot_bytes = ABOUT.unpack(content)
        except BaseException:
            self.close()
            raise

    def check(self, number: int) -> None:
        """Check that a message is still there, and its sender too. Raises LostError."""
        state = os.pread(self._file, STATE.size, _place(number))
        if state != STATE.pack(2 * number):
            raise LostError(
                "frame: its tensors on a device were overwritten, or their sender ended, before"
                f" they were copied; receive within {SLOTS} messages, or {_REMEDY}"
            )
        self.check_sender()

    def check_sender(self) -> None:
        """Raise LostError where its process has ended without closing the ring."""
        if self.ended():
            raise LostError("frame: its tensors on a device are gone: their sender was killed")

    def ended(self) -> bool:
        """Return whether nobody holds the file's lock any more."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        fcntl.flock(self._file, fcntl.LOCK_UN)
        return True

    def close(self) -> None:
        """Close it. To be called once."""
        os.close(self._file)
