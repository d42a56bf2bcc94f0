# SPDX-License-Identifier: Apache-2.0
"""How a request or a reply says which call it belongs to.

Cyclone's middleware puts 16 bytes before the content: the client's number and the call's. All
others use what DDS has for it: a sample's identity, and the identity of the sample it answers.
"""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.replay.dds.cdr import HEADER_BYTES

CYCLONE = 0x0110
_NUMBERS_BYTES = 16
_NOBODY = bytes(16)


@dataclass(frozen=True)
class Letter:
    """A received message with its names; as ``_dds.Inbox.take`` gives it."""

    received_ns: int
    source_ns: int
    writer: bytes
    sequence: int
    answered_writer: bytes
    answered_sequence: int
    message: bytes


@dataclass(frozen=True)
class Call:
    """What belongs together: one client's one call. ``client`` has 8 bytes with Cyclone, else 16;
    ``sequence`` is 8 bytes as sent with Cyclone, else a number."""

    client: bytes
    sequence: bytes | int


def open_request(letter: Letter, vendor: int) -> tuple[Call, bytes] | None:
    """The call and the content without numbers; None where the message is too short for them."""
    if vendor == CYCLONE:
        return _without_numbers(letter.message)
    # A client names the reader that it awaits the reply with, if it names anything.
    named = letter.answered_writer != _NOBODY
    client = letter.answered_writer if named else letter.writer
    return Call(client, letter.sequence), letter.message


def open_reply(letter: Letter, vendor: int) -> tuple[Call, bytes] | None:
    if vendor == CYCLONE:
        return _without_numbers(letter.message)
    return Call(letter.answered_writer, letter.answered_sequence), letter.message


def with_numbers(call: Call, content: bytes) -> bytes:
    """Cyclone's message of a content."""
    assert isinstance(call.sequence, bytes)
    return content[:HEADER_BYTES] + call.client + call.sequence + content[HEADER_BYTES:]


def _without_numbers(message: bytes) -> tuple[Call, bytes] | None:
    end = HEADER_BYTES + _NUMBERS_BYTES
    if len(message) < end:
        return None
    numbers = message[HEADER_BYTES:end]
    return Call(numbers[:8], numbers[8:]), message[:HEADER_BYTES] + message[end:]
