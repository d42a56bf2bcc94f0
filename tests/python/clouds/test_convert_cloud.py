# SPDX-License-Identifier: Apache-2.0
"""``wirecost convert-cloud``: files of scans and recordings to packed clouds, and back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from typer.testing import CliRunner

import wirecost.cloud
from clouds.test_packed import bytes_of, scan
from cost.drives import POINTS, RATES_HZ, SECONDS, drive
from wirecost.cli import app
from wirecost.data.clouds.packed import point_fields
from wirecost.data.clouds.packed_recording import McapMessages
from wirecost.data.clouds.scan_writers import WRITERS
from wirecost.data.recordings.mcap.writer import McapSchema
from wirecost.system.errors import UserError

CLOUD = "sensor_msgs/msg/PointCloud2"
PACKED = "point_cloud_interfaces/msg/CompressedPointCloud2"
DEFINITION = """
std_msgs/Header header

uint32 height
uint32 width

sensor_msgs/PointField[] fields

bool is_bigendian

uint32 point_step

uint32 row_step

uint8[] compressed_data

bool is_dense

# compression format used (e.g. draco, zlib, etc.)
string format
"""
"""point_cloud_interfaces' message, of github.com/ros-perception/point_cloud_transport_plugins."""
SINGLE = ["x", "y", "z", "intensity", "ring", "t", "noise", "i", "u", "h"]


def run(*words: str | Path) -> Any:
    return CliRunner().invoke(app, ["convert-cloud", *map(str, words)])


def converted(*words: str | Path) -> dict[str, Any]:
    result = run(*words, "--json", "-")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def refusal(*words: str | Path) -> str:
    error = run(*words).exception
    assert isinstance(error, UserError), error
    return str(error)


@pytest.fixture
def pcd(tmp_path: Path) -> Path:
    path = tmp_path / "scan.pcd"
    path.write_bytes(WRITERS[".pcd"](scan()[SINGLE]))
    return path


@pytest.mark.parametrize("suffix", [".pcd", ".ply"])
@pytest.mark.parametrize("quick", [(), ("--quick",)])
def test_a_scan_comes_back_byte_by_byte(pcd: Path, suffix: str, quick: tuple[str, ...]) -> None:
    first, packed, back = pcd.with_suffix(suffix), pcd.with_suffix(".wcloud"), pcd.parent / "back"
    first.write_bytes(WRITERS[suffix](scan()[SINGLE]))
    found = converted(first, packed, *quick)
    assert found["errors"] == {}
    assert found["fields"]["ring"] == "uint16"
    assert found["packed_bytes"] == packed.stat().st_size
    converted(packed, back.with_suffix(suffix))
    assert back.with_suffix(suffix).read_bytes() == first.read_bytes()


def test_the_errors_are_those_made(pcd: Path) -> None:
    packed = pcd.with_suffix(".wcloud")
    found = converted(pcd, packed, "--error", "2mm")
    points = wirecost.cloud.decode(packed.read_bytes())
    for name in SINGLE:
        if name not in "xyz":
            assert points[name].tobytes() == scan()[name].tobytes()
            continue
        away = np.abs(points[name].astype(float) - scan()[name]).max()
        assert found["errors"][name] == away
        assert 0.001 < away <= 0.002


def test_kitti_takes_its_four_fields(tmp_path: Path, pcd: Path) -> None:
    points = np.random.default_rng(1).normal(0, 20, (500, 4)).astype("<f4")
    points[:, 3] = abs(points[:, 3])
    (tmp_path / "0.bin").write_bytes(points.tobytes())
    converted(tmp_path / "0.bin", tmp_path / "0.wcloud")
    converted(tmp_path / "0.wcloud", tmp_path / "1.bin")
    assert (tmp_path / "1.bin").read_bytes() == points.tobytes()
    converted(pcd, tmp_path / "2.wcloud")
    said = refusal(tmp_path / "2.wcloud", tmp_path / "2.bin")
    assert "name a .pcd" in said
    assert not (tmp_path / "2.bin").exists()


def messages(path: Path) -> list[tuple[str, str, bytes, int]]:
    with path.open("rb") as file:
        return [
            (channel.topic, schema.name if schema else "", message.data, message.log_time)
            for schema, channel, message in make_reader(file).iter_messages()
        ]


@pytest.fixture
def drives(tmp_path: Path) -> Path:
    """Record clouds of a scan beside a text, as an .mcap with types as ROS 2 has them."""
    path = tmp_path / "drive.mcap"
    types = get_typestore(Stores.ROS2_HUMBLE)
    with path.open("wb") as file:
        written = McapMessages(file)
        for number in range(3):
            written.add(CLOUD, "/points", number, cloud(types, number))
        text = types.serialize_cdr(
            types.types["std_msgs/msg/String"]("fine"), "std_msgs/msg/String"
        )
        schema = McapSchema("std_msgs/msg/String", "ros2msg", b"string data")
        written.write(written.channel("/text", "cdr", schema), 5, text)
        written.finish()
    return path


