# SPDX-License-Identifier: Apache-2.0
"""What bench repeated verifies with: contents, independent readers, comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from support import columns_reference
from wirecost.bench.program import SCHEMAS
from wirecost.bench.repeated import readers
from wirecost.bench.repeated.content import LISTS, OF_SCANS, Content, of_scan, synthetic
from wirecost.bench.repeated.program import Field, RepeatedField, packed, unpacked
from wirecost.bench.repeated.race import difference
from wirecost.errors import UserError

DETECTIONS = RepeatedField(
    "lidar-detection",
    "osi3.LidarDetectionData",
    2,
    (
        Field("existence_probability", "f8", 1e-3),
        Field("object_id.value", "u8", 0),
        Field("position.distance", "f8", 1e-3),
        Field("intensity", "f8", 0.1),
        Field("classification", "i4", 0),
        Field("beam_id.value", "u8", 0),
    ),
)
POINTS = RepeatedField(
    "point", "lists_msgs.Points", 1, (Field("x", "f4", 1e-3), Field("ring", "u2", 0))
)
COLUMNS = columns_reference.tag(6 * (1 << 26) + 2, 2)


def content(count: int) -> Content:
    made = synthetic("lidar-detection", count, seed=3)
    return unpacked(DETECTIONS.fields, packed(DETECTIONS.fields, made), count)


def rows_of(values: Content) -> Any:
    """The content as Google's message."""
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(
        (SCHEMAS / "osi.fds").read_bytes()
    ).file:
        pool.Add(file)
    message = message_factory.GetMessageClass(pool.FindMessageTypeByName(DETECTIONS.message))()
    for i in range(len(values["intensity"])):
        row = message.detection.add()
        for field in DETECTIONS.fields:
            *around, last = field.name.split(".")
            holder = getattr(row, around[0]) if around else row
            setattr(holder, last, values[field.name][i].item())
    return message


def in_columns(message: Any, reduction: columns_reference.Reduction) -> bytes:
    rows = list(message.detection)
    columns = columns_reference.columns(rows, rows[0].DESCRIPTOR, reduction)
    return COLUMNS + columns_reference.varint(len(columns)) + columns


def test_a_protobuf_message_is_read() -> None:
    expected = content(50)
    data = rows_of(expected).SerializeToString()
    found = readers.protobuf(DETECTIONS, data)
    assert difference(DETECTIONS.fields, found, expected, reduced=False) is None
    with pytest.raises(ValueError, match="parsing"):
        readers.protobuf(DETECTIONS, data[:-1])


def test_a_field_that_an_element_lacks_is_no_zero() -> None:
    message = rows_of(content(5))
    message.detection[3].ClearField("intensity")
    with pytest.raises(ValueError, match="an element has no intensity"):
        readers.protobuf(DETECTIONS, message.SerializeToString())
    with pytest.raises(ValueError, match="some elements have no intensity"):
        readers.columns(DETECTIONS, in_columns(message, columns_reference.Reduction()))


@pytest.mark.parametrize("form", ["exact", "auto"])
def test_columns_of_the_reference_writer_are_read(form: str) -> None:
    expected = content(200)
    expected["beam_id.value"] = np.repeat(np.arange(4, dtype=np.uint64), 50)  # runs
    expected["existence_probability"] = np.full(200, 0.875)  # a constant
    data = in_columns(rows_of(expected), columns_reference.Reduction(form))
    found = readers.columns(DETECTIONS, data)
    assert difference(DETECTIONS.fields, found, expected, reduced=False) is None


def test_reduced_columns_are_as_near_as_stated() -> None:
    expected = content(200)
    data = in_columns(rows_of(expected), columns_reference.Reduction("error", 1e-3))
    found = readers.columns(DETECTIONS, data)
    assert difference(DETECTIONS.fields, found, expected, reduced=True) is None
    reported = difference(DETECTIONS.fields, found, expected, reduced=False)
    assert reported is not None
    assert reported.startswith("existence_probability of element 0")


def test_damaged_columns_are_refused() -> None:
    data = in_columns(rows_of(content(20)), columns_reference.Reduction())
    for bad in (b"", data[:40], COLUMNS + b"\0", data + data):
        with pytest.raises((ValueError, IndexError)):
            readers.columns(DETECTIONS, bad)


