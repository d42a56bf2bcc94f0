# SPDX-License-Identifier: Apache-2.0
"""Choices of ``bench message``; a light module, as the command line lists them."""

from __future__ import annotations

from pathlib import Path

from wirecost.system.plugins import plugin_names

LANGUAGES = ("cpp", "python", "java")
USUAL = ("cpp", "python")
"""Without being asked for."""
SINGLE, DELIMITED = "single", "delimited"
FRAMINGS = (SINGLE, DELIMITED)
"""What a binary file can hold: one message, or several, each behind its length."""
SAMPLED = 50
"""Messages that are measured of a longer recording, unless another number is asked for."""
PROCESSES = 5
LISTS = (
    "radar-reflection",
    "radar-detection",
    "lidar-reflection",
    "lidar-detection",
    "moving-object",
    "point",
)
LIST_COUNTS = (10, 1000, 100_000)
"""Elements of the lists of ``bench repeated``."""
OBJECTS = (10, 100, 1000, 10_000)
"""Moving objects of ``bench classes``."""
GROUND_TRUTHS = ("full", "sparse")
NOTIFICATION_MODES = ("new", "recycled", "reused", "arena", "view", "facade")
NOTIFICATION_CONTENTS = ("ticket", "realistic")
NOTIFICATION_WIRES = ("protobuf", "ros1", "cdr")
PRESETS = tuple(plugin_names(Path(__file__).parent / "presets", "run"))
