# SPDX-License-Identifier: Apache-2.0
"""Requests that replies belong to, and recorded replies that requests get."""

from __future__ import annotations

from wirecost.replay.dds import envelope
from wirecost.replay.dds.envelope import CYCLONE, Envelope

FAST = 0x010F
HEADER, NOBODY = b"\0\1\0\0", bytes(16)
CLIENT, READER, SERVER = b"c" * 16, b"r" * 16, b"s" * 16


def received(message: bytes, writer: bytes, sequence: int, answered: tuple[bytes, int]) -> Envelope:
    return Envelope(1, 1, writer, sequence, *answered, message)


def test_cyclone_numbers_stand_before_the_content() -> None:
    numbers = bytes(range(16))
    sent = received(HEADER + numbers + b"body", CLIENT, 7, (NOBODY, 0))
    opened = envelope.open_request(sent, CYCLONE)
    assert opened == (envelope.Call(numbers[:8], numbers[8:]), HEADER + b"body")
    assert envelope.with_numbers(*opened) == sent.message
    assert envelope.open_reply(sent, CYCLONE) == opened


def test_a_message_too_short_for_numbers_is_left() -> None:
    assert (
        envelope.open_request(received(HEADER + bytes(15), CLIENT, 1, (NOBODY, 0)), CYCLONE) is None
    )


def test_others_name_the_message_they_answer() -> None:
    request = received(HEADER + b"ask", CLIENT, 7, (NOBODY, 0))
    reply = received(HEADER + b"tell", SERVER, 1, (CLIENT, 7))
    opened, replied = envelope.open_request(request, FAST), envelope.open_reply(reply, FAST)
    assert opened == (envelope.Call(CLIENT, 7), HEADER + b"ask")
    assert replied == (envelope.Call(CLIENT, 7), HEADER + b"tell")


def test_a_client_may_be_known_by_the_reader_it_waits_with() -> None:
    request = received(HEADER + b"ask", CLIENT, 7, (READER, 0))
    assert envelope.open_request(request, FAST) == (envelope.Call(READER, 7), HEADER + b"ask")
