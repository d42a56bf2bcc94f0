# SPDX-License-Identifier: Apache-2.0
"""Messages from a user's files: recordings, and the forms that Protobuf's tools write."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from google.protobuf import descriptor_pb2 as pb
from google.protobuf import json_format, text_format
from google.protobuf.message import DecodeError, Message

from wirecost.bench.message.choices import SAMPLED
from wirecost.bench.message.mcap_channel import DIALECTS, MessageChannel
from wirecost.bench.message.ros import recordings
from wirecost.bench.message.ros.definitions import of_idl, of_text, short
from wirecost.bench.message.ros.subject import ros_subject
from wirecost.bench.message.subject import Subject, subject
from wirecost.errors import UserError
from wirecost.printable import shown
from wirecost.traces.osi_file import OsiTrace

DELIMITED = (".binpb", ".bin", ".pb", ".delimited")
JSON = (".json", ".jsonl", ".ndjson")
TEXT = (".textproto", ".txtpb", ".pbtxt", ".prototxt")
LARGEST_TEXT = 256 << 20
MOST_BYTES = 16 << 20
"""Of the messages that are measured."""


@dataclass(frozen=True)
class Choice:
    """Which messages of a file. ``topic``: empty for the only one; ``first``, ``sample``: None for
    all, and for ``SAMPLED`` spread over the file."""

    topic: str = ""
    first: int | None = None
    sample: int | None = None
    seed: int = 1

    def of(self, count: int) -> list[int]:
        """The numbers of the messages, in their order."""
        numbers = list(range(count))[: self.first]
        wanted = self.sample or (SAMPLED if self.first is None else count)
        if len(numbers) > wanted:
            numbers = sorted(Random(self.seed).sample(numbers, wanted))
        return numbers


@dataclass(frozen=True)
class Recorded:
    """``said``: where the messages are from and what was left out, for the report."""

    messages: list[bytes]
    said: str


def of_recording(path: Path, topic: str, type_name: str) -> Subject:
    """What the file itself says of its messages. Raises UserError."""
    if recordings.is_bag(path):
        bag = recordings.described(path, topic)
        return ros_subject(bag.definitions, str(path), type_name or bag.type)
    if path.suffix.lower() != ".mcap":
        raise UserError(f"{path}: does not say its schema; name one before --data")
    with MessageChannel(path, topic or None) as channel:
        schema = channel.schema
        name, type_ = shown(schema.name), type_name or schema.name
        try:
            if schema.encoding == "protobuf":
                found = pb.FileDescriptorSet.FromString(schema.data)
                return subject(found, str(path), type_)
            text = schema.data.decode()
        except (DecodeError, UnicodeDecodeError) as error:
            raise UserError(f"{path}: its schema {name} is damaged; name one") from error
        if schema.encoding == "ros2idl":
            definitions = of_idl(schema.name, text)
        else:
            definitions = of_text(schema.name, text, DIALECTS[schema.encoding])
        return ros_subject(definitions, str(path), type_name or short(schema.name))


def dialect_of_recording(path: Path, topic: str) -> str:
    """ROS's, empty where a file is of another kind. Raises UserError."""
    if recordings.is_bag(path):
        return recordings.described(path, topic).definitions.dialect
    if path.suffix.lower() != ".mcap":
        return ""
    with MessageChannel(path, topic or None) as channel:
        return DIALECTS.get(channel.schema.encoding, "")


def recorded(path: Path, about: Subject, choice: Choice) -> Recorded:
    """Those that are measured, as Google's library writes them. Raises UserError."""
    with_number = _bag if recordings.is_bag(path) else _READERS.get(path.suffix.lower())
    if with_number is None:
        known = ", ".join((".mcap", ".bag", ".db3", ".osi", *DELIMITED, *JSON, *TEXT))
        raise UserError(f"{path}: its kind is not known by its name; rename it to one of {known}")
    return _chosen(path, about, choice, with_number(path, about, choice))


