# SPDX-License-Identifier: Apache-2.0
"""``.pcd`` files, version 0.7 (pointclouds.org, "The PCD file format")."""

from __future__ import annotations

import mmap
import struct
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.data.clouds.mapped import mapped
from wirecost.system.errors import UserError
from wirecost.system.printable import shown

LONGEST_HEADER = 1 << 16
MOST_VALUES = 1 << 16
"""Most values of one field in a point: histograms have hundreds."""
_KEYS = {
    "VERSION", "FIELDS", "SIZE", "TYPE", "COUNT", "WIDTH", "HEIGHT", "VIEWPOINT", "POINTS", "DATA",
}  # fmt: skip
_TYPES = {"F": "f", "I": "i", "U": "u"}
_SIZES = {"F": (4, 8), "I": (1, 2, 4, 8), "U": (1, 2, 4, 8)}


@dataclass(frozen=True)
class _PcdHeader:
    fields: list[tuple[str, np.dtype[Any], int]]
    """Name, type and number of values."""
    points: int
    data: str
    size: int
    """Bytes of the header itself."""


def read(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Read the fields with one value per point, each of shape (points,); from ascii as doubles.

    Raises UserError on a file that cannot be read as .pcd.
    """
    content = mapped(path, ".pcd")
    try:
        header = _header(content)
        read_as = _READERS.get(header.data)
        if read_as is None:
            readable = " or ".join(_READERS)
            raise ValueError(f"its data is {shown(header.data, 30)}, not {readable}")
        return read_as(header, content)
    except ValueError as error:
        raise UserError(f"{path}: {error}; save the cloud as binary .pcd again") from error


def fields_left_out(path: Path) -> list[str]:
    """Return the fields of a readable file that ``read`` leaves out: several values per point."""
    fields = _header(mapped(path, ".pcd")).fields
    return [name for name, _, count in fields if count > 1 and name != "_"]


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
    points = _whole(lines, "POINTS") if "POINTS" in lines else None
    if points is None:
        points = _whole(lines, "WIDTH") * _whole(lines, "HEIGHT")
    return _PcdHeader(_fields(lines), points, " ".join(lines["DATA"]), at)


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
        if not 1 <= many <= MOST_VALUES:
            raise ValueError(f"field {shown(name, 30)} has COUNT {many}")
        fields.append((name, np.dtype(f"<{_TYPES[kind]}{size}"), many))
    named = [name for name in names if name != "_"]
    if twice := {name for name in named if named.count(name) > 1}:
        raise ValueError(f"it has a field {shown(twice.pop(), 30)} twice")
    return fields


def _whole(lines: dict[str, list[str]], key: str) -> int:
    return _number(key, " ".join(lines.get(key, ["nothing"])))


def _number(key: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 13):
        raise ValueError(f"its header has {key} {shown(text, 30)}")
    return int(text)


def _binary(header: _PcdHeader, content: mmap.mmap) -> dict[str, npt.NDArray[Any]]:
    step = sum(dtype.itemsize * count for _, dtype, count in header.fields)
    there = (len(content) - header.size) // step
    if there < header.points:
        raise ValueError(f"it is cut off, {there} of {header.points} points are there")
    raw = np.frombuffer(content, np.uint8, header.points * step, header.size)
    points = raw.reshape(header.points, step)
    return {
        name: np.ascontiguousarray(points[:, at : at + dtype.itemsize]).view(dtype).reshape(-1)
        for name, dtype, at in _singles(header, [dtype.itemsize for _, dtype, _ in header.fields])
    }


def _compressed(header: _PcdHeader, content: mmap.mmap) -> dict[str, npt.NDArray[Any]]:
    """Return the fields of LZF-compressed data, which holds one whole field after the other."""
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
    return {
        name: np.frombuffer(raw, dtype, header.points, start * header.points)
        for name, dtype, start in _singles(
            header, [dtype.itemsize for _, dtype, _ in header.fields]
        )
    }


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


def _ascii(header: _PcdHeader, content: mmap.mmap) -> dict[str, npt.NDArray[Any]]:
    step = sum(count for _, _, count in header.fields)
    # A value takes two bytes at least, so that no more are asked for than the file can hold.
    if header.points * step > len(content):
        raise ValueError(f"it is cut off, it cannot hold {header.points} points")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            numbers = np.fromstring(content[header.size :].decode("latin-1"), sep=" ")
        except (DeprecationWarning, ValueError) as error:
            raise ValueError("its points are not all numbers") from error
    if len(numbers) != header.points * step:
        raise ValueError(f"it has {len(numbers)} values, {header.points} points have more or less")
    values = numbers.reshape(header.points, step)
    singles = _singles(header, [1] * len(header.fields))
    return {name: np.ascontiguousarray(values[:, at]) for name, _, at in singles}


def _singles(header: _PcdHeader, widths: list[int]) -> Iterator[tuple[str, np.dtype[Any], int]]:
    """Yield the fields with one value per point, and where they stand in it.

    ``widths``: of a value.
    """
    at = 0
    for (name, dtype, count), width in zip(header.fields, widths, strict=True):
        if count == 1 and name != "_":
            yield name, dtype, at
        at += width * count


_READERS = {"ascii": _ascii, "binary": _binary, "binary_compressed": _compressed}
