# SPDX-License-Identifier: Apache-2.0
"""The text of a trace's metadata: in packets, as LTTng writes it, or as it is."""

from __future__ import annotations

import struct
from pathlib import Path

from wirecost.results.records.ctf.tokens import TsdlError
from wirecost.system.regular_file import read_regular

MAGIC = 0x75D11D57
LARGEST = 32 << 20
HEADER = struct.Struct("I16sIIIBBBBB")
"""Header without the alignment of C: magic, UUID, checksum, sizes of content and packet in bits,
compression, encryption, checksum scheme, major, minor."""


def metadata_text(path: Path) -> str:
    """Return the text of a trace's metadata. Raises TsdlError and OSError."""
    content = read_regular(path, LARGEST)
    for order in "<>":
        if content[:4] == struct.pack(order + "I", MAGIC):
            return _unpacked(content, order).decode("utf-8", "replace")
    if not content.lstrip().startswith(b"/* CTF 1"):
        raise TsdlError("no CTF 1.8 metadata")
    return content.decode("utf-8", "replace")


def _unpacked(content: bytes, order: str) -> bytes:
    layout = struct.Struct(order + HEADER.format)
    parts = []
    at = 0
    while at + layout.size <= len(content):
        magic, _, _, bits, packet_bits, compression, encryption, *_ = layout.unpack_from(
            content, at
        )
        if magic != MAGIC:
            raise TsdlError(f"no packet of metadata at byte {at}")
        if compression or encryption:
            raise TsdlError("compressed or encrypted metadata")
        if packet_bits % 8 or bits % 8 or not 8 * layout.size <= bits <= packet_bits:
            raise TsdlError(f"sizes of the packet of metadata at byte {at} contradict each other")
        parts.append(content[at + layout.size : at + bits // 8])
        at += packet_bits // 8
    return b"".join(parts)
