# SPDX-License-Identifier: Apache-2.0
"""Real OSI messages and made ones: rows to columns and back keep every bit."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from google.protobuf.message import Message
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView

from support.osi_columns import back, hostile
from support.random_protobuf import fill
from support.traces import messages
from wirecost.schema.columns import lists
from wirecost.schema.columns.converter import Converter, osi_schema
from wirecost.system.errors import UserError

ROOT = Path(__file__).parents[3]
DATA = Path(os.environ.get("WIRECOST_DATA", ROOT.parent / "shared" / "data")) / "osi"
TRACES = sorted([*DATA.glob("*/*.osi"), *DATA.glob("*/*.mcap")])
TYPES: dict[str, type[Message]] = {
    "SensorView": SensorView,
    "GroundTruth": GroundTruth,
    "SensorData": SensorData,
}


@cache
def there(name: str, *reductions: str) -> Converter:
    return Converter.to_columns_of(f"osi3.{name}", ["all"], reductions)


def assert_survives(name: str, data: bytes, *reductions: str) -> int:
    """Bytes in columns of a message that must be the same message afterwards."""
    columns = bytes(there(name, *reductions).to_columns(memoryview(data)))
    assert there(name, *reductions).refused == 0
    rows = bytes(back(name).to_rows(memoryview(columns)))
    type_ = TYPES[name]
    assert type_.FromString(rows) == type_.FromString(data)
    return len(columns)


@pytest.mark.skipif(not TRACES, reason=f"no traces in {DATA}; set WIRECOST_DATA")
@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
@pytest.mark.parametrize("reduction", ["*=exact", "*=auto"])
def test_every_message_of_a_trace_survives(path: Path, reduction: str) -> None:
    converted = 0
    for name, data in messages(path):
        if name in TYPES:
            assert_survives(name, data, reduction)
            converted += 1
    assert bool(converted) == (path.name != "only_osi_topic.mcap")  # which is ROS 1 encoded


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("seed", range(4))
def test_random_messages_survive(name: str, seed: int) -> None:
    message = fill(TYPES[name](), random.Random(seed), depth=5)
    assert_survives(name, message.SerializeToString())
    assert_survives(name, message.SerializeToString(), "*=auto")


def test_official_classes_see_all_but_the_columns() -> None:
    view = SensorView()
    view.sensor_id.value = 5
    lidar = view.lidar_sensor_view.add()
    lidar.view_configuration.field_of_view_horizontal = 1.5
    for number in range(100):
        lidar.reflection.add(time_of_flight=1e-7 * number, signal_strength=-20)
    data = view.SerializeToString()
    columns = bytes(there("SensorView").to_columns(memoryview(data)))
    seen = SensorView.FromString(columns)
    assert len(seen.lidar_sensor_view[0].reflection) == 0
    again = bytes(back("SensorView").to_rows(memoryview(seen.SerializeToString())))
    assert SensorView.FromString(again) == view
    lidar.ClearField("reflection")
    seen.lidar_sensor_view[0].DiscardUnknownFields()
    assert seen == view


def test_rows_beside_columns_serve_old_readers() -> None:
    view = SensorView()
    view.lidar_sensor_view.add().reflection.add(time_of_flight=1.0)
    data = view.SerializeToString()
    both = bytes(there("SensorView").to_columns(memoryview(data), keep_rows=True))
    seen = SensorView.FromString(both)
    assert seen.lidar_sensor_view[0].reflection == view.lidar_sensor_view[0].reflection
    assert SensorView.FromString(bytes(back("SensorView").to_rows(memoryview(both)))) == view


@pytest.mark.parametrize("count", [0, 1, 7, 1000])
def test_what_stands_before_a_message_counts_for_its_alignment(count: int) -> None:
    view = SensorView()
    lidar = view.lidar_sensor_view.add()
    for number in range(count):
        lidar.reflection.add(time_of_flight=1e-7 * number, signal_strength=-20)
    data = memoryview(view.SerializeToString())
    columns = bytes(there("SensorView").to_columns(data, before=4))
    assert (len(columns) + 4) % 64 == 0
    assert SensorView.FromString(bytes(back("SensorView").to_rows(memoryview(columns)))) == view


def test_rows_with_fields_nobody_knows_stay_rows() -> None:
    view = SensorView()
    view.global_ground_truth.moving_object.add().id.value = 3
    inner = view.global_ground_truth.moving_object[0].SerializeToString() + b"\xa2\x7d\x01x"
    truth = b"\x2a" + bytes([len(inner)]) + inner
    data = b"\x3a" + bytes([len(truth)]) + truth
    converter = there("SensorView")
    assert bytes(converter.to_columns(memoryview(data))) == data
    assert converter.refused == 1


@pytest.mark.parametrize("path", ["nothing", "sensor_id", "lidar_sensor_view.nothing"])
def test_a_path_that_is_no_list_is_named(path: str) -> None:
    with pytest.raises(UserError, match=path):
        Converter.to_columns_of("osi3.SensorView", [path])


def test_all_lists_are_those_that_come_once_a_sensor_and_more() -> None:
    elements = lists.chosen(osi_schema(), "osi3.SensorView", ["all"])
    assert {"osi3.LidarSensorView.Reflection", "osi3.MovingObject"} <= set(elements)
    assert "osi3.LidarSensorView" not in elements


def test_a_result_keeps_its_converter() -> None:
    """In whose memory it lies."""
    message = SensorView()
    message.global_ground_truth.moving_object.add().id.value = 7
    data = memoryview(message.SerializeToString())
    columns = Converter.to_columns_of("osi3.SensorView", ["all"]).to_columns(data)
    rows = Converter.to_rows_of("osi3.SensorView").to_rows(columns)
    others = [Converter.to_rows_of("osi3.SensorView").to_rows(data) for _ in range(10)]
    assert SensorView.FromString(bytes(rows)) == message
    assert all(bytes(other) == bytes(data) for other in others)


def test_what_is_no_message_is_refused() -> None:
    for data in (b"\x3a\x7f", b"\x07", b"\xff" * 12):
        with pytest.raises(ValueError, match="byte"):
            there("SensorView").to_columns(memoryview(data))
        with pytest.raises(ValueError, match="byte"):
            back("SensorView").to_rows(memoryview(data))


CHILD = """
import resource, sys
limit = 1 << 30
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
from support.osi_columns import back, hostile
try:
    back("SensorView").to_rows(memoryview(hostile(int(sys.argv[1]))))
except ValueError as error:
    sys.exit(str(error))
"""


@pytest.mark.parametrize("sensors", [1, 80])
def test_few_bytes_do_not_become_many(sensors: int) -> None:
    """In a process that could not hold the rows."""
    assert len(hostile(sensors)) < 3000
    command = [sys.executable, "-c", CHILD, str(sensors)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "larger than the" in done.stderr
