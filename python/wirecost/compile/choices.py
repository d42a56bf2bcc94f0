# SPDX-License-Identifier: Apache-2.0
"""What the compiler can be asked for. Imports little: the command line lists it."""

from __future__ import annotations

ROS1, ROS2 = "ros1", "ros2"
DIALECTS = (ROS1, ROS2)
"""Of ``.msg`` files."""
