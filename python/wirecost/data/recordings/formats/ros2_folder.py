# SPDX-License-Identifier: Apache-2.0
"""A bag of ROS 2: a folder of files, and ``metadata.yaml``, which says which."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from wirecost.data.recordings import formats, plain_yaml
from wirecost.data.recordings.connection import RecordingFiles, RecordingPart
from wirecost.data.recordings.offered import KEY, limited
from wirecost.data.recordings.packed_messages import PackedMessages
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

PLUGIN_ORDER = 4
PATTERNS = ("metadata.yaml", "*.db3", "*.mcap", "*.db3.zstd", "*.mcap.zstd")
NAME = "folders of ROS 2"
METADATA = "metadata.yaml"
STORAGES = (".db3", ".mcap", ".db3.zstd", ".mcap.zstd")
LARGEST_METADATA = 16 << 20


@dataclass
class _Metadata:
    """``counts``: of messages, ``offered``: QoS of publishers, by topic as the file has them."""

    files: list[str] = field(default_factory=list)
    by_message: bool = False
    """True where each message is compressed by itself."""
    counts: dict[str, int] = field(default_factory=dict)
    offered: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def open_files(path: Path) -> RecordingFiles:
    """Open the files of a folder in the order of its metadata. Raises UserError."""
    about = _metadata(path)
    names = [name for name in about.files if (path / name).is_file()]
    if absent := [name for name in about.files if name not in names]:
        about.warnings.append(f"{len(absent)} of its files are missing: {shown(absent[0])}")
    names = names or _files(path)
    if not names:
        raise UserError(f"{path}: holds none of the files of a bag (.db3, .mcap); copy them to it")
    parts: list[RecordingPart] = []
    try:
        for name in names:
            parts += formats.open_files(path / name).parts
    except BaseException:
        for part in parts:
            part.close()
        raise
    if about.by_message:
        parts = [
            part if isinstance(part, PackedMessages) else PackedMessages(part) for part in parts
        ]
    return RecordingFiles(parts, about.counts, about.offered, METADATA, about.warnings)


def _files(path: Path) -> list[str]:
    """Return the files of a bag without metadata, in the order of their numbers."""
    names = [file.name for file in path.iterdir() if file.name.lower().endswith(STORAGES)]
    return sorted(names, key=lambda name: (len(name), name))


def _metadata(path: Path) -> _Metadata:
    file = path / METADATA
    if not file.is_file():
        return _Metadata(warnings=[f"has no {METADATA}"])
    try:
        if file.stat().st_size > LARGEST_METADATA:
            raise ValueError("it is too large")
        return _read(plain_yaml.load(file.read_text("utf-8", "replace")))
    except (OSError, *plain_yaml.FAULTS):
        return _Metadata(warnings=[f"its {METADATA} is damaged and was not used"])


def _read(document: Any) -> _Metadata:
    about = document["rosbag2_bagfile_information"]
    metadata = _Metadata(
        [PurePath(_text(name)).name for name in about["relative_file_paths"]],
        _text(about.get("compression_mode") or "").lower() == "message",
    )
    for topic_count in about.get("topics_with_message_count") or ():
        described = topic_count["topic_metadata"]
        topic = _text(described["name"])
        metadata.offered[topic] = limited(described.get(KEY))
        metadata.counts[topic] = metadata.counts.get(topic, 0) + int(topic_count["message_count"])
    return metadata


def _text(value: Any) -> str:
    """Return a text as it is; a list that aliases make huge would take all memory as one."""
    if not isinstance(value, str):
        raise ValueError("not a text")
    return value
