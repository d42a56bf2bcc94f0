# SPDX-License-Identifier: Apache-2.0
"""Files of messages, each behind its length in 8 bytes, little-endian.

Programs of all languages read and write them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

_LENGTH = struct.Struct("<Q")


def write_content(path: Path, messages: Iterable[bytes]) -> None:
    with path.open("wb") as file:
        for message in messages:
            file.write(_LENGTH.pack(len(message)) + message)


def read_content(path: Path) -> list[bytes]:
    data = path.read_bytes()
    messages, at = [], 0
    while at < len(data):
        (size,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        messages.append(data[at : at + size])
        at += size
    return messages
