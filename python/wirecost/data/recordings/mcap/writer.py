# SPDX-License-Identifier: Apache-2.0
"""Writes an MCAP file: schemas and channels once, messages in chunks with an index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any, NamedTuple

from mcap.writer import CompressionType, Writer

CHUNK_BYTES = 1 << 20


class McapSchema(NamedTuple):
    """Name of a type, encoding of its definition, and this."""

    type: str
    encoding: str
    definition: bytes


class McapWriter:
    """Writes to ``file``, whose errors pass. Nothing is whole before ``finish``.

    ``compression``: zstd, lz4 or none.
    """

    def __init__(
        self,
        file: IO[bytes] | Any,
        profile: str = "",
        compression: str = "zstd",
        chunk_bytes: int = CHUNK_BYTES,
    ) -> None:
        self._writer = Writer(file, chunk_bytes, CompressionType[compression.upper()])
        self._schemas: dict[McapSchema, int] = {}
        self._channels: dict[object, int] = {}
        self._sequences: dict[int, int] = {}
        self._writer.start(profile, "wirecost")

    def add_metadata(self, name: str, values: Mapping[str, str]) -> None:
        self._writer.add_metadata(name, dict(values))

    def channel(
        self, topic: str, wire: str, schema: McapSchema, about: Mapping[str, str] | None = None
    ) -> int:
        """Return the number of the channel that is described so."""
        about = about or {}
        if schema not in self._schemas:
            self._schemas[schema] = self._writer.register_schema(*schema)
        key = (topic, wire, schema, tuple(about.items()))
        if key not in self._channels:
            self._channels[key] = self._writer.register_channel(
                topic, wire, self._schemas[schema], dict(about)
            )
        return self._channels[key]

    def write(
        self,
        channel: int,
        log_ns: int,
        data: bytes | memoryview,
        publish_ns: int | None = None,
        missed: int = 0,
    ) -> None:
        """Write a message; a time before 1970, which MCAP cannot hold, becomes 0.

        ``missed``: messages that are missing before it, whose numbers are left out.
        """
        sequence = (self._sequences.get(channel, 0) + missed) & 0xFFFFFFFF
        self._sequences[channel] = (sequence + 1) & 0xFFFFFFFF
        published = log_ns if publish_ns is None else publish_ns
        # The library asks for bytes and takes whatever lies in memory as they do.
        self._writer.add_message(channel, max(log_ns, 0), data, max(published, 0), sequence)  # type: ignore[arg-type]

    def flush(self) -> None:
        """Close the chunk: what was written is readable whatever comes after."""
        self._writer.flush()  # type: ignore[no-untyped-call]

    def finish(self) -> None:
        self._writer.finish()  # type: ignore[no-untyped-call]
