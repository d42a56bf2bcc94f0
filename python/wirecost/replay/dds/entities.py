# SPDX-License-Identifier: Apache-2.0
"""``rmw_dds_common/msg/ParticipantEntitiesInfo``: a participant's nodes, and their endpoints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirecost.data.messages.cdr_values import CdrError, Reader, Writer

GUID_BYTES = 16
# Sizes of ROS 2 since Iron and before (the GUID, then zeros).
_GID_BYTES = (GUID_BYTES, 24)
# CDR may pad a message to a multiple of four.
_PADDING_BYTES = 3


@dataclass(frozen=True)
class NodeEntities:
    """A node by its full name, with GUIDs."""

    name: str
    readers: Sequence[bytes]
    writers: Sequence[bytes]


@dataclass(frozen=True)
class ParticipantEntities:
    participant: bytes
    nodes: Sequence[NodeEntities]


def _gids(reader: Reader, gid_bytes: int) -> list[bytes]:
    return [_gid(reader, gid_bytes) for _ in range(reader.count(gid_bytes))]


def _gid(reader: Reader, gid_bytes: int) -> bytes:
    gid = reader.octets(gid_bytes)
    if any(gid[GUID_BYTES:]):
        raise CdrError("a GUID of more than 16 bytes")
    return gid[:GUID_BYTES]


def _read(message: bytes, gid_bytes: int) -> ParticipantEntities:
    reader = Reader(message)
    participant = _gid(reader, gid_bytes)
    nodes = []
    # Two strings and two counts are the least of a node.
    for _ in range(reader.count(16)):
        namespace, name = reader.string(), reader.string()
        readers, writers = _gids(reader, gid_bytes), _gids(reader, gid_bytes)
        nodes.append(NodeEntities(f"{namespace.rstrip('/')}/{name}", readers, writers))
    if reader.remaining > _PADDING_BYTES:
        raise CdrError(f"{reader.remaining} bytes too many")
    return ParticipantEntities(participant, nodes)


def read(message: bytes) -> ParticipantEntities:
    """Either size of GUID.

    Raises:
        CdrError: the message is neither.
    """
    try:
        return _read(message, _GID_BYTES[0])
    except CdrError:
        return _read(message, _GID_BYTES[1])


def write(entities: ParticipantEntities, gid_bytes: int = GUID_BYTES) -> bytes:
    writer = Writer()
    writer.octets(entities.participant.ljust(gid_bytes, b"\0"))
    writer.scalar("I", len(entities.nodes))
    for node in entities.nodes:
        namespace, _, name = node.name.rpartition("/")
        writer.string(namespace or "/")
        writer.string(name)
        for gids in (node.readers, node.writers):
            writer.scalar("I", len(gids))
            writer.octets(b"".join(gid.ljust(gid_bytes, b"\0") for gid in gids))
    return writer.message()
