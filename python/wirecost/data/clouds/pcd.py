# SPDX-License-Identifier: Apache-2.0
"""``.pcd`` files, version 0.7 (pointclouds.org, "The PCD file format")."""

from __future__ import annotations

import math
import mmap
import struct
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.data.clouds.mapped import mapped
from wirecost.data.clouds.scan import Points, Scan, check_counts, without_gaps
from wirecost.data.clouds.text_values import numbers, points_of_text
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

LONGEST_HEADER = 1 << 16
PADDING = "_"
"""Name of the bytes between fields, which may be none at all."""
_KEYS = {
    "VERSION", "FIELDS", "SIZE", "TYPE", "COUNT", "WIDTH", "HEIGHT", "VIEWPOINT", "POINTS", "DATA",
}  # fmt: skip
_TYPES = {"F": "f", "I": "i", "U": "u"}
_PointsAndEnd = tuple[Points, int]
"""Points of shape (points,), and where they end in the file."""
_SIZES = {"F": (4, 8), "I": (1, 2, 4, 8), "U": (1, 2, 4, 8)}


@dataclass(frozen=True)
class _PcdHeader:
    fields: list[tuple[str, np.dtype[Any], int]]
    """Name, type and number of values."""
    points: int
    shape: tuple[int, ...]
    """(points,), or (rows, columns)."""
    viewpoint: str
    data: str
    size: int
    """Bytes of the header itself."""

    @property
    def value_count(self) -> int:
        """Values of a point, those between fields among them."""
        return sum(count for _, _, count in self.fields)

    def point(self, width: int = 0) -> tuple[np.dtype[Any], list[int]]:
        """Return the type of a point, and where its fields begin.

        ``width``: bytes of a value; 0: of its type.
        """
        columns, places = [], []
        at = 0
        for name, dtype, count in self.fields:
            if name != PADDING:
                columns.append((name, dtype) if count == 1 else (name, dtype, (count,)))
                places.append(at)
            at += count * (width or dtype.itemsize)
        if not columns:
            raise ValueError("it has no fields")
        return np.dtype(columns), places


def load(path: Path) -> Scan:
    """Read the points in the types that the header declares, organised ones as rows.

    Raises UserError on a file that cannot be read as .pcd.
    """
    content = mapped(path, ".pcd")
    try:
        header = _header(content)
        read_as = _READERS.get(header.data)
        if read_as is None:
            readable = " or ".join(_READERS)
            raise ValueError(f"its data is {shown(header.data, 30)}, not {readable}")
        points, end = read_as(header, content)
        left_out = [] if _is_usual(header.viewpoint) else ["VIEWPOINT"]
        if end < len(content):
            if not header.points:
                raise ValueError("its header says 0 points, but some follow")
            left_out.append(f"{counted(len(content) - end, 'byte')} behind the points")
        return Scan(points.reshape(header.shape), tuple(left_out))
    except ValueError as error:
        raise UserError(f"{path}: {error}; save the cloud as binary .pcd again") from error


