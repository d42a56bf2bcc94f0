# SPDX-License-Identifier: Apache-2.0
"""Static data of a ``GroundTruth`` sent once: what differs, and what is named instead.

A complete message holds the static data. A later one holds what differs from it, and depends on no
other message (docs/formats/static-once.md).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError

from wirecost.data.traces import messages, wire

ALWAYS = ("version", "timestamp", "host_vehicle_id")
"""Fields without which a reader that knows nothing of static data cannot place a message."""
KEEP = ("moving_object",)
"""Fields that stay in every message by default: a parked car must not vanish for such a reader."""

Fields = Mapping[int, list[bytes]]
"""Records of a message by field number: an element of a list has a record of its own."""


class MissingStaticError(ValueError):
    """A message names static data that no message before it held."""

    def __init__(self, version: int) -> None:
        super().__init__(f"static data {version:016x} is missing")
        self.version = version


@dataclass(frozen=True)
class Split:
    """Message that was split. ``static``: the complete message to be sent before it, apart."""

    message: bytes
    static: bytes | None
    is_complete: bool


class Splitter:
    """Splits messages one after the other.

    ``keep``: fields that stay in every message; ``repeat_every``: messages after which the static
    data comes again, 0: only when it has changed; ``apart``: complete messages are of their own.
    """

    def __init__(
        self, keep: Iterable[str] = KEEP, repeat_every: int = 0, *, apart: bool = False
    ) -> None:
        self._keep = {messages.PADDING, messages.STATIC_ONCE} | {
            messages.field_number("GroundTruth", name) for name in (*ALWAYS, *keep)
        }
        self._kept = self._keep
        """The same, and fields that were found to change in most messages."""
        self._repeat_every = repeat_every
        self._apart = apart
        self._sequence = 0
        self._static: Fields = {}
        self._static_bytes = 0
        self._version: int | None = None
        self._since = 0
        """Messages since the last complete one."""
        self._changes: Counter[int] = Counter()
        """How many of them differed from the one before, by field."""
        self._last: Fields = {}
        self._resent = 0
        """Bytes of static fields sent again since the last complete message."""

    def split(self, truth: bytes, found: Fields | None = None) -> Split:
        """Split the next message; ``found``: its records where they are known already.

        Raises ValueError on what is no message, or is split already.
        """
        now = records(truth) if found is None else found
        if messages.STATIC_ONCE in now:
            raise ValueError("it is split already")
        is_due = self._repeat_every and self._since >= self._repeat_every
        # Sent again for as many bytes as all of it has, it is better sent anew.
        begins = self._version is None or bool(is_due) or self._resent > self._static_bytes
        static = self._begin(now) if begins else None
        if begins and not self._apart:
            message = truth + static if static is not None else truth
            static = None
        else:
            message = self._difference(now)
        if self._since:
            both = self._last.keys() | now.keys()
            self._changes.update(n for n in both if self._last.get(n) != now.get(n))
        self._last = now
        self._sequence += 1
        self._since += 1
        return Split(message, static, begins)

    def _begin(self, now: Fields) -> bytes:
        """Take new static data; return its mark, or the complete message that is sent apart."""
        often = {number for number, count in self._changes.items() if 2 * count > self._since}
        self._kept = self._keep | often
        self._static = {n: now[n] for n in sorted(now) if n not in self._kept}
        content = joined(self._static)
        self._static_bytes = len(content)
        self._version = int.from_bytes(hashlib.sha256(content).digest()[:8], "little")
        self._since = self._resent = 0
        self._changes.clear()
        named = sorted(self._kept - {messages.STATIC_ONCE})
        mark: dict[str, Any] = {"version": self._version, "complete": True, "kept": named}
        if not self._apart:
            return _marked(**mark, sequence=self._sequence)
        placed = {messages.field_number("GroundTruth", name) for name in ALWAYS} & now.keys()
        return joined({**self._static, **{n: now[n] for n in placed}}) + _marked(**mark)

    def _difference(self, now: Fields) -> bytes:
        """Return the message that holds what differs from the static data."""
        held: dict[int, list[bytes]] = {}
        absent: list[int] = []
        changes: list[dict[str, Any]] = []
        for number in sorted(self._static.keys() | now.keys()):
            was, now_is = self._static.get(number, []), now.get(number, [])
            if number in self._kept:
                held[number] = now_is
                continue
            if was == now_is:
                continue
            change = _change(number, was, now_is)
            if change is not None:
                held[number], removed = change
                changes.append({"field": number, "removed": removed})
            elif now_is:
                held[number] = now_is
            else:
                absent.append(number)
            self._resent += sum(map(len, held.get(number, [])))
        mark = _marked(
            version=self._version, sequence=self._sequence, absent=absent, change=changes
        )
        return joined(held) + mark


def _change(
    number: int, was: list[bytes], now: list[bytes]
) -> tuple[list[bytes], list[int]] | None:
    """Return elements that differ and ids of removed ones; None where ids cannot tell it."""
    before, after = by_id(number, was), by_id(number, now)
    if not before or not after:
        return None
    differing = [record for key, record in after.items() if before.get(key) != record]
    removed = [key for key in before if key not in after]
    if list(merged(before, differing, removed, number)) != list(after):
        return None
    return differing, removed


class Joiner:
    """Joins split messages one after the other, each exactly as it was."""

    def __init__(self) -> None:
        self._static: Fields = {}
        self._version: int | None = None
        self._expected = 0
        self.lost: list[tuple[int, int]] = []
        """First and last number of messages that did not come."""
        self.joined = 0
        """Messages that were split."""

    def hold(self, truth: bytes) -> bytes:
        """Take static data that came apart. Raises ValueError where there is none."""
        records_of = records(truth)
        mark = _mark(records_of)
        if mark is None or not mark.complete:
            raise ValueError("it holds no static data")
        return self._complete(truth, records_of, mark)

    def join(self, truth: bytes) -> bytes:
        """Return the message as it was; one that was not split comes back as it is.

        Raises MissingStaticError, and ValueError on what is damaged.
        """
        records_of = records(truth)
        mark = _mark(records_of)
        if mark is None:
            return truth
        self.joined += 1
        if mark.sequence > self._expected:
            self.lost.append((self._expected, mark.sequence - 1))
        self._expected = mark.sequence + 1
        if mark.complete:
            return self._complete(truth, records_of, mark)
        if mark.version != self._version:
            raise MissingStaticError(mark.version)
        return joined(self._put_together(records_of, mark))

    def _complete(self, truth: bytes, found: dict[int, list[bytes]], mark: Any) -> bytes:
        (record,) = found.pop(messages.STATIC_ONCE)
        repeated = set(mark.kept)
        self._static = {number: found[number] for number in found if number not in repeated}
        self._version = mark.version
        return truth[: -len(record)] if truth.endswith(record) else joined(found)

    def _put_together(self, found: dict[int, list[bytes]], mark: Any) -> Fields:
        del found[messages.STATIC_ONCE]
        result = {**self._static, **found}
        for number in mark.absent:
            result.pop(number, None)
        if len({change.field for change in mark.change}) < len(mark.change):
            raise ValueError("it changes a list twice")
        for change in mark.change:
            before = by_id(change.field, list(self._static.get(change.field, [])))
            if before is None:
                raise ValueError(f"field {change.field} of the static data has no ids to change")
            own = found.get(change.field, [])
            after = merged(before, own, list(change.removed), change.field)
            result[change.field] = list(after.values())
        return result


def merged(
    before: Mapping[int, bytes], differing: list[bytes], removed: list[int], number: int
) -> dict[int, bytes]:
    """Return a list by id after a change: elements keep their place, new ones come last.

    Raises ValueError where an element has no id of its own.
    """
    own = by_id(number, differing)
    if own is None:
        raise ValueError(f"elements of field {number} have no ids of their own")
    gone = set(removed)
    return {key: record for key, record in before.items() if key not in gone} | own


def records(truth: bytes) -> dict[int, list[bytes]]:
    """Return a message's records by field number. Raises ValueError on what is no message."""
    by_number: dict[int, list[bytes]] = {}
    for number, record, _ in wire.records(memoryview(truth)):
        by_number.setdefault(number, []).append(bytes(record))
    return by_number


