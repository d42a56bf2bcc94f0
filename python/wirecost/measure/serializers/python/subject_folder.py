# SPDX-License-Identifier: Apache-2.0
"""A subject in a folder, from which another process makes it again."""

from __future__ import annotations

import json
from pathlib import Path

from google.protobuf import descriptor_pb2 as pb

from wirecost.data.messages.subject import Subject, subject

_DESCRIPTORS = "schema.fds"
_DEFINITIONS = "definitions.json"


def keep(about: Subject, folder: Path) -> None:
    if about.ros is None:
        (folder / _DESCRIPTORS).write_bytes(about.descriptors.SerializeToString())
        return
    definitions = about.ros.definitions
    (folder / _DEFINITIONS).write_text(
        json.dumps({"dialect": definitions.dialect, "texts": definitions.texts}), encoding="utf-8"
    )


def kept(folder: Path, type_name: str) -> Subject:
    if (folder / _DEFINITIONS).is_file():
        # Not for Protobuf's messages: NumPy and rosbags would take half of a process's start.
        from wirecost.data.messages.ros.definitions import RosDefinitions  # noqa: PLC0415
        from wirecost.data.messages.ros.subject import ros_subject  # noqa: PLC0415

        content = json.loads((folder / _DEFINITIONS).read_text(encoding="utf-8"))
        return ros_subject(RosDefinitions(**content), str(folder), type_name)
    descriptors = pb.FileDescriptorSet.FromString((folder / _DESCRIPTORS).read_bytes())
    return subject(descriptors, str(folder), type_name)
