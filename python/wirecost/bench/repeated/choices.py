# SPDX-License-Identifier: Apache-2.0
"""What ``bench repeated`` can be asked for. Imports little: the command line lists it."""

from __future__ import annotations

LISTS = (
    "radar-reflection",
    "radar-detection",
    "lidar-reflection",
    "lidar-detection",
    "moving-object",
    "point",
)
COUNTS = (10, 1000, 100_000)
