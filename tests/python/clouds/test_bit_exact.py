# SPDX-License-Identifier: Apache-2.0
"""Every bit of every field comes back: any type, layout, byte order and container."""

from __future__ import annotations

import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from mcap.reader import make_reader

from clouds.test_compressed_clouds import literals
from wirecost.data.clouds import kitti, packed_recording, scan_files
from wirecost.data.clouds.conversion import Converted, Wanted, convert
from wirecost.data.clouds.packed import TYPES, Layout, point_fields
from wirecost.data.clouds.packed_message import CDR, CLOUD, PACKED, store
from wirecost.data.clouds.point_cloud2 import points_of, remove_padding
from wirecost.system.errors import UserError
from wirecost.system.regular_file import LFS_POINTER

Points = npt.NDArray[Any]

PLY_TYPES = ("char", "uchar", "short", "ushort", "int", "uint", "float", "double")
WIDE = ("i8", "u8")
"""Types that a .pcd may have and a PointCloud2 may not."""
EXACT = Wanted(error=None, quick=False, memory=1 << 20)
ODD = {
    "f4": [0x80000000, 0x7F800001, 0xFFC12345, 0x00000001, 0x7F800000, 0xFF800000],
    "f8": [1 << 63, 0x7FF0000000000001, 0xFFF8000000012345, 1, 0x7FF << 52],
}
"""Bits of minus zero, NaNs with numbers in them, the smallest value, and infinities."""
each = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@st.composite
def clouds(draw: st.DrawFn, types: tuple[str, ...] = TYPES, most_values: int = 3) -> Points:
    """Draw points with gaps between their fields, of shape (points,) or (rows, columns)."""
    fields = []
    step = draw(st.integers(0, 3))
    for number in range(draw(st.integers(1, 5))):
        kind, count = draw(st.sampled_from(types)), draw(st.integers(1, most_values))
        fields.append((f"f{number}", kind if count == 1 else (kind, (count,)), step))
        step += int(kind[1]) * count + draw(st.sampled_from([0, 0, 1, 5]))
    names, formats, offsets = zip(*draw(st.permutations(fields)), strict=True)
    dtype = np.dtype(
        {"names": names, "formats": formats, "offsets": offsets, "itemsize": step}  # type: ignore[call-overload]
    )
    shape = draw(st.sampled_from([(0,), (1,), (37,), (2, 9), (16, 3)]))
    random = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    points = np.zeros(shape, dtype)
    for name in names:
        base = points.dtype[name].base
        values = random.integers(0, 256, (*points[name].shape, base.itemsize), np.uint8)
        if base.str[1:] in ODD and points.size:
            odd = np.array(ODD[base.str[1:]], f"<u{base.itemsize}")
            chosen = random.choice(odd, points[name].shape).view(np.uint8).reshape(values.shape)
            values = np.where(random.random((*points[name].shape, 1)) < 0.3, chosen, values)
        points[name] = np.ascontiguousarray(values).view(base)[..., 0]
    return points


def bits(points: Points) -> dict[str, bytes]:
    return {name: points[name].tobytes() for name in points.dtype.names or ()}


def types(points: Points) -> dict[str, np.dtype[Any]]:
    return {name: points.dtype[name] for name in points.dtype.names or ()}


def pcd(points: Points, data: str) -> bytes:
    """Return a .pcd with a padding field for every gap, and one of no bytes before each field."""
    rows, fields, at = [], sorted(point_offsets(points)), 0
    for offset, name in fields:
        base = points.dtype[name].base
        rows += [("_", 1, "U", offset - at), (name, base.itemsize, base.kind.upper(), 0)]
        rows[-1] = (*rows[-1][:3], max(1, *points.dtype[name].shape, 1))
        at = offset + points.dtype[name].itemsize
    rows.append(("_", 1, "U", points.dtype.itemsize - at))
    keys = ("FIELDS", "SIZE", "TYPE", "COUNT")
    lines = [f"{key} {' '.join(str(row[at]) for row in rows)}" for at, key in enumerate(keys)]
    height, width = points.shape if points.ndim == 2 else (1, points.size)
    lines += [f"WIDTH {width}", f"HEIGHT {height}", f"POINTS {points.size}", f"DATA {data}"]
    flat = np.ascontiguousarray(points).reshape(-1)
    header = "".join(f"{line}\n" for line in lines).encode()
    if data == "binary":
        return header + flat.tobytes()
    if data == "ascii":
        return header + b"".join(line(point, rows) for point in flat)
    raw = b"".join(
        bytes(count * len(flat)) if name == "_" else flat[name].tobytes()
        for name, _, _, count in rows
    )
    packed = literals(raw)
    return header + struct.pack("<II", len(packed), len(raw)) + packed


