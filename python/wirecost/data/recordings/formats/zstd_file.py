# SPDX-License-Identifier: Apache-2.0
"""A file of ROS 2 that is compressed as a whole."""

from __future__ import annotations

from pathlib import Path

import zstandard

from wirecost.data.recordings import formats
from wirecost.data.recordings.connection import RecordingFiles
from wirecost.data.recordings.damage import REINDEX, damage
from wirecost.system import scratch
from wirecost.system.errors import UserError

PLUGIN_ORDER = 5
SUFFIX = ".zstd"
NAME = ".zstd of ROS 2"
MOST_TIMES = 1000
"""Largest factor of unpacking: no recording packs so well, and a bomb would fill the disk."""


def open_files(path: Path) -> RecordingFiles:
    if path.stem.lower().endswith(SUFFIX):
        raise UserError(f"{path}: is compressed several times; unpack it by `zstd -d`")
    unpacked = scratch.make("bag") / path.stem
    with damage(path, REINDEX), path.open("rb") as packed, unpacked.open("wb") as whole:
        reader = zstandard.ZstdDecompressor().stream_reader(packed)
        while block := reader.read(1 << 20):
            whole.write(block)
            if whole.tell() > MOST_TIMES * path.stat().st_size:
                raise ValueError(f"it unpacks to more than {MOST_TIMES:,} times its size")
    return formats.open_files(unpacked)
