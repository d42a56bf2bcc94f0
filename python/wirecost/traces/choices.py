# SPDX-License-Identifier: Apache-2.0
"""What trace commands can be asked for. Imports little: the command line lists it."""

from __future__ import annotations

from collections.abc import Mapping

TYPES: Mapping[str, str] = {
    "sv": "SensorView",
    "svc": "SensorViewConfiguration",
    "gt": "GroundTruth",
    "hvd": "HostVehicleData",
    "sd": "SensorData",
    "tc": "TrafficCommand",
    "tcu": "TrafficCommandUpdate",
    "tu": "TrafficUpdate",
    "mr": "MotionRequest",
    "su": "StreamingUpdate",
}
"""Message types by their short form in the names of trace files."""
SUFFIXES = (".osi", ".mcap", ".txth")
FORMATS = tuple(suffix[1:] for suffix in SUFFIXES)
COMPRESSIONS = ("zstd", "lz4", "none")
"""Of ``.mcap``."""
