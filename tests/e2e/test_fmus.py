# SPDX-License-Identifier: Apache-2.0
"""The FMUs are what FMI and OSMP ask for, as another importer would find them."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
import sys
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView
from osi3.osi_sensorviewconfiguration_pb2 import SensorViewConfiguration

from wirecost.measure.bench.osi.contenders import ROLES, Registry
from wirecost.measure.bench.osi.fmu import Cosimulation, OsmpMessage, open_fmu
from wirecost.results.records.probe_export import export
from wirecost.results.records.probe_log import read_logs as read_probe_logs
from wirecost.results.records.setlevel import read_logs
from wirecost.results.records.stages import step_stages

REGISTRY = Registry()
MODELS = sorted({c.fmus for c in REGISTRY.contenders.values() if not c.minutes})
ARCHIVES = [
    REGISTRY.archive(name, role, fmi, "release")
    for name in MODELS
    for role in ("source", "sensor", "player")
    for fmi in (2, 3)
]


def content(message: OsmpMessage) -> bytes:
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


def of_sum(view: SensorView) -> int:
    """Return a sensor's sum of all reflections: cpp/fmu/sensor/read_sum.hpp."""
    reflections = view.lidar_sensor_view[0].reflection
    flights = sum(bits(one.time_of_flight) for one in reflections) % 2**64
    signals = sum(bits(one.signal_strength) for one in reflections) % 2**64
    both = flights ^ (signals << 16 | signals >> 48) % 2**64
    return ctypes.c_int32(both ^ both >> 32).value


def bits(value: float) -> int:
    return int.from_bytes(struct.pack("=d", value), sys.byteorder)


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("values", [{"varied": False}, {}, {"distinct": True}], ids=str)
def test_a_sensor_that_reads_all_has_read_all(
    values: dict[str, bool], fmi: int, tmp_path: Path
) -> None:
    logs = {"log_folder": str(tmp_path)}
    sums = {}
    for name in ("protobuf", "protobuf-view", "flatbuffers-table", "columns"):
        pair = Cosimulation(
            *(open_fmu(REGISTRY.archive(name, role, fmi, "release")) for role in ROLES)
        )
        pair.start(logs | {"reflections": 8700} | values, logs | {"read_all": True})
        pair.step()
        if name == "protobuf":
            view = SensorView.FromString(content(pair.sensor_view))
            different = {one.time_of_flight for one in view.lidar_sensor_view[0].reflection}
        sums[name] = pair.read_sum
        pair.close()
    assert set(sums.values()) == {of_sum(view)}
    assert len(different) == {"{'varied': False}": 1, "{}": 256}.get(str(values), 8700)


def test_two_messages_stay_valid(tmp_path: Path) -> None:
    """A pointer handed out is good until the second following step."""
    for name in MODELS:
        fmu = open_fmu(REGISTRY.archive(name, "source", 2, "release"))
        fmu.start({"reflections": 500, "log_folder": str(tmp_path)})
        fmu.step(0.0)
        first = fmu.message("OSMPSensorViewOut")
        kept = content(first)
        fmu.step(0.02)
        assert content(first) == kept, name
        assert fmu.message("OSMPSensorViewOut").address != first.address
        fmu.close()


@pytest.mark.parametrize("name", ["columns", "columns-reduced", "protobuf-view"])
def test_warm_steps_take_no_page_fault(name: str, tmp_path: Path) -> None:
    pair = Cosimulation(
        *(open_fmu(REGISTRY.archive(name, role, 2, "release")) for role in ("source", "sensor"))
    )
    logs = {"log_folder": str(tmp_path)}
    pair.start(logs | {"reflections": 200_000}, logs)
    for _ in range(6):
        pair.step()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(50):
        pair.step()
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    pair.close()
    # One message has 800 pages; those of the performance log are there beforehand.
    assert faults < 20


def test_a_killed_simulation_leaves_its_events(tmp_path: Path) -> None:
    child = os.fork()
    if child == 0:
        pair = Cosimulation(
            *(open_fmu(REGISTRY.archive("columns", role, 2, "release")) for role in ROLES)
        )
        logs = {"log_folder": str(tmp_path)}
        pair.start(logs | {"reflections": 36}, logs)
        for _ in range(4000):  # more than one of a model's logs holds
            pair.step()
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert list(tmp_path.glob("*.json")) == []
    left = read_probe_logs([tmp_path])
    export(left, "setlevel", tmp_path / "timing.json")
    for name, of_a_step in (("source_columns", 4), ("sensor_columns", 5)):
        logs = [log for log in read_logs(tmp_path / "timing.json") if log.model == name]
        events = pl.concat([log.events for log in logs]).sort("time_ns")
        assert len(events) == 4000 * of_a_step
        last = events.row(-1, named=True)
        assert last["event"] == "StopRelease"
        assert last["simulation_time"] == pytest.approx(4000 * 0.02)
        stages = step_stages(events)
        assert stages["step"].max() == 3999


