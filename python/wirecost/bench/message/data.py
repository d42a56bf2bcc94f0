# SPDX-License-Identifier: Apache-2.0
"""Messages from a user's files: recordings, and the forms that Protobuf's tools write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from google.protobuf import descriptor_pb2 as pb
from google.protobuf.message import DecodeError

from wirecost.bench.message import plain_files
from wirecost.bench.message.choices import SAMPLED
from wirecost.bench.message.mcap_channel import DIALECTS, MessageChannel
from wirecost.bench.message.plain_files import BINARY, JSON, TEXT, Numbered
from wirecost.bench.message.ros import recordings
from wirecost.bench.message.ros.definitions import of_idl, of_text, short
from wirecost.bench.message.ros.subject import ros_subject
from wirecost.bench.message.subject import Subject, subject
from wirecost.counted import counted
from wirecost.errors import UserError
from wirecost.printable import shown
from wirecost.traces.osi_file import OsiTrace

MOST_BYTES = 16 << 20
"""Of the messages that are measured."""


@dataclass(frozen=True)
class Choice:
    """Which messages of a file. ``topic``: empty for the only one; ``first``, ``sample``: None for
    all, and for ``SAMPLED`` spread over the file; ``framing`` of a binary file, empty for what it
    shows."""

    topic: str = ""
    first: int | None = None
    sample: int | None = None
    seed: int = 1
    framing: str = ""

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


Reader = Callable[[Path, Subject, Choice], Numbered]


def recorded(path: Path, about: Subject, choice: Choice) -> Recorded:
    """Those that are measured, as Google's library writes them. Raises UserError."""
    with_number = _bag if recordings.is_bag(path) else _READERS.get(path.suffix.lower())
    if with_number is None:
        known = ", ".join((".mcap", ".bag", ".db3", ".osi", *BINARY, *JSON, *TEXT))
        raise UserError(f"{path}: its kind is not known by its name; rename it to one of {known}")
    return _chosen(path, about, choice, with_number(path, about, choice))


def _chosen(path: Path, about: Subject, choice: Choice, raw: Numbered) -> Recorded:
    found: list[bytes] = []
    damaged: list[int] = []
    why = ""
    unknown = total = 0
    for number in choice.of(raw.count):
        try:
            data = raw.at(number)
            message = about.read(data, raw.wire)
            message.DiscardUnknownFields()
            written = about.write(message)
        except (DecodeError, UserError, ValueError) as error:
            why = why or f" ({shown(error, plain_files.LONGEST_REASON)})"
            damaged.append(number)
            continue
        if raw.wire in ("", about.wire):
            unknown += max(0, len(data) - len(written))
        if total + len(written) > MOST_BYTES and found:
            break
        total += len(written)
        found.append(written)
    if not found:
        others = f"; damaged or of another type: {counted(len(damaged), 'message')}{why}"
        raise UserError(
            f"{path}: holds no whole {about.type}{others if damaged else ''}; "
            "give --type and --data that belong together"
        )
    said = [f"{len(found):,} of {raw.count:,} messages of {path.name}"]
    if choice.topic:
        said.append(f"topic {choice.topic}")
    if damaged:
        listed = ", ".join(map(str, damaged[:5]))
        said.append(f"{len(damaged)} damaged ones left out: number {listed}{why}")
    said += [warning.removeprefix(f"{path}: ") for warning in raw.warnings]
    if unknown:
        said.append(f"{unknown:,} bytes that the schema does not know, or need not be, left out")
    return Recorded(found, "; ".join(said))


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
        if trace.size and not trace.frame_count:
            raise trace.no_trace()
        count = trace.frame_count
        kept = {n: bytes(next(trace.frames(n, n + 1))[1]) for n in choice.of(count)}
        return Numbered(count, lambda number: kept[number], trace.warnings)


def _plain(read: Callable[[Path, Subject, str], Numbered]) -> Reader:
    return lambda path, about, choice: read(path, about, choice.framing)


_READERS: dict[str, Reader] = {
    ".mcap": _mcap,
    ".osi": _osi,
    **dict.fromkeys(BINARY, _plain(plain_files.binary)),
    **dict.fromkeys(JSON, _plain(plain_files.from_json)),
    **dict.fromkeys(TEXT, _plain(plain_files.from_text)),
}
