# SPDX-License-Identifier: Apache-2.0
"""``metadata.yaml`` beside a recording of ROS 2, by which rosbag2 knows a folder as a bag.

Version 5 of the file, which Humble writes and every later one reads. ROS 1 has no such file, and
rosbag2 refuses messages that are not CDR.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wirecost.replay.middleware import Topic
from wirecost.replay.recording.qos_text import profiles
from wirecost.system.failed_write import failed_write
from wirecost.system.whole_file import write_text

FILE = "metadata.yaml"
VERSION = 5


@dataclass
class Counted:
    """Counts of what was written of a topic. Times are CLOCK_REALTIME nanoseconds of receipt."""

    topic: Topic
    messages: int = 0
    first_ns: int = 0
    last_ns: int = 0

    def add(self, log_ns: int) -> None:
        self.first_ns = min(self.first_ns, log_ns) if self.messages else log_ns
        self.last_ns = max(self.last_ns, log_ns)
        self.messages += 1


def write_bag_metadata(recording: Path, encoding: str, counted: Sequence[Counted]) -> None:
    """Replace the file beside ``recording`` as a whole. Raises UserError."""
    path = recording.with_name(FILE)
    try:
        write_text(path, bag_metadata(recording.name, encoding, counted))
    except OSError as error:
        raise failed_write(path, error, "name a writable --out") from error


def bag_metadata(file: str, encoding: str, counted: Sequence[Counted]) -> str:
    """Return the text. A topic that has two channels alike, input and output, is one entry."""
    written = [channel for channel in counted if channel.messages]
    begin = min((channel.first_ns for channel in written), default=0)
    end = max((channel.last_ns for channel in written), default=0)
    extent = [
        f"duration: {{nanoseconds: {end - begin}}}",
        f"starting_time: {{nanoseconds_since_epoch: {begin}}}",
        f"message_count: {sum(channel.messages for channel in written)}",
    ]
    lines = [
        "rosbag2_bagfile_information:",
        f"  version: {VERSION}",
        "  storage_identifier: mcap",
        *(f"  {line}" for line in extent),
        "  compression_format: ''",
        "  compression_mode: ''",
        f"  relative_file_paths: [{_quoted(file)}]",
        "  files:",
        f"    - path: {_quoted(file)}",
        *(f"      {line}" for line in extent),
        f"  topics_with_message_count:{'' if counted else ' []'}",
    ]
    counts: dict[tuple[str, str, str], int] = {}
    for channel in counted:
        key = (channel.topic.name, channel.topic.type, profiles(channel.topic.qos))
        counts[key] = counts.get(key, 0) + channel.messages
    for (name, type_, qos), messages in counts.items():
        lines += [
            "    - topic_metadata:",
            f"        name: {_quoted(name)}",
            f"        type: {_quoted(type_)}",
            f"        serialization_format: {encoding}",
            f"        offered_qos_profiles: {_quoted(qos)}",
            f"      message_count: {messages}",
        ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Quote in YAML's double-quoted style: any program on the network may have sent the text."""
    characters = (c if " " <= c <= "~" and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return '"' + "".join(characters).replace("\\U0000000a", "\\n") + '"'
