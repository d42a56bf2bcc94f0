# SPDX-License-Identifier: Apache-2.0
"""ROS 2 as ``setup/ros2-wheels`` installs it: Pythons that have rclpy, and beside it wirecost."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DISTRIBUTIONS = ("jazzy", "kilted")
NODES = ROOT / "tests" / "nodes" / "rclpy"


def python_of(distribution: str) -> Path:
    """Fails the test where it is not installed."""
    python = ROOT / "build" / "ros2" / distribution / "bin" / "python"
    if not python.exists():
        pytest.fail(f"{python}: missing; run setup/ros2-wheels {distribution}")
    return python
