# SPDX-License-Identifier: Apache-2.0
"""`wirecost bench message` beside a ROS 2: its own libraries take part."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.ros2_wheels import DISTRIBUTIONS, python_of

Run = Callable[..., "subprocess.CompletedProcess[str]"]

FEW = ("--dialect", "ros2", "--repetitions", "2", "--processes", "1")
OWN = """\
std_msgs/Header header
geometry_msgs/Pose[] poses
geometry_msgs/Point[2] ends
string<=4[<=3] names
float64[<=5] few
float32[3] three
bool[] flags
uint8[16] id
byte level
char letter
int64 big
"""


def measured(wirecost: Run, distribution: str, out: Path, *what: str | Path) -> tuple[Any, Any]:
    """Return the document of a run, and its ``meta.json``."""
    python = python_of(distribution)
    command = ("bench", "message", *what, "-I", python.parents[1] / "share", *FEW)
    done = wirecost(*command, "--python", python, "--out", out, "--json", "-")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["failures"] == []
    assert len({row["digest"] for row in document["rows"] if row["variant"] == "all fields"}) == 1
    return document, json.loads((out / "meta.json").read_text())


def test_libraries_of_ros_2_are_the_baseline(wirecost: Run, tmp_path: Path) -> None:
    path = python_of("jazzy").parents[1] / "share/geometry_msgs/msg/Point.msg"
    document, meta = measured(wirecost, "jazzy", tmp_path / "r", path)
    rows = {(row["lang"], row["contender"], row["mode"]): row for row in document["rows"]}
    for mode in ("new", "reused"):
        assert rows["cpp", "rosidl-fastrtps", mode]["bytes"] == 28
    assert rows["python", "wirecost", "new"]["ratio"]["to"] == "rclpy new"
    assert rows["cpp", "wirecost", "new"]["ratio"]["to"] == "rosidl-fastrtps new"
    assert meta["contenders"]["python rclpy new"]["library"].startswith("rclpy 7.1")


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_rclpy_carries_messages_in_messages(
    wirecost: Run, tmp_path: Path, distribution: str
) -> None:
    path = python_of(distribution).parents[1] / "share/nav_msgs/msg/Odometry.msg"
    _, meta = measured(wirecost, distribution, tmp_path / "r", path, "--lang", "python")
    assert "python rclpy new" in meta["contenders"]


def test_a_type_of_ones_own_is_generated(wirecost: Run, tmp_path: Path) -> None:
    path = tmp_path / "acme" / "msg" / "State.msg"
    path.parent.mkdir(parents=True)
    path.write_text(OWN)
    _, meta = measured(wirecost, "kilted", tmp_path / "r", path)
    assert "cpp rosidl-fastrtps reused" in meta["contenders"]
    assert "acme/State is not" in meta["not_run"]["python rclpy"]


def test_without_ros_2_the_report_says_how_to_get_it(wirecost: Run, tmp_path: Path) -> None:
    path = tmp_path / "acme" / "msg" / "State.msg"
    path.parent.mkdir(parents=True)
    path.write_text("float64 x\n")
    command = ("bench", "message", path, *FEW)
    out = tmp_path / "r"
    done = wirecost(*command, "--lang", "python", "--out", out)
    assert done.returncode == 0, done.stderr
    meta = json.loads((out / "meta.json").read_text())
    assert meta["not_run"]["python rclpy"].startswith("pip install 'wirecost[ros2]'")
    done = wirecost(*command, "--python", tmp_path, "--out", tmp_path / "other")
    assert done.returncode != 0 and f"--python {tmp_path}: cannot" in done.stderr
