# SPDX-License-Identifier: Apache-2.0
"""Names of topics in another process's memory, behind rcl's handles of publishers and takers."""

from __future__ import annotations

import os
import struct
from contextlib import suppress

PRIVATE_BYTES, LONGEST = 1024, 256
"""Bytes of rcl's private part of a handle that are looked through, and of a topic's name."""
LAYOUT = struct.Struct("<QQQ")
"""Of a handle of rmw, public and the same in all ROS 2: implementation, data, topic's name."""
UNKNOWN = "?"


def topic_of(pid: int, address: int) -> str:
    """Return the topic of a handle of rcl, UNKNOWN where none is found.

    Its private part differs between versions of ROS 2, but always holds the handle of rmw.
    """
    try:
        memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
    except OSError:
        return UNKNOWN
    try:
        (private,) = struct.unpack("<Q", _read(memory, address, 8))
        words = _read(memory, private, PRIVATE_BYTES)
        for (word,) in struct.iter_unpack("<Q", words[: len(words) // 8 * 8]):
            with suppress(OSError, struct.error, UnicodeError, OverflowError):
                implementation, _, name = LAYOUT.unpack(_read(memory, word, LAYOUT.size))
                topic = _text(memory, name)
                if _text(memory, implementation).startswith("rmw_") and topic.startswith("/"):
                    return topic
    except (OSError, struct.error, OverflowError):
        pass
    finally:
        os.close(memory)
    return UNKNOWN


def _read(memory: int, address: int, size: int) -> bytes:
    """Return what lies at an address, less where less is mapped. Raises OSError."""
    if not 4096 <= address < 1 << 47:
        raise OSError
    return os.pread(memory, size, address)


def _text(memory: int, address: int) -> str:
    text = _read(memory, address, LONGEST).partition(b"\0")[0].decode("ascii")
    if not text.isprintable():
        raise UnicodeError
    return text
