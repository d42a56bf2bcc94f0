# SPDX-License-Identifier: Apache-2.0
"""Envelopes, which say which call a request or a reply belongs to.

Cyclone's middleware puts 16 bytes before the content: the client's number and the call's. All
others use what DDS has for it: a sample's identity, and the identity of the sample it answers.
"""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.data.messages.cdr import HEADER_BYTES

CYCLONE = 0x0110
_NUMBERS_BYTES = 16
_NOBODY = bytes(16)


@dataclass(frozen=True)
class Envelope:
    """A received message and what identifies it, as ``_dds.Inbox.take`` returns it."""

    received_ns: int
    source_ns: int
    writer: bytes
    sequence: int
    answered_writer: bytes
    answered_sequence: int
    message: bytes


@dataclass(frozen=True)
class Call:
    """Identity of one client's one call.

    ``client`` has 8 bytes with Cyclone, else 16; ``sequence`` is 8 bytes as sent with Cyclone, else
    a number.
    """

    client: bytes
    sequence: bytes | int


def open_request(received: Envelope, vendor: int) -> tuple[Call, bytes] | None:
    """Return the call and the content without numbers; None where the message is too short."""
    if vendor == CYCLONE:
        return _without_numbers(received.message)
    # A client may give the reader by which it awaits the reply.
    named = received.answered_writer != _NOBODY
    client = received.answered_writer if named else received.writer
    return Call(client, received.sequence), received.message


def open_reply(received: Envelope, vendor: int) -> tuple[Call, bytes] | None:
    if vendor == CYCLONE:
        return _without_numbers(received.message)
    return Call(received.answered_writer, received.answered_sequence), received.message


def with_numbers(call: Call, content: bytes) -> bytes:
    """Return Cyclone's message of a content."""
    assert isinstance(call.sequence, bytes)
    return content[:HEADER_BYTES] + call.client + call.sequence + content[HEADER_BYTES:]


def _without_numbers(message: bytes) -> tuple[Call, bytes] | None:
    end = HEADER_BYTES + _NUMBERS_BYTES
    if len(message) < end:
        return None
    numbers = message[HEADER_BYTES:end]
    return Call(numbers[:8], numbers[8:]), message[:HEADER_BYTES] + message[end:]
