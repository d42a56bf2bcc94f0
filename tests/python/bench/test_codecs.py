# SPDX-License-Identifier: Apache-2.0
"""Every codec carries every scene unchanged: random ones and those of real traces."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.reader import make_reader
from osi3.osi_sensorview_pb2 import SensorView

from wirecost.measure.bench.osi.contenders import Registry
from wirecost.measure.bench.osi.verification import Canonical, IndependentReader, first_difference

CODECS = [c.name for c in Registry().contenders.values() if c.compared == "exact" and not c.minutes]
REALS = st.floats(allow_nan=False, width=64)
IDS = st.integers(0, 2**64 - 1)

Read = Callable[[str, bytes], Canonical]
Transcode = Callable[[str, bytes], bytes]


@st.composite
def sensor_views(draw: st.DrawFn) -> SensorView:
    view = SensorView()
    view.version.version_major = draw(st.integers(0, 2**32 - 1))
    view.timestamp.seconds = draw(st.integers(-(2**63), 2**63 - 1))
    view.timestamp.nanos = draw(st.integers(0, 2**32 - 1))
    view.sensor_id.value = draw(IDS)
    view.host_vehicle_id.value = draw(IDS)
    ground_truth = view.global_ground_truth
    ground_truth.timestamp.CopyFrom(view.timestamp)
    ground_truth.host_vehicle_id.CopyFrom(view.host_vehicle_id)
    for _ in range(draw(st.integers(0, 3))):
        item = ground_truth.moving_object.add()
        item.id.value = draw(IDS)
        item.type = draw(st.integers(0, 4))
        item.vehicle_classification.type = draw(st.integers(0, 12))
        item.vehicle_classification.light_state.indicator_state = draw(st.integers(0, 5))
        for vector in (
            item.base.position,
            item.base.velocity,
            item.base.acceleration,
            item.vehicle_attributes.bbcenter_to_rear,
        ):
            vector.x, vector.y, vector.z = (draw(REALS) for _ in range(3))
        item.base.dimension.length = draw(REALS)
        item.base.orientation.yaw = draw(REALS)
        item.base.orientation_rate.roll = draw(REALS)
    lidar = view.lidar_sensor_view.add()
    lidar.view_configuration.field_of_view_vertical = draw(REALS)
    for time, strength in draw(st.lists(st.tuples(REALS, REALS), max_size=5)):
        lidar.reflection.add(time_of_flight=time, signal_strength=strength)
    return view


@pytest.mark.parametrize("codec", CODECS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(view=sensor_views())
def test_a_random_view_reads_the_same_on_every_wire(
    codec: str, view: SensorView, transcode: Transcode, read: Read
) -> None:
    original = view.SerializeToString()
    expected, actual = read("protobuf", original), read(codec, transcode(codec, original))
    assert first_difference(actual, expected) == ""


def views_of(path: Path) -> Iterator[bytes]:
    if path.suffix == ".mcap":
        with path.open("rb") as file:
            for schema, _, message in make_reader(file).iter_messages():
                if schema is not None and schema.name == "osi3.SensorView":
                    yield message.data
        return
    content = path.read_bytes()
    at = 0
    while at + 4 <= len(content):
        (size,) = struct.unpack_from("<I", content, at)
        yield content[at + 4 : at + 4 + size]
        at += 4 + size


@pytest.mark.parametrize("codec", CODECS)
def test_real_scenes_read_the_same_on_every_wire(
    codec: str, osi_data: Path, transcode: Transcode, read: Read
) -> None:
    """Everything in a real view (its moving objects above all) survives every codec."""
    objects = 0
    for path in sorted([*osi_data.rglob("*.osi"), *osi_data.rglob("*.mcap")]):
        for number, content in enumerate(views_of(path)):
            if number == 3:
                break
            carried = transcode("protobuf", content)
            objects += _same_objects(SensorView.FromString(content), SensorView.FromString(carried))
            expected, actual = read("protobuf", carried), read(codec, transcode(codec, content))
            assert first_difference(actual, expected) == "", path
    assert objects > 50


def _same_objects(original: SensorView, carried: SensorView) -> int:
    ours = carried.global_ground_truth.moving_object
    originals = original.global_ground_truth.moving_object
    for our, other in zip(ours, originals, strict=True):
        assert our.id.value == other.id.value
        assert our.type == other.type
        for part in ("position", "velocity", "acceleration"):
            our_vector, original_vector = getattr(our.base, part), getattr(other.base, part)
            assert (our_vector.x, our_vector.y, our_vector.z) == (
                original_vector.x,
                original_vector.y,
                original_vector.z,
            )
        assert our.base.dimension == other.base.dimension
        assert our.vehicle_classification.type == other.vehicle_classification.type
    return len(ours)


def test_a_difference_is_shown_with_its_path(read: Read) -> None:
    view = SensorView()
    lidar = view.lidar_sensor_view.add()
    for strength in (1.5, 2.5):
        lidar.reflection.add(signal_strength=strength)
    message = read("protobuf", view.SerializeToString())
    lidar.reflection[1].signal_strength = 2.75
    other = read("protobuf", view.SerializeToString())
    where = "lidar_sensor_view[0].reflection[1].signal_strength"
    assert first_difference(message, other) == f"{where}: 2.5 against 2.75"


def test_an_unknown_wire_is_an_error_that_lists_those_of_the_registry() -> None:
    with pytest.raises(ValueError, match="no independent reader for the wire") as caught:
        IndependentReader("bson", Path("-"))
    wires = str(caught.value).partition("known wires: ")[2].split(", ")
    assert set(wires) == {contender.wire for contender in Registry().contenders.values()}