def joined(found: Fields) -> bytes:
    """Return the message of these records, in the order of their numbers."""
    return b"".join([record for number in sorted(found) for record in found[number]])


def by_id(number: int, elements: list[bytes]) -> dict[int, bytes] | None:
    """Return a list's records by the elements' ids; None where they have none of their own."""
    element_of: dict[int, bytes] = {}
    for record in elements:
        element = wire.first(memoryview(record), number)
        identifier = wire.first(element, 1) if isinstance(element, memoryview) else None
        if not isinstance(identifier, memoryview):
            return None
        key = wire.first(identifier, 1) or 0
        if not isinstance(key, int) or key in element_of:
            return None
        element_of[key] = record
    return element_of


def _marked(**content: Any) -> bytes:
    """Return the field that names static data."""
    mark = messages.static_once_class()(**content)
    return wire.bytes_field(messages.STATIC_ONCE, mark.SerializeToString())


def _mark(found: Fields) -> Any:
    """Return what a message says of static data; None where it says nothing."""
    held = found.get(messages.STATIC_ONCE)
    if held is None:
        return None
    value = wire.first(memoryview(held[0]), messages.STATIC_ONCE)
    if len(held) > 1 or not isinstance(value, memoryview):
        raise ValueError("it names static data twice, or in another form")
    try:
        return messages.static_once_class().FromString(bytes(value))
    except DecodeError as error:
        raise ValueError(f"what it says of static data is damaged ({error})") from error


@dataclass(frozen=True)
class Place:
    """Where the GroundTruth lies in a message: bytes before and after it."""

    before: bytes
    truth: bytes
    after: bytes
    number: int
    """Field of the message that it is; 0: it is the message."""

    @staticmethod
    def find(type_name: str, message: memoryview) -> Place | None:
        """Return None where the message has none, or not one alone. Raises ValueError."""
        if type_name == "GroundTruth":
            return Place(b"", bytes(message), b"", 0)
        number = messages.field_number(type_name, "global_ground_truth")
        at, parts = 0, []
        for field, record, value in wire.records(message):
            if field == number:
                parts.append((at, at + len(record), value))
            at += len(record)
        if len(parts) != 1 or not isinstance(parts[0][2], memoryview):
            return None
        start, end, truth = parts[0]
        return Place(bytes(message[:start]), bytes(truth), bytes(message[end:]), number)

    def around(self, truth: bytes) -> bytes:
        """Return the message with another GroundTruth in this place."""
        part = wire.bytes_field(self.number, truth) if self.number else truth
        return self.before + part + self.after