def test_logs_that_cannot_be_written_are_reported_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    fmu = open_fmu(REGISTRY.archive("columns", "source", 2, "release"))
    fmu.start({"reflections": 36, "log_folder": str(tmp_path / "file")})
    fmu.step(0.0)
    with pytest.raises(FMICallException):
        fmu.close()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("bytes_left", [0, 20480 + 1000])
def test_a_log_that_is_cut_ends_no_simulation(bytes_left: int, tmp_path: Path) -> None:
    """In a process of its own, which SIGBUS would end. What is not whole is reported."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            fmu = open_fmu(REGISTRY.archive("columns", "source", 2, "release"))
            fmu.start({"reflections": 36, "log_folder": str(tmp_path)})
            for step in range(200):
                fmu.step(0.02 * step)
                if step == 100:
                    (log,) = tmp_path.glob("*.wprobe")
                    os.truncate(log, bytes_left)
            try:
                fmu._fmu.terminate()  # type: ignore[attr-defined]
            except FMICallException:  # as for every log that cannot be written
                status = 0
            with suppress(FMICallException):
                fmu.close()
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert list(tmp_path.glob("*.json")) == []


def test_a_verified_reader_refuses_what_leads_out_of_the_message(tmp_path: Path) -> None:
    source, sensor = (
        open_fmu(REGISTRY.archive("flatbuffers-table-verified", role, 2, "release"))
        for role in ROLES
    )
    logs = {"log_folder": str(tmp_path)}
    source.start(logs | {"reflections": 36})
    sensor.start(logs)
    source.step(0.0)
    view = bytearray(content(source.message("OSMPSensorViewOut")))
    buffer = (ctypes.c_char * len(view)).from_buffer(view)
    message = OsmpMessage(ctypes.addressof(buffer), len(view))
    sensor.set_message("OSMPSensorViewIn", message)
    sensor.step(0.0)
    struct.pack_into("<I", view, 0, len(view) - 2)  # the offset of the root table
    sensor.set_message("OSMPSensorViewIn", message)
    with pytest.raises(FMICallException):
        sensor.step(0.02)
    source.close()
    with suppress(FMICallException):
        sensor.close()


def write_trace(path: Path, messages: list[bytes], cut: int = 0) -> None:
    text = b"".join(struct.pack("<I", len(m)) + m for m in messages)
    path.write_bytes(text[: len(text) - cut])


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("name, published", [("columns", False), ("protobuf", True)])
def test_a_trace_is_played_frame_by_frame(
    tmp_path: Path, fmi: int, name: str, published: bool
) -> None:
    views = [SensorView() for _ in range(3)]
    for number, view in enumerate(views):
        view.sensor_id.value = number + 1
    sent = [view.SerializeToString() for view in views]
    write_trace(tmp_path / "trace.osi", sent, cut=1)
    fmu = open_fmu(REGISTRY.archive(name, "player", fmi, "release"))
    fmu.start({"trace": str(tmp_path / "trace.osi"), "published": published, "loop": True})
    received = []
    for step in range(5):
        fmu.step(step * 0.02)
        received.append(content(fmu.message("OSMPSensorViewOut")))
    fmu.close()
    # The last frame is not whole; behind the last whole one comes the first again.
    assert received == [sent[0], sent[1], sent[0], sent[1], sent[0]]


def test_a_player_that_shall_not_loop_ends_in_silence(tmp_path: Path) -> None:
    write_trace(tmp_path / "trace.osi", [b"\x0a\x00"])
    fmu = open_fmu(REGISTRY.archive("columns", "player", 2, "release"))
    fmu.start({"trace": str(tmp_path / "trace.osi"), "loop": False})
    fmu.step(0.0)
    assert fmu.message("OSMPSensorViewOut").size == 2
    fmu.step(0.02)
    assert fmu.message("OSMPSensorViewOut").size == 0
    fmu.close()


@pytest.mark.parametrize("content", [None, b"", b"\xff\xff\xff\xffabc"])
def test_a_player_refuses_what_is_no_trace(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "trace.osi"
    if content is not None:
        path.write_bytes(content)
    fmu = open_fmu(REGISTRY.archive("columns", "player", 2, "release"))
    with pytest.raises(FMICallException):
        fmu.start({"trace": str(path)})


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
        "OSMPSensorViewInConfig", OsmpMessage(ctypes.addressof(buffer), len(buffer.raw) - 1)
    )
    echoed = content(fmu.message("OSMPSensorViewInConfigRequest"))
    assert SensorViewConfiguration.FromString(echoed) == wish
    instance.freeInstance()
