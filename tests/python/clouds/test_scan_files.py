# SPDX-License-Identifier: Apache-2.0
"""Clouds as ``.ply`` and as KITTI's ``.bin``, by the name of their file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirecost.data.advisor.sources import CloudSource
from wirecost.data.clouds import kitti, scan_files
from wirecost.system.errors import UserError
from wirecost_scenarios.repeated import contents

HEADER = """ply
format {} 1.0
comment by hand
element pose 1
property double t
element vertex 3
property float x
property float32 y
property double z
property ushort ring
element face 1
property list uchar int vertex_indices
end_header
"""
FIELDS = {"x": [1, -2, 3.5], "y": [4, 5, 6], "z": [0.1, -7, 1e9], "ring": [0, 258, 65535]}
NUMBERS = "0.5\n1 4 0.1 0\n-2 5 -7 258\n3.5 6 1e9 65535\n3 0 1 2\n"


def binary(order: str) -> bytes:
    """Return what follows the header: a pose, three points, and a face."""
    dtype = np.dtype(
        [("x", order + "f4"), ("y", order + "f4"), ("z", order + "f8"), ("ring", order + "u2")]
    )
    points = np.zeros(3, dtype)
    for name, values in FIELDS.items():
        points[name] = values
    pose, face = np.array([0.5], order + "f8"), np.array([0, 1, 2], order + "i4")
    return pose.tobytes() + points.tobytes() + b"\3" + face.tobytes()


CONTENTS = {
    "ascii": NUMBERS.encode(),
    "binary_little_endian": binary("<"),
    "binary_big_endian": binary(">"),
}


@pytest.mark.parametrize("form", CONTENTS)
@pytest.mark.parametrize("line", ["\n", "\r\n"])
def test_vertices_are_read(tmp_path: Path, form: str, line: str) -> None:
    path = tmp_path / "a.PLY"
    path.write_bytes(HEADER.format(form).replace("\n", line).encode() + CONTENTS[form])
    found = scan_files.read(path)
    assert {name: values.tolist() for name, values in found.items()} == FIELDS
    assert [values.dtype.str for values in found.values()] == ["<f4", "<f4", "<f8", "<u2"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("ply\n", "PLY\n"), "does not start with ply"),
        (("ascii", "packed"), "a line format packed 1.0"),
        (("format ascii 1.0\n", ""), "no format line"),
        (("vertex 3", "vertex 999999999999"), "is cut off"),
        (("vertex 3", "vertex 6"), "17 of 25 values are there"),
        (("vertex 3", "vertex -1"), "a line element vertex -1"),
        (("element vertex", "element point"), "no element vertex"),
        (("float32 y", "float32 x"), "a property x twice"),
        (("ushort ring", "list uchar int ring"), "element vertex has lists"),
        (("double t", "list uchar int t"), "element pose has lists"),
        (("end_header", "comment\n" * 9000), "no end_header"),
        (("-7", "seven"), "not all numbers"),
    ],
)
def test_a_wrong_one_is_refused(tmp_path: Path, change: tuple[str, str], problem: str) -> None:
    path = tmp_path / "a.ply"
    path.write_text((HEADER.format("ascii") + NUMBERS).replace(*change))
    with pytest.raises(UserError, match=problem):
        scan_files.read(path)


def test_one_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.ply"
    points = binary("<")[: 8 + 3 * 18]
    path.write_bytes(HEADER.format("binary_little_endian").encode() + points[:-1])
    with pytest.raises(UserError, match="2 of 3 points are there"):
        scan_files.read(path)
    path.write_bytes(HEADER.format("binary_little_endian").encode() + points)
    assert len(scan_files.read(path)["x"]) == 3


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_hostile_ones_give_one_line(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    form = data.draw(st.sampled_from(sorted(CONTENTS)))
    content = bytearray(HEADER.format(form).encode() + CONTENTS[form])
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    name = data.draw(st.sampled_from(["hostile.ply", "hostile.bin"]))
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(bytes(content[: data.draw(st.integers(0, len(content)))]))
    try:
        fields = scan_files.read(path)
    except UserError as error:
        assert str(error).startswith(f"{path}: ")
        assert "\n" not in str(error)
    else:
        assert len({len(values) for values in fields.values()}) == 1


def test_a_scan_of_kitti_is_taken_with_its_reflectance(tmp_path: Path) -> None:
    """Its full scale is 1, not 255."""
    points = np.array([[3, 4, 0, 0.5], [0, 0, 0, 1], [1, 2, 2, 1]], "<f4")
    path = tmp_path / "000000.bin"
    points.tofile(path)
    assert scan_files.is_scan(path)
    found = scan_files.read(path)
    assert found["intensity"].tolist() == [0.5, 1, 1]
    (detection,) = next(iter(CloudSource(path, "detection")))
    assert detection.message == "osi3.LidarDetection"
    columns = contents.of_scan("lidar-detection", path)
    assert columns["position.distance"].tolist() == [5, 3]
    assert columns["intensity"].tolist() == [50, 100]
    os.truncate(path, 3 * kitti.POINTS[4].itemsize - 1)
    with pytest.raises(UserError, match="47 bytes are not whole points"):
        scan_files.read(path)


def test_the_next_command_takes_the_same_scan(tmp_path: Path) -> None:
    np.array([[3, 4, 0, 0.5]] * 3, "<f4").tofile(tmp_path / "a.bin")
    command = [sys.executable, "-m", "wirecost", "columns", "advise", "a.bin"]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "times: wirecost bench codecs a.bin" in run.stdout