def cloud(types: Any, number: int) -> bytes:
    points = scan()[number:]
    kinds = types.types
    fields = [
        kinds["sensor_msgs/msg/PointField"](name, offset, kind, count)
        for name, offset, kind, count in point_fields(points.dtype)
    ]
    header = kinds["std_msgs/msg/Header"](kinds["builtin_interfaces/msg/Time"](number, 7), "lidar")
    step = points.dtype.itemsize
    message = kinds[CLOUD](
        header, 1, len(points), fields, False, step, step * len(points),
        np.frombuffer(bytes_of(points), np.uint8), True,
    )  # fmt: skip
    return bytes(types.serialize_cdr(message, CLOUD))


def test_messages_of_a_recording_come_back(drives: Path) -> None:
    """The packed ones are read by the definition that others have."""
    packed, back = drives.with_stem("packed"), drives.with_stem("back")
    found = converted(drives, packed)
    assert (found["clouds"], found["copied"], found["errors"]) == (3, 1, {})
    types = get_typestore(Stores.ROS2_HUMBLE)
    types.register(get_types_from_msg(DEFINITION, PACKED))
    for number, (topic, kind, data, time) in enumerate(messages(packed)[:3]):
        assert (topic, kind, time) == ("/points", PACKED, number)
        message = types.deserialize_cdr(data, PACKED)
        assert types.serialize_cdr(message, PACKED) == data
        assert (message.format, message.header.frame_id) == ("wirecost/1", "lidar")
        assert message.header.stamp.sec == number
        points = wirecost.cloud.decode(message.compressed_data.tobytes())
        assert bytes_of(points) == bytes_of(scan()[number:])
    converted(packed, back)
    assert messages(back) == messages(drives)


def test_a_bag_of_ros1_becomes_ros2(tmp_path: Path) -> None:
    drive(tmp_path / "drive.bag")
    found = converted(tmp_path / "drive.bag", tmp_path / "out.mcap", "--topic", "/points")
    assert found["points"] == POINTS * RATES_HZ["/points"] * SECONDS
    assert set(found["left_out"]) == set(RATES_HZ) - {"/points"}


def test_a_wrong_message_leaves_nothing(tmp_path: Path, drives: Path) -> None:
    types = get_typestore(Stores.ROS2_HUMBLE)
    types.register(get_types_from_msg(DEFINITION, PACKED))
    packed, out = drives.with_stem("packed"), tmp_path / "out.mcap"
    converted(drives, packed)
    assert "by --memory" in refusal(packed, out, "--memory", "10kB")
    data = messages(packed)[1][2]
    other, cut = types.deserialize_cdr(data, PACKED), types.deserialize_cdr(data, PACKED)
    other.format = "draco"
    cut.compressed_data = cut.compressed_data[:-1]
    for changed, problem in (
        (types.serialize_cdr(other, PACKED), "its format is draco"),
        (types.serialize_cdr(cut, PACKED), "pack the cloud again"),
        (data[:50], "is no point_cloud_interfaces"),
    ):
        with packed.open("wb") as file:
            written = McapMessages(file)
            written.add(PACKED, "/points", 0, bytes(changed))
            written.finish()
        assert problem in refusal(packed, out)
    assert not list(tmp_path.glob("*out*"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("scan.pcd", "out.ply"), "name such a file"),
        (("scan.pcd", "out.wcloud", "--error", "much"), "such as 1mm"),
        (("scan.pcd", "out.wcloud", "--error", "0mm"), "such as 1mm"),
        (("scan.pcd", "out.wcloud", "--topic", "/a"), "is for recordings"),
        (("scan.pcd", "no/out.wcloud"), "name another file"),
        (("scan.pcd", "scan.wcloud"), "exists"),
        (("scan.wcloud", "out.pcd"), "pack the cloud again"),
        (("scan.wcloud", "out.pcd", "--quick"), "leave them out"),
        (("none.wcloud", "out.pcd"), "name a readable .wcloud file"),
        (("scan.txt", "out.wcloud"), "or a recording to read"),
    ],
)
def test_a_refusal_is_one_line(
    pcd: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(pcd.parent)
    Path("scan.wcloud").write_bytes(b"WPC1")
    text = refusal(*words)
    assert said in text
    assert "\n" not in text
    assert not list(Path().glob("out.*"))


def test_the_answer_is_one_screen(pcd: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "wirecost", "convert-cloud", "scan.pcd", "scan.wcloud"],
        capture_output=True, text=True, check=True, cwd=pcd.parent,
        env=os.environ | {"COLUMNS": "80"},
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert "every bit" in " ".join(done.stdout.split())
