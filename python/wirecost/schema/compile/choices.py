# SPDX-License-Identifier: Apache-2.0
"""Names that the compiler's options take. Imports little: the command line lists them."""

from __future__ import annotations

ROS1, ROS2 = "ros1", "ros2"
DIALECTS = (ROS1, ROS2)
"""Dialects of ``.msg`` files."""
