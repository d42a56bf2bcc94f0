# SPDX-License-Identifier: Apache-2.0
"""Kind of an executable, by its ELF header and program headers."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path

MAGIC = b"\x7fELF"
PT_INTERP, PT_DYNAMIC = 3, 2
MOST_HEADERS, LONGEST_INTERPRETER = 4096, 4096


@dataclass(frozen=True)
class Elf:
    """Header of an ELF file.

    ``bits`` 32 or 64; ``machine`` as in elf.h; ``loader``: the path of the dynamic loader, None
    in a static program; ``dynamic``: whether there is a dynamic section.
    """

    bits: int
    machine: int
    loader: str | None
    dynamic: bool


def read_elf(path: Path) -> Elf | None:
    """Return None where the file is no ELF file or a damaged one. Raises OSError."""
    with path.open("rb") as file:
        file_size = os.fstat(file.fileno()).st_size
        ident = file.read(64)
        if len(ident) < 52 or ident[:4] != MAGIC or ident[4] not in (1, 2):
            return None
        bits = 32 if ident[4] == 1 else 64
        order = ">" if ident[5] == 2 else "<"
        layout, at = ("I", 28) if bits == 32 else ("Q", 32)
        if len(ident) < (52 if bits == 32 else 64):
            return None
        (machine,) = struct.unpack_from(order + "H", ident, 18)
        (table,) = struct.unpack_from(order + layout, ident, at)
        size, count = struct.unpack_from(order + "HH", ident, 42 if bits == 32 else 54)
        if size < (32 if bits == 32 else 56) or count > MOST_HEADERS or table > file_size:
            return None
        file.seek(table)
        headers = file.read(size * count)
        loader, dynamic = None, False
        for start in range(0, len(headers) - size + 1, size):
            (kind,) = struct.unpack_from(order + "I", headers, start)
            dynamic |= kind == PT_DYNAMIC
            if kind == PT_INTERP:
                place, length = _extent(headers, start, bits, order)
                file.seek(min(place, file_size))
                text = file.read(min(length, LONGEST_INTERPRETER))
                loader = text.partition(b"\0")[0].decode("utf-8", "replace")
        return Elf(bits, machine, loader, dynamic)


def _extent(headers: bytes, start: int, bits: int, order: str) -> tuple[int, int]:
    """Return a segment's offset in the file and its length there."""
    if bits == 32:
        place, _, _, length = struct.unpack_from(order + "4I", headers, start + 4)
    else:
        place, _, _, length = struct.unpack_from(order + "4Q", headers, start + 8)
    return place, length
