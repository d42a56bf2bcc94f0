# SPDX-License-Identifier: Apache-2.0
"""Names that trace commands' options take. Imports little: the command line lists them."""

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
COMPRESSIONS = ("zstd", "lz4", "none")
"""Compressions of ``.mcap``."""
REPEAT_EVERY = 100
"""Messages of a split trace after which static data comes again, for readers that begin late."""
