# SPDX-License-Identifier: Apache-2.0
"""A bag of ROS 2: a folder of files, and ``metadata.yaml``, which says which."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

import zstandard

from wirecost.data.recordings import formats, plain_yaml
from wirecost.data.recordings.connection import RecordedMessage, RecordingPart
from wirecost.data.recordings.damage import damage, refuse_no_file
from wirecost.data.recordings.offered import KEY, offered_words
from wirecost.system import scratch
from wirecost.system.errors import UserError
from wirecost.system.file_kinds import reading_command
from wirecost.system.printable import shown

METADATA = "metadata.yaml"
STORAGES = (".db3", ".mcap")
REINDEX = "ros2 bag reindex"
PACKED = ".zstd"
LARGEST_METADATA = 16 << 20
LARGEST_MESSAGE = 1 << 30
"""Bytes of a compressed message once it is unpacked."""
MOST_TIMES = 1000
"""Largest factor of unpacking: no recording packs so well, and a bomb would fill the disk."""


@dataclass
class FolderMetadata:
    """``counts``: of messages, ``qos``: what publishers offered, by topic as the file has them."""

    files: list[str] = field(default_factory=list)
    by_message: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    qos: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def is_folder(path: Path) -> bool:
    return path.is_dir() and ((path / METADATA).is_file() or bool(_files(path)))


def parts_of(path: Path) -> tuple[list[RecordingPart], FolderMetadata]:
    """Open the files of a folder in the order of its metadata. Raises UserError."""
    about = _metadata(path)
    names = [name for name in about.files if (path / name).is_file()]
    if absent := [name for name in about.files if name not in names]:
        about.warnings.append(f"{len(absent)} of its files are missing: {shown(absent[0])}")
    if not names:
        names = _files(path)
    if not names:
        raise UserError(f"{path}: holds none of the files of a bag (.db3, .mcap); copy them to it")
    parts: list[RecordingPart] = []
    try:
        for name in names:
            parts.append(opened(path / name, about.by_message))
    except BaseException:
        for part in parts:
            part.close()
        raise
    return parts, about


def opened(path: Path, by_message: bool = False) -> RecordingPart:
    """Open one file of ROS 2, compressed or not. Raises UserError.

    ``by_message``: each message is known to be compressed by itself; it is seen where it is not.
    """
    refuse_no_file(path)
    if path.suffix == PACKED:
        unpacked = scratch.make("bag") / path.stem
        with damage(path, REINDEX), path.open("rb") as packed, unpacked.open("wb") as whole:
            reader = zstandard.ZstdDecompressor().stream_reader(packed)
            while block := reader.read(1 << 20):
                whole.write(block)
                if whole.tell() > MOST_TIMES * path.stat().st_size:
                    raise ValueError(f"it unpacks to more than {MOST_TIMES:,} times its size")
        path = unpacked
    if path.suffix.lower() not in formats.MODULES:
        known = f"give {' or '.join(formats.MODULES)}, or a folder of ROS 2"
        raise UserError(f"{path}: no recording that is known; {reading_command(path) or known}")
    part = formats.open_part(path)
    return _Packed(part) if by_message or _is_packed(part) else part


def _files(path: Path) -> list[str]:
    """Return the files of a bag without metadata, in the order of their numbers."""
    names = [
        file.name
        for file in path.iterdir()
        if file.name.removesuffix(PACKED).lower().endswith(STORAGES)
    ]
    return sorted(names, key=lambda name: (len(name), name))


def _metadata(path: Path) -> FolderMetadata:
    file = path / METADATA
    if not file.is_file():
        return FolderMetadata(warnings=[f"has no {METADATA}"])
    try:
        if file.stat().st_size > LARGEST_METADATA:
            raise ValueError("it is too large")
        return _read(plain_yaml.load(file.read_text("utf-8", "replace")))
    except (OSError, *plain_yaml.FAULTS):
        return FolderMetadata(warnings=[f"its {METADATA} is damaged and was not used"])


def _read(document: Any) -> FolderMetadata:
    about = document["rosbag2_bagfile_information"]
    metadata = FolderMetadata(
        [PurePath(_text(name)).name for name in about["relative_file_paths"]],
        _text(about.get("compression_mode") or "").lower() == "message",
    )
    for topic_count in about.get("topics_with_message_count") or ():
        described = topic_count["topic_metadata"]
        topic = _text(described["name"])
        metadata.qos[topic] = offered_words(described.get(KEY))
        metadata.counts[topic] = metadata.counts.get(topic, 0) + int(topic_count["message_count"])
    return metadata


def _text(value: Any) -> str:
    """Return a text as it is; a list that aliases make huge would take all memory as one."""
    if not isinstance(value, str):
        raise ValueError("not a text")
    return value


class _Packed:
    """A file whose messages are compressed one by one."""

    def __init__(self, part: RecordingPart) -> None:
        self._part = part
        self.path = part.path
        self.connections = part.connections
        self.warnings = part.warnings

    def messages(self, numbers: Collection[int], wanted: Sequence[int]) -> list[bytes]:
        with damage(self.path, REINDEX):
            return [_unpacked(data) for data in self._part.messages(numbers, wanted)]

    def each(self) -> Iterator[RecordedMessage]:
        with damage(self.path, REINDEX):
            for message in self._part.each():
                yield message._replace(data=_unpacked(bytes(message.data)))

    def span_ns(self, numbers: Collection[int]) -> tuple[int, int]:
        return self._part.span_ns(numbers)

    def close(self) -> None:
        self._part.close()


def _is_packed(part: RecordingPart) -> bool:
    """Return whether messages are compressed, of which only ``metadata.yaml`` would inform."""
    of_ros2 = [each for each in part.connections if each.wire == "cdr" and each.count]
    if not of_ros2:
        return False
    fewest = min(of_ros2, key=lambda connection: connection.count)
    try:
        (data,) = part.messages([fewest.number], [0])
    except (UserError, ValueError):
        return False
    return data.startswith(zstandard.FRAME_HEADER)


def _unpacked(data: bytes) -> bytes:
    with zstandard.ZstdDecompressor().stream_reader(data) as reader:
        content = reader.read(LARGEST_MESSAGE + 1)
    if len(content) > LARGEST_MESSAGE:
        raise ValueError(f"a message of more than {LARGEST_MESSAGE >> 30} GiB")
    return content