def point_offsets(points: Points) -> list[tuple[int, str]]:
    assert points.dtype.fields is not None
    return [(place[1], name) for name, place in points.dtype.fields.items()]


def line(point: Any, rows: list[tuple[str, int, str, int]]) -> bytes:
    words = []
    for name, _, _, count in rows:
        words += ["0"] * count if name == "_" else [text(v) for v in np.atleast_1d(point[name])]
    return " ".join(words).encode() + b"\n"


def text(value: Any) -> str:
    return repr(value.item()) if value.dtype.kind == "f" else str(value)


def ply(points: Points, data: str) -> bytes:
    header = f"ply\nformat {data} 1.0\nelement vertex {points.size}\n"
    flat = np.ascontiguousarray(points).reshape(-1)
    for name in points.dtype.names or ():
        kind = PLY_TYPES[TYPES.index(points.dtype[name].str[1:])]
        header += f"property {kind} {name}\n"
    order = ">" if "big" in data else "<"
    close = np.zeros(
        flat.shape,
        [(name, flat.dtype[name].newbyteorder(order)) for name in flat.dtype.names or ()],
    )
    for name in flat.dtype.names or ():
        close[name] = flat[name]
    if data == "ascii":
        rows = [(name, 0, "", 1) for name in flat.dtype.names or ()]
        return header.encode() + b"end_header\n" + b"".join(line(point, rows) for point in flat)
    return header.encode() + b"end_header\n" + close.tobytes()


def without_numbers_in_nans(points: Points) -> Points:
    """Return what text can hold: there is one NaN."""
    plain = points.copy()
    for name in points.dtype.names or ():
        if points.dtype[name].base.kind == "f":
            values = plain[name]
            values[np.isnan(values)] = np.nan
    return plain


@each
@given(clouds((*TYPES, *WIDE)), st.sampled_from(["ascii", "binary", "binary_compressed"]))
def test_a_pcd_comes_back(tmp_path: Path, points: Points, data: str) -> None:
    if data == "ascii":
        points = without_numbers_in_nans(points)
    (tmp_path / "a.pcd").write_bytes(pcd(points, data))
    there_and_back(tmp_path, "a.pcd", points)


@each
@given(
    clouds(most_values=1),
    st.sampled_from(["ascii", "binary_little_endian", "binary_big_endian"]),
    st.sampled_from([".ply", ".pcd"]),
)
def test_a_ply_comes_back(tmp_path: Path, points: Points, data: str, into: str) -> None:
    points = points.reshape(-1)
    if data == "ascii":
        points = without_numbers_in_nans(points)
    (tmp_path / "a.ply").write_bytes(ply(points, data))
    there_and_back(tmp_path, "a.ply", points, into)


@each
@given(st.integers(1, 40), st.sampled_from([4, 5]), st.data())
def test_a_bin_comes_back(tmp_path: Path, count: int, floats: int, data: st.DataObject) -> None:
    values = data.draw(st.binary(min_size=4 * floats * count, max_size=4 * floats * count))
    assume(not values.startswith(LFS_POINTER))  # such a file is refused: it stands for another
    (tmp_path / "a.bin").write_bytes(values)
    points = np.frombuffer(values, kitti.POINTS[floats])
    there_and_back(tmp_path, "a.bin", points, bin_floats=floats)


def there_and_back(
    folder: Path, name: str, points: Points, into: str = "", bin_floats: int = 0
) -> None:
    source, packed = folder / name, folder / "packed.wcloud"
    back = folder / f"back{into or source.suffix}"
    read = scan_files.load(source, bin_floats).points
    assert (bits(read), types(read), read.shape) == (bits(points), types(points), points.shape)
    try:
        done = convert(source, packed, Wanted(None, points.size % 2 == 1, 1 << 20, bin_floats))
    except UserError as error:
        assert any(kind in str(error) for kind in ("of type int64", "of type uint64"))
        assert any(points.dtype[one].base.str[1:] in WIDE for one in points.dtype.names or ())
        return
    assert (done.errors, done.left_out) == ({}, [])
    convert(packed, back, EXACT)
    again = scan_files.load(back, bin_floats).points
    assert (bits(again), types(again), again.shape) == (bits(points), types(points), points.shape)


