# SPDX-License-Identifier: Apache-2.0
"""`wirecost bench message` with a user's own types of ROS."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from bench.ros_schemas import bag, every

Run = Callable[..., "subprocess.CompletedProcess[str]"]

FEW = ("--repetitions", "2", "--processes", "1")
HAS = {
    "gencpp": Path("/usr/share/gencpp").is_dir() and Path("/usr/include/ros").is_dir(),
    "fast-cdr": Path("/usr/include/fastcdr").is_dir(),
    "genpy": find_spec("genpy") is not None,
    "rosbags": True,
    "protobuf": shutil.which("protoc") is not None,
}


@pytest.mark.parametrize(
    ("dialect", "recording", "others"),
    [
        ("ros1", "drive.bag", {("cpp", "gencpp", "reused"), ("python", "genpy", "new")}),
        ("ros2", "drive.mcap", {("cpp", "fast-cdr", "reused"), ("python", "rosbags", "new")}),
    ],
)
def test_types_of_ros_are_measured_in_both_languages(
    wirecost: Run, tmp_path: Path, dialect: str, recording: str, others: set[tuple[str, str, str]]
) -> None:
    about = every(tmp_path, dialect)
    sent = bag(about, tmp_path / recording)
    path = tmp_path / recording if dialect == "ros1" else tmp_path / "drive"
    out = tmp_path / "r"
    command = ("bench", "message", "--data", path, "--topic", "/every", *FEW)
    done = wirecost(*command, "--out", out, "--json", "-")
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    assert document["failures"] == []
    rows = [row for row in document["rows"] if row["variant"] == "all fields"]
    found = {(row["lang"], row["contender"], row["mode"]) for row in rows}
    other = "wirecost-cdr" if dialect == "ros1" else "wirecost-ros1"
    for name in ("wirecost", other):
        assert {("cpp", name, mode) for mode in ("new", "reused", "view")} <= found
        assert ("python", name, "new") in found
    assert {one for one in others if HAS[one[1]]} <= found
    assert Path("/usr/include/flatbuffers").is_dir() == (
        ("cpp", "flatbuffers-table", "reused") in found
    )
    assert HAS["protobuf"] == (("cpp", "protobuf", "arena") in found)
    size = round(sum(map(len, sent)) / len(sent))
    mine = [row for row in rows if row["contender"] in ("wirecost", *(one[1] for one in others))]
    assert {row["bytes"] for row in mine} == {size}
    assert len({row["digest"] for row in rows}) == 1
    meta = json.loads((out / "meta.json").read_text())
    assert sum(field["own"] for field in meta["fields"]) == sum(map(len, sent))


def test_a_msg_file_is_measured_in_the_dialect_asked_for(wirecost: Run, tmp_path: Path) -> None:
    every(tmp_path, "ros1")
    path = tmp_path / "mine" / "msg" / "Part.msg"
    command = ("bench", "message", path, "--lang", "python", *FEW)
    for dialect, wire in (("ros1", "ros1"), ("ros2", "cdr")):
        out = tmp_path / dialect
        done = wirecost(*command, "--dialect", dialect, "--out", out)
        assert done.returncode == 0, done.stderr
        contenders = json.loads((out / "meta.json").read_text())["contenders"]
        assert contenders["python wirecost new"]["wire"] == wire


def test_a_rate_says_what_the_whole_path_takes(wirecost: Run, tmp_path: Path) -> None:
    every(tmp_path, "ros1")
    path = tmp_path / "mine" / "msg" / "Part.msg"
    command = ("bench", "message", path, "--lang", "python", *FEW, "--out", tmp_path / "r")
    done = wirecost(*command, "--rate", "100", "--subscribers", "2", "--over", "zeromq")
    assert done.returncode == 0, done.stderr
    assert "At 100 Hz, over zeromq, to 2 subscribers," in " ".join(done.stdout.split())
    found = json.loads((tmp_path / "r" / "meta.json").read_text())["at_rate"]
    assert (found["rate"], found["subscribers"]) == (100, 2)
    carrying = found["carrying"]
    assert carrying["received"] == 1 and carrying["messages"] == 300
    assert carrying["sender_ns"] > 0 and carrying["subscriber_ns"] > 0
