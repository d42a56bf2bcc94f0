# SPDX-License-Identifier: Apache-2.0
"""Recorders that count the messages for which their cache had no room."""

from __future__ import annotations

RECORD, ROSBAG2 = "wirecost record", "ros2 bag record"
METADATA = "wirecost.dropped"
"""Name of MCAP metadata in which ``wirecost record`` counts them by topic, from its start on."""
OUT_OF_CACHE = "fell out of the recorder's cache"
