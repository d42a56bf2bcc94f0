# SPDX-License-Identifier: Apache-2.0
"""A node that publishes 5,000 small messages a second."""

from __future__ import annotations

import importlib
import time
from typing import Any

rclpy: Any = importlib.import_module("rclpy")
String: Any = importlib.import_module("std_msgs.msg").String
RATE_HZ, AT_ONCE = 5000, 50

rclpy.init()
publisher = rclpy.create_node("fast").create_publisher(String, "fast", 10)
message, due = String(data="x" * 50), time.monotonic()
while True:
    for _ in range(AT_ONCE):
        publisher.publish(message)
    due = max(due + AT_ONCE / RATE_HZ, time.monotonic())  # no catching up on a busy machine
    time.sleep(max(0.0, due - time.monotonic()))