def message(points: Points, is_big: bool, gap: int) -> bytes:
    """Return a PointCloud2 with ``gap`` bytes behind every row."""
    kinds = store(CDR).types
    fields = [kinds["sensor_msgs/msg/PointField"](*one) for one in point_fields(points.dtype)]
    time = kinds["builtin_interfaces/msg/Time"](1, 2)
    height, width = points.shape if points.ndim == 2 else (1, points.size)
    if is_big:
        points = points.astype(points.dtype.newbyteorder(">"))
    row = width * points.dtype.itemsize
    data = np.zeros((height, row + gap if row else 0), np.uint8)
    data[:, :row] = np.frombuffer(np.ascontiguousarray(points).tobytes(), np.uint8).reshape(
        height, row
    )
    made = kinds[CLOUD](
        kinds["std_msgs/msg/Header"](time, "lidar"), height, width, fields, is_big,
        points.dtype.itemsize, data.shape[1], data.reshape(-1), True,
    )  # fmt: skip
    return bytes(store(CDR).serialize_cdr(made, CLOUD))


def clean(points: Points) -> Points:
    zeros = np.zeros(points.shape, points.dtype)
    for name in points.dtype.names or ():
        zeros[name] = points[name]
    return zeros


@each
@given(clouds(), st.booleans(), st.sampled_from([0, 0, 7]))
def test_a_cloud_of_a_recording_comes_back(
    tmp_path: Path, points: Points, is_big: bool, gap: int
) -> None:
    """Every byte of the message; a big-endian one is copied, and one that cannot be is named."""
    points = clean(points)
    sent = [message(points, is_big, gap), message(points[:1], False, 0)]
    with (tmp_path / "a.mcap").open("wb") as file:
        written = packed_recording.McapMessages(file)
        for number, data in enumerate(sent):
            written.add(CLOUD, "/points", number, data)
        written.finish()
    done = recording(tmp_path / "a.mcap", tmp_path / "packed.mcap")
    assert (done.clouds, done.kept, done.errors) == (2 - is_big, int(is_big), {})
    assert ("big-endian" in done.first_kept) == is_big
    packed = [schema for schema, _ in messages(tmp_path / "packed.mcap")]
    assert packed == [CLOUD if is_big else PACKED, PACKED]
    recording(tmp_path / "packed.mcap", tmp_path / "back.mcap")
    assert messages(tmp_path / "back.mcap") == [(CLOUD, data) for data in sent]
    read = store(CDR).deserialize_cdr(sent[0], CLOUD)
    for _ in range(2):
        found = points_of(read)
        assert (bits(found), types(found)) == (bits(points), types(points))
        remove_padding(read)
    assert len(read.data) == sum(map(len, bits(points).values()))


def recording(source: Path, out: Path) -> Converted:
    return packed_recording.convert(source, out, "", EXACT, lambda *_: None)


def messages(path: Path) -> list[tuple[str, bytes]]:
    with path.open("rb") as file:
        return [(one.name, sent.data) for one, _, sent in make_reader(file).iter_messages() if one]


def changed(**values: Any) -> Any:
    made = store(CDR).deserialize_cdr(message(np.zeros((2, 3), "<f4,<f4,<f4"), False, 0), CLOUD)
    for name, value in values.items():
        setattr(made, name, value)
    return made


@pytest.mark.parametrize(
    "values",
    [
        {"width": 0}, {"height": 0}, {"row_step": 40}, {"point_step": 11}, {"height": 1},
        {"width": 2**32 - 1, "height": 2**32 - 1}, {"data": np.zeros(71, np.uint8)},
    ],
)  # fmt: skip
def test_a_message_that_contradicts_itself_is_refused(values: dict[str, int]) -> None:
    assert points_of(changed()).shape == (2, 3)
    with pytest.raises(UserError, match="mend what publishes it"):
        points_of(changed(**values))


def test_a_layout_of_too_many_bytes_is_refused() -> None:
    with pytest.raises(UserError, match="bytes"):
        _ = Layout(1, 0, 2**32 - 1, [("x", 0, 7, 1)]).dtype


def test_the_padding_of_no_point_takes_no_memory() -> None:
    empty = changed(width=0, height=1, row_step=0, point_step=2**32 - 1, data=np.zeros(0, np.uint8))
    tracemalloc.start()
    try:
        assert not remove_padding(empty)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    assert not remove_padding(changed(point_step=11))
