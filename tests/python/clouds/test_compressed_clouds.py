# SPDX-License-Identifier: Apache-2.0
"""Clouds as ``pcl::PCDWriter::writeBinaryCompressed`` writes them."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from wirecost.data.clouds import pcd
from wirecost.system.errors import UserError

COUNT = 300
X = np.arange(COUNT, dtype="<f4")
RING = np.zeros(COUNT, "<u2")
HEADER = f"""# .PCD v0.7
VERSION 0.7
FIELDS x ring
SIZE 4 2
TYPE F U
COUNT 1 1
WIDTH {COUNT}
HEIGHT 1
POINTS {COUNT}
DATA binary_compressed
""".encode()


def literals(data: bytes) -> bytes:
    """Return data as LZF stores it when it never came before."""
    runs = [data[at : at + 32] for at in range(0, len(data), 32)]
    return b"".join(bytes([len(run) - 1]) + run for run in runs)


def repeated(length: int) -> bytes:
    """Return the byte before, ``length`` times."""
    if length < 9:
        return bytes([(length - 2) << 5, 0])
    return bytes([7 << 5, length - 9, 0])


# All of x, then all of ring: its first zero, and references that reach into themselves.
RINGS = repeated(264) + repeated(264) + repeated(5) + repeated(2 * COUNT - 534)
PACKED = literals(X.tobytes() + b"\0") + RINGS


def written(path: Path, packed: bytes, size: int = 6 * COUNT) -> Path:
    path.write_bytes(HEADER + struct.pack("<II", len(packed), size) + packed)
    return path


@pytest.mark.parametrize("packed", [PACKED, X.tobytes() + RING.tobytes()])
def test_a_compressed_cloud_is_read(tmp_path: Path, packed: bytes) -> None:
    """Also where a writer kept the bytes because they would not have become fewer."""
    found = pcd.read(written(tmp_path / "a.pcd", packed))
    np.testing.assert_array_equal(found["x"], X)
    np.testing.assert_array_equal(found["ring"], RING)


@pytest.mark.parametrize(
    ("packed", "size", "problem"),
    [
        (PACKED, 6 * COUNT + 1, "are not those of 300 points"),
        (PACKED[:-1], 6 * COUNT, "damaged"),
        (PACKED + b"\0a", 6 * COUNT, "damaged"),
        (b"\x20\x05" + PACKED, 6 * COUNT, "damaged"),
        (PACKED * 100, 6 * COUNT, "damaged"),
    ],
)
def test_a_damaged_one_is_refused(tmp_path: Path, packed: bytes, size: int, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        pcd.read(written(tmp_path / "a.pcd", packed, size))


@pytest.mark.parametrize(
    ("kept", "problem"), [(len(HEADER) + 7, "has no size"), (-1, "bytes of data are there")]
)
def test_one_that_is_cut_off_is_refused(tmp_path: Path, kept: int, problem: str) -> None:
    path = written(tmp_path / "a.pcd", PACKED)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(UserError, match=problem):
        pcd.read(path)


def test_an_empty_file_is_called_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.pcd"
    path.touch()
    with pytest.raises(UserError, match=r"a\.pcd: is empty; name"):
        pcd.read(path)
