# SPDX-License-Identifier: Apache-2.0
"""Messages from a user's files: recordings, and the forms that Protobuf's tools write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from google.protobuf.message import DecodeError

from wirecost.data.messages.subject import Subject
from wirecost.data.recordings import formats
from wirecost.data.recordings.connection import DIALECTS, WIRES
from wirecost.data.recordings.described import ReadableGroups, kept_for, subject_of
from wirecost.data.recordings.recording import Recording, is_recording
from wirecost.measure.bench.message import plain_files
from wirecost.measure.bench.message.choices import BINARY, SAMPLED
from wirecost.measure.bench.message.plain_files import JSON, TEXT, Numbered
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

MOST_BYTES = 16 << 20
"""Most bytes of the messages that are measured."""
ENOUGH_BYTES, FEWEST = 1 << 20, 6
"""Bytes and messages that are enough where nobody says how many messages."""


@dataclass(frozen=True)
class MessageChoice:
    """Choice of messages of a file.

    ``topic``: empty for the only one; ``first``, ``sample``: None for all, and for ``SAMPLED``
    spread over the file; ``framing`` of a binary file, empty for the one that it has by its look.
    """

    topic: str = ""
    first: int | None = None
    sample: int | None = None
    seed: int = 1
    framing: str = ""

    @property
    def is_open(self) -> bool:
        """True where nobody says how many messages."""
        return self.first is None and self.sample is None

    def of(self, count: int) -> list[int]:
        """Return the numbers of the messages, in their order."""
        numbers = list(range(count))[: self.first]
        most = self.sample or (SAMPLED if self.first is None else count)
        if len(numbers) > most:
            numbers = sorted(Random(self.seed).sample(numbers, most))
        return numbers


@dataclass(frozen=True)
class RecordedMessages:
    """``said``: where the messages are from and what was left out, for the report."""

    messages: list[bytes]
    said: str
    rate_hz: float | None = None
    """Rate at which they were recorded; None where the file does not say it."""


def of_recording(path: Path, topic: str, type_name: str, include: Sequence[Path] = ()) -> Subject:
    """Return the subject that the file itself describes. Raises UserError.

    ``include``: folders with definitions that it may lack.
    """
    if not is_recording(path):
        if path.suffix.lower() not in _READERS:  # no schema would help
            raise _unknown_kind(path)
        raise UserError(f"{path}: does not contain its schema; give one before --data")
    with Recording(path) as recording:
        return subject_of(recording, topic, type_name, include)


def hints_of_recording(path: Path, topic: str) -> tuple[str, str]:
    """Return ROS's dialect and the type of most messages. Raises UserError.

    The dialect is empty where a file is of another kind.
    """
    if not is_recording(path):
        return "", ""
    with Recording(path) as recording:
        most = max(recording.groups(topic, has_schema=True), key=lambda group: group.count).first
    dialect = WIRES[most.wire]
    return (dialect, most.type) if dialect in DIALECTS.values() else ("", most.type)


Reader = Callable[[Path, Subject, MessageChoice], Numbered]


def recorded(
    path: Path,
    about: Subject,
    choice: MessageChoice,
    include: Sequence[Path] = (),
    has_schema: bool = False,
) -> RecordedMessages:
    """Read the messages to measure, as Google's library writes them. Raises UserError.

    ``has_schema``: ``about`` is not what the file itself says.
    """
    if is_recording(path):
        with Recording(path) as recording:
            usable = kept_for(recording, choice.topic, about, has_schema, include)
            return _chosen(path, about, choice, _numbered(recording, usable, choice))
    with_number = _READERS.get(path.suffix.lower())
    if with_number is None:
        raise _unknown_kind(path)
    return _chosen(path, about, choice, with_number(path, about, choice))


def _unknown_kind(path: Path) -> UserError:
    kinds = ", ".join((*formats.NAMES.values(), *BINARY, *JSON, *TEXT))
    return UserError(f"{path}: its suffix is not known; give one of {kinds}")


def _chosen(path: Path, about: Subject, choice: MessageChoice, raw: Numbered) -> RecordedMessages:
    written_at: dict[int, bytes] = {}
    damaged: dict[int, str] = {}
    unknown = total = 0
    numbers = choice.of(raw.count)
    if choice.is_open:  # in any order, as fewer may be enough
        Random(choice.seed).shuffle(numbers)
    for number in numbers:
        if choice.is_open and total > ENOUGH_BYTES and len(written_at) >= FEWEST:
            break
        try:
            data = raw.at(number)
            message = about.read(data, raw.wire)
            if lacking := message.FindInitializationErrors():
                raise ValueError(f"lacks required fields: {', '.join(lacking)}")
            message.DiscardUnknownFields()
            written = about.write(message)
        except (DecodeError, UserError, ValueError) as error:
            damaged[number] = f" ({shown(error, plain_files.LONGEST_REASON)})"
            continue
        if raw.wire in ("", about.wire):
            unknown += max(0, len(data) - len(written))
        if total + len(written) > MOST_BYTES and written_at:
            break
        total += len(written)
        written_at[number] = written
    messages = [written_at[number] for number in sorted(written_at)]
    numbers_of_damaged = sorted(damaged)
    why = damaged[numbers_of_damaged[0]] if damaged else ""
    if not messages:
        others = f"; damaged or of another type: {counted(len(damaged), 'message')}{why}"
        raise UserError(
            f"{path}: holds no whole {about.type}{others if damaged else ''}; "
            "give --type and --data that belong together"
        )
    said = [f"{len(messages):,} of {raw.count:,} messages of {path.name}"]
    if choice.topic:
        said.append(f"topic {choice.topic}")
    if damaged:
        listed = ", ".join(map(str, numbers_of_damaged[:5]))
        said.append(f"{len(damaged)} damaged ones left out: number {listed}{why}")
    said += [warning.removeprefix(f"{path}: ") for warning in raw.warnings]
    if unknown:
        said.append(f"{unknown:,} bytes that the schema does not know, or need not be, left out")
    return RecordedMessages(messages, "; ".join(said), raw.rate_hz)


def _numbered(recording: Recording, usable: ReadableGroups, choice: MessageChoice) -> Numbered:
    numbers = choice.of(usable.count)
    messages = recording.messages(usable.groups, numbers)
    warnings = [*recording.warnings, *usable.notes]
    rate_hz = recording.rate_hz(usable.groups)
    if rate_hz is None and usable.count > 1:
        warnings.append("their times tell no rate")
    return Numbered(
        usable.count,
        dict(zip(numbers, messages, strict=True)).__getitem__,
        warnings,
        rate_hz=rate_hz,
    )


def _plain(read: Callable[[Path, Subject, str], Numbered]) -> Reader:
    return lambda path, about, choice: read(path, about, choice.framing)


_READERS: dict[str, Reader] = {
    **dict.fromkeys(BINARY, _plain(plain_files.binary)),
    **dict.fromkeys(JSON, _plain(plain_files.from_json)),
    **dict.fromkeys(TEXT, _plain(plain_files.from_text)),
}
