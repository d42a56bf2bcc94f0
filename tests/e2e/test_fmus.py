# SPDX-License-Identifier: Apache-2.0
"""The FMUs are what FMI and OSMP ask for, as another importer would find them."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest
from fmpy.validation import validate_fmu
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView
from osi3.osi_sensorviewconfiguration_pb2 import SensorViewConfiguration

from wirecost.bench.contenders import Registry
from wirecost.bench.cosimulation import Cosimulation, Message, open_fmu

REGISTRY = Registry()
ARCHIVES = [
    REGISTRY.archive(name, role, fmi, "release")
    for name in REGISTRY.contenders
    for role in ("source", "sensor")
    for fmi in (2, 3)
]


def content(message: Message) -> bytes:
    return ctypes.string_at(message.address, message.size)


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.stem)
def test_fmpy_finds_nothing_wrong(archive: Path) -> None:
    assert validate_fmu(str(archive)) == []


@pytest.mark.parametrize("fmi", [2, 3])
def test_official_classes_read_both_messages(fmi: int, tmp_path: Path) -> None:
    source, sensor = (
        open_fmu(REGISTRY.archive("protobuf", role, fmi, "release"))
        for role in ("source", "sensor")
    )
    pair = Cosimulation(source, sensor)
    logs = {"log_folder": str(tmp_path)}
    pair.start(logs | {"reflections": 36, "objects": 10, "varied": False}, logs)
    pair.step()
    view = SensorView.FromString(content(pair.sensor_view))
    data = SensorData.FromString(content(pair.sensor_data))
    pair.close()
    assert len(view.lidar_sensor_view[0].reflection) == 36
    assert view.lidar_sensor_view[0].reflection[7].time_of_flight == 20 / 299_792_458
    ego = next(o for o in view.global_ground_truth.moving_object if o.id.value == 14)
    assert ego.base.position.x == pytest.approx(26 * 0.02)
    detections = data.feature_data.lidar_sensor[0].detection
    assert [round(d.position.distance, 9) for d in detections] == [10, 10]
    assert [o.header.ground_truth_id[0].value for o in data.moving_object] == [
        11, 12, 13, 15, 17, 18, 19,
    ]  # fmt: skip
    assert {o.candidate[0].probability for o in data.moving_object} == {1}
    assert len(list(tmp_path.glob("*_timing_*.json"))) == 2


def test_two_messages_stay_valid(tmp_path: Path) -> None:
    """A pointer handed out is good until the second following step."""
    for name in REGISTRY.contenders:
        fmu = open_fmu(REGISTRY.archive(name, "source", 2, "release"))
        fmu.start({"reflections": 500, "log_folder": str(tmp_path)})
        fmu.step(0.0)
        first = fmu.message("OSMPSensorViewOut")
        kept = content(first)
        fmu.step(0.02)
        assert content(first) == kept, name
        assert fmu.message("OSMPSensorViewOut").address != first.address
        fmu.close()


@pytest.mark.parametrize("fmi", [2, 3])
def test_the_configuration_request_echoes_what_was_set(fmi: int) -> None:
    fmu = open_fmu(REGISTRY.archive("protobuf", "sensor", fmi, "release"))
    instance = fmu._fmu  # type: ignore[attr-defined]
    instance.instantiate()
    asked = content(fmu.message("OSMPSensorViewInConfigRequest"))
    assert SensorViewConfiguration.FromString(asked).sensor_id.value == 10000
    wish = SensorViewConfiguration()
    wish.sensor_id.value = 4711
    buffer = ctypes.create_string_buffer(wish.SerializeToString())
    fmu.set_message(
        "OSMPSensorViewInConfig", Message(ctypes.addressof(buffer), len(buffer.raw) - 1)
    )
    echoed = content(fmu.message("OSMPSensorViewInConfigRequest"))
    assert SensorViewConfiguration.FromString(echoed) == wish
    instance.freeInstance()
