# SPDX-License-Identifier: Apache-2.0
"""The transport ``dds`` with nodes of rclpy that have default settings."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

from support.networks import NETWORKS, run_inside
from support.ros2_wheels import DISTRIBUTIONS, NODES, python_of

PROGRAM = """
import subprocess, sys, threading
import numpy as np
from wirecost.messaging.api import publish, subscribe

relay = subprocess.Popen([sys.argv[1], sys.argv[2]])
ended = threading.Event()
sent = np.arange(300_000, dtype=np.float32).reshape(300, 1000)

def send():
    with publish("dds", "there") as topic:
        while not ended.wait(0.02):
            topic.send({"image": sent, "name": "front"})

try:
    sender = threading.Thread(target=send)
    sender.start()
    with subscribe("dds", "back") as topic:
        for _ in range(20):
            received = topic.receive(60)
            assert np.array_equal(received["image"], sent) and received["name"] == "front"
finally:
    ended.set()
    sender.join()
    relay.kill()
"""


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_frames_go_through_a_node_of_rclpy_and_back(distribution: str, network: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        done = run_inside(
            network,
            ["env", f"HOME={folder}", f"ROS_LOG_DIR={folder}", "ROS_DOMAIN_ID=0",
             "PYTHONDONTWRITEBYTECODE=1", sys.executable, "-c", PROGRAM,
             python_of(distribution), NODES / "relay.py"],
            ordinary=True,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