def read(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Read the fields with one value per point, each of shape (points,). Raises UserError."""
    return load(path).columns()


def _header(content: mmap.mmap) -> _PcdHeader:
    lines: dict[str, list[str]] = {}
    at = 0
    while "DATA" not in lines:
        end = content.find(b"\n", at, LONGEST_HEADER)
        if end < 0:
            raise ValueError("its header has no DATA line")
        words = content[at:end].decode("latin-1").split()
        at = end + 1
        if not words or words[0].startswith("#"):
            continue
        if words[0] not in _KEYS:
            raise ValueError(f"its header has a line {shown(words[0], 30)}")
        if words[0] in lines:
            raise ValueError(f"its header has {words[0]} twice")
        lines[words[0]] = words[1:]
    shape = _shape(lines)
    viewpoint = " ".join(lines.get("VIEWPOINT", []))
    return _PcdHeader(
        _fields(lines), math.prod(shape), shape, viewpoint, " ".join(lines["DATA"]), at
    )


def _shape(lines: dict[str, list[str]]) -> tuple[int, ...]:
    """Return the shape of the points: rows only where there are several."""
    if "WIDTH" not in lines or "HEIGHT" not in lines:
        return (_whole(lines, "POINTS"),)
    width, height = _whole(lines, "WIDTH"), _whole(lines, "HEIGHT")
    if "POINTS" in lines and _whole(lines, "POINTS") != width * height:
        raise ValueError(f"its header has {width} × {height} points and other POINTS")
    return (height, width) if height > 1 and width else (width * height,)


def _is_usual(viewpoint: str) -> bool:
    """Return whether a viewpoint says nothing: it is missing, or the origin."""
    try:
        return not viewpoint or [float(word) for word in viewpoint.split()] == [0, 0, 0, 1, 0, 0, 0]
    except ValueError:
        return False


def _fields(lines: dict[str, list[str]]) -> list[tuple[str, np.dtype[Any], int]]:
    names = lines.get("FIELDS", [])
    counts = lines.get("COUNT", ["1"] * len(names))
    parts = (lines.get("TYPE", []), lines.get("SIZE", []), counts)
    if not names or any(len(part) != len(names) for part in parts):
        raise ValueError("its header does not give each field a TYPE, a SIZE and a COUNT")
    fields = []
    for name, kind, size, count in zip(names, *parts, strict=True):
        if not size.isdecimal() or int(size) not in _SIZES.get(kind, ()):
            raise ValueError(f"field {shown(name, 30)} has no type {shown(kind + size, 10)}")
        many = _number("COUNT", count)
        if not many and name != PADDING:
            raise ValueError(f"field {shown(name, 30)} has COUNT 0")
        fields.append((name, np.dtype(f"<{_TYPES[kind]}{size}"), many))
    named_fields = [(name, many) for name, _, many in fields if name != PADDING]
    check_counts(len(named_fields), sum(many for _, many in named_fields))
    for name, times in Counter(name for name, _ in named_fields).items():
        if times > 1:
            raise ValueError(f"it has a field {shown(name, 30)} twice")
    return fields


def _whole(lines: dict[str, list[str]], key: str) -> int:
    return _number(key, " ".join(lines.get(key, ["nothing"])))


def _number(key: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 13):
        raise ValueError(f"its header has {key} {shown(text, 30)}")
    return int(text)


def _binary(header: _PcdHeader, content: mmap.mmap) -> _PointsAndEnd:
    dtype, places = header.point()
    step = sum(dtype.itemsize * count for _, dtype, count in header.fields)
    there = (len(content) - header.size) // step
    if there < header.points:
        raise ValueError(f"it is cut off, {there} of {header.points} points are there")
    end = header.size + header.points * step
    raw = np.frombuffer(content, np.uint8)[header.size : end]
    with_gaps = _with_gaps(dtype, places, step)
    return without_gaps(raw.view(with_gaps)), end


def _with_gaps(dtype: np.dtype[Any], places: list[int], step: int) -> np.dtype[Any]:
    names = dtype.names or ()
    formats = [dtype[name] for name in names]
    return np.dtype({"names": names, "formats": formats, "offsets": places, "itemsize": step})


def _compressed(header: _PcdHeader, content: mmap.mmap) -> _PointsAndEnd:
    """Return points of LZF-compressed data, which holds one whole field after the other."""
    dtype, places = header.point()
    at = header.size + 8
    if at > len(content):
        raise ValueError("it is cut off, its data has no size")
    packed, size = struct.unpack_from("<II", content, header.size)
    if size != header.points * sum(dtype.itemsize * count for _, dtype, count in header.fields):
        raise ValueError(f"its {size} bytes of data are not those of {header.points} points")
    if packed > len(content) - at:
        raise ValueError(f"it is cut off, {len(content) - at} of {packed} bytes of data are there")
    data = content[at : at + packed]
    # Some writers leave data as it is that LZF does not make smaller.
    raw = data if packed == size else _without_lzf(data, size)
    points = np.empty(header.points, dtype)
    for name, place in zip(dtype.names or (), places, strict=True):
        base, shape = dtype[name].subdtype or (dtype[name], ())
        values = np.frombuffer(raw, base, points[name].size, place * header.points)
        points[name] = values.reshape(header.points, *shape)
    return points, at + packed


def _without_lzf(data: bytes, size: int) -> bytearray:
    """Decompress Marc Lehmann's LZF: runs of new bytes, and references to earlier bytes.

    Raises ValueError.
    """
    unpacked = bytearray()
    at = 0
    try:
        while at < len(data) and len(unpacked) <= size:
            control = data[at]
            at += 1
            if control < 32:
                unpacked += data[at : at + control + 1]
                at += control + 1
                continue
            length = control >> 5
            if length == 7:
                length += data[at]
                at += 1
            start = len(unpacked) - ((control & 31) << 8) - data[at] - 1
            at += 1
            if start < 0:
                break
            part = unpacked[start : start + length + 2]
            while len(part) < length + 2:  # a reference may reach into what it makes itself
                part *= 2
            unpacked += part[: length + 2]
    except IndexError:
        pass
    if len(unpacked) != size or at != len(data):
        raise ValueError("its compressed data is damaged")
    return unpacked


def _ascii(header: _PcdHeader, content: mmap.mmap) -> _PointsAndEnd:
    dtype, places = header.point(width=1)
    count = header.value_count
    # A value takes two bytes at least, so that no more are asked for than the file can hold.
    if header.points * count > len(content):
        raise ValueError(f"it is cut off, it cannot hold {header.points} points")
    values = numbers(content, header.size)
    if len(values) != header.points * count:
        raise ValueError(f"it has {len(values)} values, {header.points} points have more or less")
    values = values.reshape(header.points, count)
    return points_of_text(content, header.size, values, dtype, places), len(content)


_READERS = {"ascii": _ascii, "binary": _binary, "binary_compressed": _compressed}
