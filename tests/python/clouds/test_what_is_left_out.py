# SPDX-License-Identifier: Apache-2.0
"""What cannot be kept, or known, is stated: parts of files, values, odd clouds of recordings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader

from clouds.test_bit_exact import changed, message
from clouds.test_convert_cloud import converted, refusal, run
from wirecost.data.clouds import scan_files
from wirecost.data.clouds.packed_message import CDR, CLOUD, PACKED, store
from wirecost.data.clouds.packed_recording import McapMessages
from wirecost.system.errors import UserError

HEADER = """VERSION 0.7
FIELDS x _ ring _
SIZE 4 1 2 1
TYPE F U U U
COUNT 1 0 1 2
WIDTH 2
HEIGHT 1
VIEWPOINT 0 0 0 1 0 0 0
POINTS 2
DATA ascii
"""
TEXT = "0.5 7 9 9\n1.5 8 9 9\n"


def said(*words: str | Path) -> str:
    result = run(*words)
    assert result.exit_code == 0, result.exception
    return " ".join(result.output.split())


def test_padding_may_be_no_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.pcd"
    path.write_text(HEADER + TEXT)
    points = scan_files.load(path).points
    assert (points["x"].tolist(), points["ring"].tolist()) == ([0.5, 1.5], [7, 8])
    assert points.dtype == [("x", "<f4"), ("ring", "<u2")]


@pytest.mark.parametrize(
    ("change", "left_out"),
    [
        (("VIEWPOINT 0", "VIEWPOINT 0.25"), "VIEWPOINT."),
        (
            ("DATA ascii\n" + TEXT, "DATA binary\n" + "\0" * 19),
            "3 bytes behind the points.",
        ),
    ],
)
def test_a_pcd_says_what_is_left_out(
    tmp_path: Path, change: tuple[str, str], left_out: str
) -> None:
    path = tmp_path / "a.pcd"
    path.write_text((HEADER + TEXT).replace(*change))
    assert left_out in said(path, tmp_path / "a.wcloud")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ((" 7 ", " 65536 "), "ring is uint16, which cannot hold 65536"),
        ((" 7 ", " 7.5 "), "ring is uint16, which cannot hold 7.5"),
        ((" 7 ", " nan "), "ring is uint16, which cannot hold nan"),
        (("0.5", "1e39"), "x is float32, which cannot hold 9.99"),
        (("COUNT 1 0 1 2", "COUNT 0 1 1 2"), "field x has COUNT 0"),
        (("WIDTH 2", "WIDTH 0"), "other POINTS"),
        (("WIDTH 2\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2", "WIDTH 0\nHEIGHT 1"), "0 points"),
        (("COUNT 1 0 1 2", "COUNT 1 0 9999 2"), "10,000 values, more than"),
    ],
)
def test_a_pcd_that_contradicts_itself_is_refused(
    tmp_path: Path, change: tuple[str, str], problem: str
) -> None:
    path = tmp_path / "a.pcd"
    path.write_text((HEADER + TEXT).replace(*change))
    if "POINTS" not in path.read_text():
        path.write_text(path.read_text().replace("ascii", "binary"))
    with pytest.raises(UserError, match=problem):
        scan_files.load(path)


def test_a_point_of_thousands_of_fields_is_refused(tmp_path: Path) -> None:
    rows = {"FIELDS": [f"f{at}" for at in range(5000)], "SIZE": "4", "TYPE": "F", "COUNT": "1"}
    lines = [f"{key} {' '.join(row * (5000 // len(row)))}" for key, row in rows.items()]
    text = "\n".join([*lines, "WIDTH 1", "HEIGHT 1", "DATA binary", ""])
    (tmp_path / "a.pcd").write_bytes(text.encode() + bytes(20_000))
    with pytest.raises(UserError, match="5,000 fields"):
        scan_files.load(tmp_path / "a.pcd")


def test_what_a_ply_has_besides_is_named(tmp_path: Path) -> None:
    head = "ply\nformat ascii 1.0\nelement vertex 1\nproperty uint x\nelement face 1\n"
    (tmp_path / "a.ply").write_text(
        head + "property list uchar int i\nend_header\n4000000000\n1 0\n"
    )
    assert "element face." in said(tmp_path / "a.ply", tmp_path / "a.wcloud")
    assert scan_files.read(tmp_path / "a.ply")["x"].tolist() == [4_000_000_000]


def test_rows_are_kept_where_the_file_has_them(tmp_path: Path) -> None:
    head = HEADER.replace("WIDTH 2\nHEIGHT 1", "WIDTH 3\nHEIGHT 2").replace("POINTS 2", "POINTS 6")
    (tmp_path / "a.pcd").write_text(head + TEXT * 3)
    converted(tmp_path / "a.pcd", tmp_path / "a.wcloud")
    converted(tmp_path / "a.wcloud", tmp_path / "b.pcd")
    assert b"WIDTH 3\nHEIGHT 2\n" in (tmp_path / "b.pcd").read_bytes()
    assert "2 rows" in said(tmp_path / "a.wcloud", tmp_path / "b.ply")


def turn(floats: int, count: int = 400) -> np.ndarray:
    random = np.random.default_rng(7)
    points = random.normal(0, 20, (count, floats)).astype("<f4")
    points[:, 3] = random.integers(0, 256, count)
    if floats > 4:
        points[:, 4] = np.arange(count) % 32
    return points


@pytest.mark.parametrize("floats", [4, 5])
def test_kitti_and_nuscenes_are_told_apart_by_their_values(tmp_path: Path, floats: int) -> None:
    path = tmp_path / "a.pcd.bin"
    path.write_bytes(turn(floats).tobytes())  # both numbers of floats divide the bytes
    read = scan_files.read(path)
    assert list(read) == ["x", "y", "z", "intensity", "ring"][:floats]
    assert read["z"].tobytes() == turn(floats)[:, 2].tobytes()


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (turn(6).reshape(-1)[:2400], "holds no places and reflectances of four floats"),
        (np.zeros(100, "<f4"), "it may hold four floats per point"),
        (np.zeros(7, "<f4"), "28 bytes are not whole points"),
    ],
)
def test_what_is_neither_or_both_is_refused(
    tmp_path: Path, values: np.ndarray, problem: str
) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(values.tobytes())
    assert problem in refusal(path, tmp_path / "a.wcloud")
    if "whole" in problem:
        assert problem in refusal(path, tmp_path / "a.wcloud", "--bin-floats", "4")
        return
    found = converted(path, tmp_path / "a.wcloud", "--bin-floats", "5")
    assert found["points"] == values.size // 5


def recording(path: Path, *clouds: bytes) -> Path:
    with path.open("wb") as file:
        written = McapMessages(file)
        for number, data in enumerate(clouds):
            written.add(CLOUD, "/points", number, data)
        written.finish()
    return path


def test_one_odd_cloud_does_not_stop_a_recording(tmp_path: Path) -> None:
    good = message(np.zeros((2, 3), "<f4,<f4,<f4"), False, 0)
    odd = bytes(store(CDR).serialize_cdr(changed(width=0), CLOUD))
    source = recording(tmp_path / "a.mcap", good, odd, b"\0\1\0\0", good)
    out = tmp_path / "out.mcap"
    text = said(source, out)
    assert "12 points" in text
    assert "2 clouds are" in text and "/points, message 1" in text and "72 bytes" in text
    with out.open("rb") as file:
        found = [(one.name, m.data) for one, _, m in make_reader(file).iter_messages() if one]
    assert [kind for kind, _ in found] == [PACKED, CLOUD, CLOUD, PACKED]
    assert [data for kind, data in found if kind == CLOUD] == [odd, b"\0\1\0\0"]
    every = refusal(recording(tmp_path / "b.mcap", odd, odd), tmp_path / "b-out.mcap")
    assert "/points, message 0:" in every
    assert not (tmp_path / "b-out.mcap").exists()


def test_bytes_between_fields_are_named(tmp_path: Path) -> None:
    points = np.zeros(4, {"names": ["x"], "formats": ["<f4"], "offsets": [4], "itemsize": 12})
    source = recording(tmp_path / "a.mcap", message(points, False, 0))
    assert "Bytes between fields" in said(source, tmp_path / "out.mcap")


def test_no_points_have_no_percentage(tmp_path: Path) -> None:
    head = HEADER.replace("WIDTH 2", "WIDTH 0").replace("POINTS 2", "POINTS 0")
    (tmp_path / "a.pcd").write_text(head)
    text = said(tmp_path / "a.pcd", tmp_path / "a.wcloud")
    assert "0 points" in text
    assert "%" not in text
