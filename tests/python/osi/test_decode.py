# SPDX-License-Identifier: Apache-2.0
"""Bytes of a message to a record batch, as other engines call it."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import wirecost.data.osi
from support import needs
from wirecost.data.traces import create_trace, messages, open_trace
from wirecost.data.traces.conversion import Wanted, conversion
from wirecost.system.errors import UserError

OBJECTS = "global_ground_truth.moving_object"
REFLECTIONS = "lidar_sensor_view.reflection"


@pytest.fixture(autouse=True)
def _arrow() -> None:
    needs.package("pyarrow")


def view(*counts: int) -> bytes:
    """Return a sensor view of as many lidars, with so many reflections each."""
    message = messages.message_class("SensorView")()
    for sensor, count in enumerate(counts):
        lidar = message.lidar_sensor_view.add()  # type: ignore[attr-defined]
        for number in range(count):
            lidar.reflection.add(time_of_flight=1 + sensor + number / 8)
    return message.SerializeToString()


def test_rows_and_columns_give_the_same_batch(osi_data: Path) -> None:
    (path,) = osi_data.rglob("20230621T113737Z_sv_350_32112_100.osi")
    decode = pickle.loads(pickle.dumps(wirecost.data.osi.Decoder("SensorView", OBJECTS)))
    in_columns = conversion("SensorView", Wanted(columns=(OBJECTS,), reduce=("*=auto",)))
    assert in_columns is not None
    with open_trace(path) as trace:
        for _, message in trace.frames():
            batch = decode(bytes(message))
            parsed = messages.parse("SensorView", message)
            rows = parsed.global_ground_truth.moving_object  # type: ignore[attr-defined]
            assert batch.schema == decode.schema
            assert batch.column("id").to_pylist() == [{"value": row.id.value} for row in rows]
            positions = batch.column("base").field("position").field("x").to_pylist()
            assert positions == [row.base.position.x for row in rows]
            assert decode(in_columns(message)).equals(batch)


def test_lists_of_several_sensors_follow_each_other() -> None:
    message = view(2, 0, 1)
    decode = wirecost.data.osi.Decoder("SensorView", REFLECTIONS)
    assert decode(message).column("time_of_flight").to_pylist() == [1, 1.125, 3]
    decoder = wirecost.data.osi.Decoder("SensorView", "lidar_sensor_view[2].reflection")
    assert decoder(message).column("time_of_flight").to_pylist() == [3]


@pytest.mark.parametrize("message", [b"", view(), view(0)])
def test_without_elements_the_schema_is_the_same(message: bytes) -> None:
    decode = wirecost.data.osi.Decoder("SensorView", REFLECTIONS)
    batch = decode(message)
    assert (batch.num_rows, batch.schema) == (0, decode.schema)


def test_what_is_no_message_is_refused() -> None:
    decode = wirecost.data.osi.Decoder("SensorView", REFLECTIONS)
    with pytest.raises(UserError, match="not a SensorView"):
        decode(b"\xff\xff")


@pytest.mark.parametrize("path", ["", "nothing", "host_vehicle_data", "timestamp.seconds", OBJECTS])
def test_what_is_no_list_is_refused(path: str) -> None:
    with pytest.raises(UserError, match=r"no list of TrafficUpdate that there are columns for"):
        _ = wirecost.data.osi.Decoder("TrafficUpdate", path).schema


def test_a_batch_outlives_its_message(tmp_path: Path) -> None:
    path = tmp_path / "drive_sv_.osi"
    with create_trace(path, "SensorView") as writer:
        writer.write(0, view(3))
    decode = wirecost.data.osi.Decoder("SensorView", REFLECTIONS)
    with wirecost.data.osi.open(path) as frames:
        batch = decode(frames[0].data)
    path.unlink()
    assert batch.column("time_of_flight").to_pylist() == [1, 1.125, 1.25]
