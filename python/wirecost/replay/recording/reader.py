# SPDX-License-Identifier: Apache-2.0
"""Reads ``recording.mcap``, as far as it is whole; a hostile file takes no unbounded memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import psutil
from mcap.records import Channel

from wirecost.data.recordings.mcap.file import McapFile, McapMessage
from wirecost.replay.middleware import Call
from wirecost.replay.recording import call_record
from wirecost.replay.recording.writer import CALL, INPUT, OUTPUT, ROLE
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

OBJECT_BYTES = 200
MEMORY_SHARE = 0.4
"""Share of the free memory that messages may take: the player holds them a second time."""
TOO_LARGE = "larger than the free memory; record for a shorter time"


@dataclass(frozen=True)
class Stored:
    """A message by its topic. ``log_ns``: received; ``publish_ns``: sent, where that is known."""

    topic: str
    log_ns: int
    publish_ns: int
    data: bytes


@dataclass
class Recorded:
    """Content of a recording, in the order of its times."""

    profile: str = ""
    inputs: list[Stored] = field(default_factory=list)
    outputs: list[Stored] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_recording(path: Path, profile: str) -> Recorded:
    """Return all messages.

    Raises:
        UserError: not MCAP, of another profile than ``profile``, or larger than memory allows. Of
            a file that is cut or damaged further in, the rest is read, with a note.
    """
    recorded = Recorded()
    try:
        with McapFile(path) as file:
            _read(file, profile, recorded)
    except MemoryError as error:
        raise UserError(f"{path}: {TOO_LARGE}") from error
    for messages in (recorded.inputs, recorded.outputs):
        messages.sort(key=lambda message: message.log_ns)
    recorded.calls.sort(key=lambda call: call.request_ns)
    return recorded


def _read(file: McapFile, profile: str, recorded: Recorded) -> None:
    contents = file.contents
    recorded.profile = contents.profile
    if contents.profile != profile:
        raise UserError(
            f"{file.path}: MCAP of profile {shown(contents.profile, 40)!r}, but node.json has "
            f"{profile!r}; keep a recording's files together"
        )
    allowed = int(psutil.virtual_memory().available * MEMORY_SHARE)
    damaged = 0
    for message in file.each():
        allowed -= len(message.data) + OBJECT_BYTES
        if allowed < 0:
            raise UserError(f"{file.path}: {TOO_LARGE}")
        channel = contents.channels.get(message.channel)
        try:
            if channel is not None:
                _keep(channel, message, recorded)
        except ValueError:
            damaged += 1
    count = len(recorded.inputs) + len(recorded.outputs) + len(recorded.calls)
    faults = [each.removeprefix(f"{file.path}: ") for each in file.warnings]
    if faults := [each for each in (contents.complaint, *faults) if each]:
        recorded.notes.append(
            f"{file.path.name} is cut or damaged ({'; '.join(faults)}); "
            f"{counted(count, 'whole message')} of it can be replayed"
        )
    if damaged:
        recorded.notes.append(f"{file.path.name}: {counted(damaged, 'call')} cannot be read")


def _keep(channel: Channel, message: McapMessage, recorded: Recorded) -> None:
    role, data = channel.metadata.get(ROLE, INPUT), bytes(message.data)
    if role == CALL:
        recorded.calls.append(
            call_record.decode(channel.topic.removesuffix(call_record.SUFFIX), data)
        )
        return
    stored = Stored(channel.topic, message.log_ns, message.publish_ns, data)
    (recorded.outputs if role == OUTPUT else recorded.inputs).append(stored)
