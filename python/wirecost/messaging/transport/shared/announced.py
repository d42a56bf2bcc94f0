# SPDX-License-Identifier: Apache-2.0
"""Publishers of this user that are open on this machine.

They are found by the files that they keep their progress in.
"""

from __future__ import annotations

import os
import stat
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

from wirecost.messaging.transport.shared.progress import (
    BEFORE,
    FOLDER,
    MOST_ANNOUNCED,
    PATTERN,
    SENT,
)
from wirecost.messaging.transport.shared.rendezvous import private_folder
from wirecost.system.locks import of_the_dead


@dataclass(frozen=True)
class Announced:
    """A publisher that is open, in whatever process of this user."""

    sent: int
    """Frames that were sent up to now."""
    text: bytes
    """Its announcement, of which only the length and the checksum were checked."""


def announced() -> list[Announced]:
    """Return all that have announced themselves.

    Files of processes that have ended are removed; damaged ones, and those of publishers that
    announced nothing, are left out. Raises UserError where this user has no private folder.
    """
    folder = private_folder(FOLDER)
    return [
        announcement
        for path in sorted(folder.glob(PATTERN))
        if (announcement := _announced(path)) is not None
    ]


def _announced(path: Path) -> Announced | None:
    if (progress := of_the_dead(path)) is not None:
        progress.release()
        return None
    try:
        # A FIFO would block.
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return None
        content = os.pread(file, SENT.size + BEFORE.size + MOST_ANNOUNCED, 0)
        (sent,) = SENT.unpack_from(content)
        length, checksum = BEFORE.unpack_from(content, SENT.size)
    except (OSError, struct.error):
        return None
    finally:
        os.close(file)
    text = content[SENT.size + BEFORE.size :][:length]
    # It may be just being written.
    whole = len(text) == length and zlib.crc32(text) == checksum
    return Announced(sent, text) if text and whole else None
