# SPDX-License-Identifier: Apache-2.0
"""Our CDR and rclpy's are the same but for bytes of padding, which rclpy leaves as they were."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from support.ros2_wheels import DISTRIBUTIONS, NODES, python_of
from wirecost.data.messages.content import made_up
from wirecost.data.messages.ros.definitions import of_files
from wirecost.data.messages.ros.subject import ros_subject
from wirecost.schema.compile.compiler import emitted, write
from wirecost.schema.compile.emit import Request

PROGRAM = NODES / "serializes.py"
TYPES = (
    "geometry_msgs.PoseArray",
    "sensor_msgs.PointCloud2",
    "sensor_msgs.JointState",
    "sensor_msgs.MultiEchoLaserScan",
    "nav_msgs.Odometry",
    "rcl_interfaces.ParameterDescriptor",
    "rcl_interfaces.ParameterEvent",
)
"""Plain structs, bytes, texts, lists of lists, fixed arrays, bounded lists, bytes."""


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_codecs_agree_with_rclpy(distribution: str, tmp_path: Path) -> None:
    share = python_of(distribution).parents[1] / "share"
    job = []
    for name in TYPES:
        package, _, message = name.partition(".")
        definitions = of_files([str(share / package / "msg" / f"{message}.msg")], [share], "ros2")
        about = ros_subject(definitions, name, name)
        job.append((name, [data.hex() for data in made_up(about, {}, 1)]))
    paths = [f"{share}/{name.replace('.', '/msg/')}.msg" for name in TYPES]
    definitions = of_files(paths, [share], "ros2")
    write(emitted(definitions.schema(), ("python",), Request(("cdr",))), tmp_path)
    done = subprocess.run(
        [python_of(distribution), PROGRAM, tmp_path / "python"],
        input=json.dumps(job), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == list(TYPES)
