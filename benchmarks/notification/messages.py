# SPDX-License-Identifier: Apache-2.0
"""The messages that are sent: seeded, and the same on every wire."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from string import ascii_lowercase
from typing import Any

MESSAGES = 256
"""Distinct messages of a content; small ones stay below 256 KiB together."""
ID_BYTES = 16
EPOCH_US = 1_339_762_980_000_000
"""2012-06-15."""
GAP_US = (900, 1100)
"""Between two events."""


@dataclass(frozen=True)
class NotificationContent:
    """The messages of a case: ``ticket`` or ``realistic``, with texts of about ``factor`` bytes."""

    kind: str
    factor: int
    seed: int

    @property
    def case(self) -> str:
        return f"{self.kind}, size factor {self.factor}"

    def messages(self, message_class: Any) -> list[Any]:
        """Fill messages of Google's class of the notification."""
        messages = [message_class() for _ in range(MESSAGES)]
        random = _Random(self.seed)
        if self.kind == "ticket":
            for message in messages:
                _fill_as_ticket(message, self.factor, random)
            return messages
        now_us = EPOCH_US
        for message in messages:
            now_us += random.randint(*GAP_US)
            _fill_realistic(message, self.factor, now_us, random)
        return messages


class _Random(Random):
    def letters(self, size: int) -> bytes:
        return "".join(self.choices(ascii_lowercase, k=size)).encode()

    def characters(self, size: int) -> bytes:
        """Return ASCII but zero: a string of ROS holds text, and one of DDS no zero."""
        return bytes(self.choices(range(1, 128), k=size))


def _fill_as_ticket(message: Any, factor: int, random: _Random) -> None:
    """Fill seven byte strings of length ``factor``, three small numbers, nothing else."""
    message.event_id.sender_id = random.letters(factor)
    message.event_id.sequence_number = random.randint(1, 127)
    for name in ("scope", "wire_schema", "data", "method"):
        setattr(message, name, random.letters(factor))
    message.meta_data.create_time = random.randint(1, 127)
    message.meta_data.send_time = random.randint(1, 127)
    message.meta_data.user_infos.add(key=random.letters(factor), value=random.letters(factor))


def _fill_realistic(message: Any, factor: int, now_us: int, random: _Random) -> None:
    """Fill a message as a running system does.

    It has epoch times, 16-byte ids, some causes, user times and infos of varied lengths.
    ``factor``: mean length of the data and of the infos' values.
    """
    _fill_id(message.event_id, random)
    parts = (random.letters(random.randint(4, most)) for most in (12, 20))
    message.scope = b"/" + b"/".join(parts) + b"/"
    message.wire_schema = b"." + random.letters(random.randint(4, 24))
    message.data = random.characters(random.randint(0, 2 * factor))
    if random.random() < 0.5:
        message.method = random.letters(random.randint(4, 8))
    for _ in range(random.randint(0, 3)):
        _fill_id(message.causes.add(), random)
    meta = message.meta_data
    meta.create_time = now_us
    meta.send_time = now_us + random.randint(10, 200)
    if random.random() < 0.5:
        meta.receive_time = meta.send_time + random.randint(20, 500)
        meta.deliver_time = meta.receive_time + random.randint(5, 50)
    for _ in range(random.randint(0, 2)):
        meta.user_times.add(key=random.letters(random.randint(3, 12)), timestamp=now_us)
    for _ in range(random.randint(0, 3)):
        value = random.letters(random.randint(0, 2 * factor))
        meta.user_infos.add(key=random.letters(random.randint(3, 12)), value=value)


def _fill_id(identity: Any, random: _Random) -> None:
    identity.sender_id = random.characters(ID_BYTES)
    identity.sequence_number = random.randint(0, 1_000_000)


def mirror(message: Any, to: Any) -> Any:
    """Copy a message into one of another class with the same fields.

    The other's texts may be strings, and its fields are always there.
    """
    for field in to.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.is_repeated:
            for element in value:
                mirror(element, getattr(to, field.name).add())
        elif field.message_type is not None:
            mirror(value, getattr(to, field.name))
        else:
            is_text = field.type == field.TYPE_STRING
            setattr(to, field.name, value.decode() if is_text else value)
    return to