def test_ros1_records_are_read() -> None:
    data = b"\2\0\0\0" + np.array([1.5, -2], "<f4")[:1].tobytes() + b"\7\0"
    data += np.array([-2], "<f4").tobytes() + b"\1\1"
    found = readers.ros1(POINTS, data)
    assert found["x"].tolist() == [1.5, -2]
    assert found["ring"].tolist() == [7, 257]
    with pytest.raises(ValueError, match="cannot hold 2 records of 6"):
        readers.ros1(POINTS, data + b"\0")


def changed(values: Content, name: str, at: int, value: float) -> Content:
    array = values[name].copy()
    array[at] = value
    return values | {name: array}


def test_one_bit_is_a_difference() -> None:
    exact = content(10)
    exact = changed(exact, "intensity", 4, 0.0)
    wrong = changed(exact, "intensity", 4, -0.0)
    reported = difference(DETECTIONS.fields, wrong, exact, reduced=False)
    assert reported is not None
    assert reported.startswith("intensity of element 4 is ")


@pytest.mark.parametrize("value", [0.1001, -0.1001, np.nan, np.inf])
def test_more_than_the_stated_error_is_a_difference(value: float) -> None:
    exact = changed(content(10), "intensity", 9, 0.0)
    near = changed(exact, "intensity", 9, 0.0999)
    assert difference(DETECTIONS.fields, near, exact, reduced=True) is None
    wrong = changed(exact, "intensity", 9, value)
    assert difference(DETECTIONS.fields, wrong, exact, reduced=True) is not None


def test_what_has_no_stated_error_is_exact_in_reduced_columns() -> None:
    exact = content(10)
    wrong = changed(exact, "object_id.value", 2, exact["object_id.value"][2] + 1)
    assert difference(DETECTIONS.fields, wrong, exact, reduced=True) is not None


def test_a_missing_element_is_a_difference() -> None:
    exact = content(10)
    short = {name: array[:-1] for name, array in exact.items()}
    reported = difference(DETECTIONS.fields, short, exact, reduced=True)
    assert reported == "existence_probability has 9 values instead of 10"


@pytest.mark.parametrize("name", LISTS)
def test_contents_follow_the_seed(name: str) -> None:
    one, same, other = (synthetic(name, 33, seed) for seed in (1, 1, 2))
    assert all(len(array) == 33 for array in one.values())
    assert all(np.array_equal(one[field], same[field]) for field in one)
    assert any(not np.array_equal(one[field], other[field]) for field in one)


def pcd(path: Path, fields: str, rows: list[str]) -> Path:
    many = len(fields.split())
    path.write_text(
        f"VERSION 0.7\nFIELDS {fields}\nSIZE {'4 ' * many}\nTYPE {'F ' * many}\n"
        f"COUNT {'1 ' * many}\nWIDTH {len(rows)}\nHEIGHT 1\nPOINTS {len(rows)}\nDATA ascii\n"
        + "".join(f"{row}\n" for row in rows)
    )
    return path


def test_a_scan_fills_the_lidars_lists(tmp_path: Path) -> None:
    path = pcd(tmp_path / "a.pcd", "x y z intensity", ["3 4 0 255", "0 0 0 1", "nan 1 1 1"])
    made = {name: of_scan(name, path) for name in OF_SCANS}
    detection = made["lidar-detection"]
    assert detection["position.distance"].tolist() == [5.0]
    assert detection["position.azimuth"][0] == np.arctan2(4, 3)
    assert detection["intensity"].tolist() == [100.0]
    assert made["lidar-reflection"]["time_of_flight"][0] == pytest.approx(10 / 299_792_458)
    assert made["point"]["x"].tolist() == [3.0]
    assert set(detection) == set(synthetic("lidar-detection", 1, 1))


@pytest.mark.parametrize(
    ("fields", "row", "reported"),
    [("x y", "1 2", "has no field z"), ("x y z", "0 0 0", "has no points")],
)
def test_a_scan_without_points_is_refused(
    tmp_path: Path, fields: str, row: str, reported: str
) -> None:
    with pytest.raises(UserError, match=reported):
        of_scan("point", pcd(tmp_path / "a.pcd", fields, [row]))