def _chosen(path: Path, about: Subject, choice: Choice, raw: Numbered) -> Recorded:
    found: list[bytes] = []
    damaged: list[int] = []
    unknown = total = 0
    for number in choice.of(raw.count):
        try:
            data = raw.at(number)
            message = about.read(data, raw.wire)
            message.DiscardUnknownFields()
            written = about.write(message)
        except (DecodeError, UserError, ValueError):
            damaged.append(number)
            continue
        if raw.wire in ("", about.wire):
            unknown += max(0, len(data) - len(written))
        if total + len(written) > MOST_BYTES and found:
            break
        total += len(written)
        found.append(written)
    if not found:
        raise UserError(
            f"{path}: holds no whole {about.type}"
            f"{f'; {len(damaged)} messages are damaged or of another type' if damaged else ''}; "
            "give --type and --data that belong together"
        )
    said = [f"{len(found):,} of {raw.count:,} messages of {path.name}"]
    if choice.topic:
        said.append(f"topic {choice.topic}")
    if damaged:
        listed = ", ".join(map(str, damaged[:5]))
        said.append(f"{len(damaged)} damaged ones left out: number {listed}")
    said += [warning.removeprefix(f"{path}: ") for warning in raw.warnings]
    if unknown:
        said.append(f"{unknown:,} bytes that the schema does not know, or need not be, left out")
    return Recorded(found, "; ".join(said))


NOT_PARSED = (ValueError, TypeError, RecursionError)


@dataclass(frozen=True)
class Numbered:
    """How many messages there are, each by its number, and what the file lacks. ``wire``: theirs,
    empty for the subject's."""

    count: int
    at: Callable[[int], bytes]
    warnings: list[str] = field(default_factory=list)
    wire: str = ""


def _mcap(path: Path, _: Subject, choice: Choice) -> Numbered:
    with MessageChannel(path, choice.topic or None) as channel:
        count = channel.frame_count
        # A view into the mapping would end with it.
        kept = {number: bytes(channel.frame(number)[1]) for number in choice.of(count)}
        return Numbered(count, lambda number: kept[number], channel.warnings)


def _bag(path: Path, _: Subject, choice: Choice) -> Numbered:
    count, kept = recordings.messages(path, choice.topic, choice.of)
    numbers = choice.of(count)
    return Numbered(count, dict(zip(numbers, kept, strict=True)).__getitem__)


def _osi(path: Path, about: Subject, choice: Choice) -> Numbered:
    with OsiTrace(path, about.type.rpartition(".")[2]) as trace:
        count = trace.frame_count
        kept = {n: bytes(next(trace.frames(n, n + 1))[1]) for n in choice.of(count)}
        return Numbered(count, lambda number: kept[number], trace.warnings)


def _delimited(path: Path, _: Subject, __: Choice) -> Numbered:
    """Each behind its length; a file that is not so is one message."""
    data = _content(path)
    found, at = [], 0
    while at < len(data):
        size, at = _varint(data, at)
        if size is None or size > len(data) - at:
            return Numbered(1, lambda _: data, wire="protobuf")
        found.append(data[at : at + size])
        at += size
    return Numbered(len(found), lambda number: found[number], wire="protobuf")


def _varint(data: bytes, at: int) -> tuple[int | None, int]:
    value = 0
    for shift in range(0, 35, 7):
        if at >= len(data):
            return None, at
        value |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value, at
    return None, at


def _json(path: Path, about: Subject, _: Choice) -> Numbered:
    """An array of messages, one message, or one a line."""
    text = _content(path).decode("utf-8", "replace")
    lines = path.suffix.lower() != ".json"
    try:
        found = [json.loads(line) for line in text.splitlines() if line.strip()] if lines else None
        loaded: Any = json.loads(text) if found is None else found
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: no JSON ({error}); mend it") from error
    values = loaded if isinstance(loaded, list) else [loaded]

    def at(number: int) -> bytes:
        return _parsed(path, about, number, lambda to: json_format.ParseDict(values[number], to))

    return Numbered(len(values), at, wire="protobuf")


def _text(path: Path, about: Subject, _: Choice) -> Numbered:
    text = _content(path).decode("utf-8", "replace")

    def at(number: int) -> bytes:
        return _parsed(path, about, number, lambda to: text_format.Parse(text, to))

    return Numbered(1, at, wire="protobuf")


def _parsed(path: Path, about: Subject, number: int, parse: Callable[[Message], Any]) -> bytes:
    message: Message = about.message_class()
    try:
        parse(message)
    except (json_format.ParseError, text_format.ParseError, *NOT_PARSED) as error:
        raise UserError(
            f"{path}: message {number} is no {about.type} ({shown(str(error))})"
        ) from error
    return message.SerializePartialToString()


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_TEXT + 1)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a file with messages") from error
    if len(data) > LARGEST_TEXT:
        raise UserError(f"{path}: larger than {LARGEST_TEXT >> 20} MiB; give a part of it")
    return data


_READERS: dict[str, Callable[[Path, Subject, Choice], Numbered]] = {
    ".mcap": _mcap,
    ".osi": _osi,
    **dict.fromkeys(DELIMITED, _delimited),
    **dict.fromkeys(JSON, _json),
    **dict.fromkeys(TEXT, _text),
}
