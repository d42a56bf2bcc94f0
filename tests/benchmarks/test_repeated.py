# SPDX-License-Identifier: Apache-2.0
"""Lists of the study repeated: contents, schemas, and the independent reader of columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf.message import DecodeError
from syrupy.assertion import SnapshotAssertion

from support import columns_reference
from wirecost.system.errors import UserError
from wirecost_scenarios.repeated.contents import SCANNED, Content, of_scan, synthetic
from wirecost_scenarios.repeated.elements import RepeatedElements, repeated_elements
from wirecost_scenarios.repeated.reader import ColumnsReader
from wirecost_scenarios.repeated.settings import LISTS

DETECTIONS = repeated_elements("lidar-detection")
COLUMNS = columns_reference.tag(6 * (1 << 26) + DETECTIONS.field.number, 2)


def message(count: int, **values: Any) -> Any:
    """Return detections, some fields with other values."""
    content = synthetic(DETECTIONS.name, count, seed=3)
    return DETECTIONS.message(content | {name.replace("__", "."): v for name, v in values.items()})


def in_columns(rows: Any, reduction: columns_reference.Reduction) -> bytes:
    elements = list(rows.detection)
    columns = columns_reference.columns(elements, elements[0].DESCRIPTOR, reduction)
    return COLUMNS + columns_reference.varint(len(columns)) + columns


def changed(rows: Any, at: int, **values: Any) -> Any:
    other = type(rows)()
    other.CopyFrom(rows)
    for name, value in values.items():
        setattr(other.detection[at], name, value)
    return other


@pytest.mark.parametrize("name", LISTS)
def test_messages_hold_their_content(name: str) -> None:
    elements = repeated_elements(name)
    content = synthetic(name, 33, 1)
    read = elements.subject.read(elements.subject.write(elements.message(content)))
    values = elements.content(read)
    for field in elements.fields:
        assert np.array_equal(values[field.path], content[field.path].astype(field.dtype))


@pytest.mark.parametrize("name", LISTS)
def test_contents_follow_the_seed(name: str) -> None:
    content, same, other = (synthetic(name, 33, seed) for seed in (1, 1, 2))
    assert all(len(values) == 33 for values in content.values())
    assert all(np.array_equal(content[path], same[path]) for path in content)
    assert any(not np.array_equal(content[path], other[path]) for path in content)


def test_only_the_list_is_left_of_a_schema() -> None:
    objects = repeated_elements("moving-object").subject
    assert [field.name for field in objects.message_class.DESCRIPTOR.fields] == ["moving_object"]
    assert len(objects.message_class().moving_object.add().DESCRIPTOR.fields) > 10
    assert not any("TrafficLight" in message.full_name for message in objects.schema.messages())


@pytest.mark.parametrize("form", ["exact", "auto"])
def test_columns_of_the_reference_writer_are_read(form: str) -> None:
    rows = message(
        200, beam_id__value=np.repeat(np.arange(4), 50), existence_probability=np.full(200, 0.875)
    )
    reader = ColumnsReader(DETECTIONS)
    read = reader.read(in_columns(rows, columns_reference.Reduction(form)))
    assert reader.difference(read, rows) == ""


def test_reduced_columns_are_as_near_as_stated() -> None:
    rows = message(200)
    data = in_columns(rows, columns_reference.Reduction("error", 1e-5))
    reader = ColumnsReader(DETECTIONS, is_reduced=True)
    assert reader.difference(reader.read(data), rows) == ""
    assert "existence_probability" in ColumnsReader(DETECTIONS).difference(reader.read(data), rows)


def test_a_field_that_an_element_lacks_is_no_zero(snapshot: SnapshotAssertion) -> None:
    rows = message(5, intensity=np.zeros(5))
    lacking = changed(rows, 3)
    lacking.detection[3].ClearField("intensity")
    for reader in (ColumnsReader(DETECTIONS), ColumnsReader(DETECTIONS, is_reduced=True)):
        assert reader.difference(lacking, rows) == snapshot(name="difference")
        with pytest.raises(DecodeError, match="some elements have no intensity"):
            reader.read(in_columns(lacking, columns_reference.Reduction()))


def test_damaged_columns_are_refused() -> None:
    data = in_columns(message(20), columns_reference.Reduction())
    for bad in (b"", data[:40], COLUMNS + b"\0", data + data):
        with pytest.raises(DecodeError):
            ColumnsReader(DETECTIONS).read(bad)


def test_a_bit_is_a_difference_where_values_are_exact() -> None:
    rows = message(10, object_id__value=np.full(10, 7))
    other = changed(rows, 4)
    other.detection[4].object_id.value = 8
    for reader in (ColumnsReader(DETECTIONS), ColumnsReader(DETECTIONS, is_reduced=True)):
        assert reader.difference(other, rows).startswith("has object_id.value ")
    zeros = message(10, intensity=np.zeros(10))
    assert ColumnsReader(DETECTIONS).difference(changed(zeros, 4, intensity=-0.0), zeros)


@pytest.mark.parametrize("value", [0.1001, -0.1001, np.nan, np.inf])
def test_more_than_the_stated_error_is_a_difference(value: float) -> None:
    rows = message(10, intensity=np.zeros(10))
    reader = ColumnsReader(DETECTIONS, is_reduced=True)
    assert reader.difference(changed(rows, 9, intensity=0.0999), rows) == ""
    assert "of element 9 " in reader.difference(changed(rows, 9, intensity=value), rows)


def test_a_missing_element_is_a_difference(snapshot: SnapshotAssertion) -> None:
    reader = ColumnsReader(DETECTIONS, is_reduced=True)
    assert reader.difference(message(9), message(10)) == snapshot


def pcd(path: Path, fields: str, rows: list[str]) -> Path:
    count = len(fields.split())
    path.write_text(
        f"VERSION 0.7\nFIELDS {fields}\nSIZE {'4 ' * count}\nTYPE {'F ' * count}\n"
        f"COUNT {'1 ' * count}\nWIDTH {len(rows)}\nHEIGHT 1\nPOINTS {len(rows)}\nDATA ascii\n"
        + "".join(f"{row}\n" for row in rows)
    )
    return path


def test_a_scan_fills_the_lidars_lists(tmp_path: Path) -> None:
    path = pcd(tmp_path / "a.pcd", "x y z intensity", ["3 4 0 255", "0 0 0 1", "nan 1 1 1"])
    contents: dict[str, Content] = {name: of_scan(name, path) for name in SCANNED}
    detection = contents["lidar-detection"]
    assert detection["position.distance"].tolist() == [5.0]
    assert detection["position.azimuth"][0] == np.arctan2(4, 3)
    assert detection["intensity"].tolist() == [100.0]
    assert contents["lidar-reflection"]["time_of_flight"][0] == pytest.approx(10 / 299_792_458)
    assert contents["point"]["x"].tolist() == [3.0]
    for name, content in contents.items():
        lists: RepeatedElements = repeated_elements(name)
        assert len(getattr(lists.message(content), lists.field.name)) == 1


@pytest.mark.parametrize(
    ("fields", "row", "reason"),
    [("x y", "1 2", "has no field z"), ("x y z", "0 0 0", "has no points")],
)
def test_a_scan_without_points_is_refused(
    tmp_path: Path, fields: str, row: str, reason: str
) -> None:
    with pytest.raises(UserError, match=reason):
        of_scan("point", pcd(tmp_path / "a.pcd", fields, [row]))
