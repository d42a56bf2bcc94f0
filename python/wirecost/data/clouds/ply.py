# SPDX-License-Identifier: Apache-2.0
"""``.ply`` files, version 1.0 (Greg Turk, "The PLY Polygon File Format")."""

from __future__ import annotations

import mmap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from wirecost.data.clouds.mapped import mapped
from wirecost.data.clouds.scan import Points, Scan, check_counts, without_gaps
from wirecost.data.clouds.text_values import numbers, points_of_text
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

LONGEST_HEADER = 1 << 16
POINTS = "vertex"
_TYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4",
    "float": "f4", "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2",
    "int32": "i4", "uint32": "u4", "float32": "f4", "float64": "f8",
}  # fmt: skip
_ORDERS = {"binary_little_endian": "<", "binary_big_endian": ">"}


@dataclass
class _Element:
    name: str
    count: int
    properties: dict[str, str] = field(default_factory=dict)
    """Types by name, without byte order."""
    has_lists: bool = False

    def dtype(self, order: str) -> np.dtype[Any]:
        return np.dtype([(name, order + kind) for name, kind in self.properties.items()])


@dataclass(frozen=True)
class _PlyHeader:
    format: str
    points: _Element
    before: list[_Element]
    """Elements whose values come before the points'."""
    left_out: tuple[str, ...]
    """Elements that are no points."""
    size: int
    """Bytes of the header itself."""


def load(path: Path) -> Scan:
    """Read the vertices, in the types that the header declares.

    Raises UserError on a file that cannot be read as .ply.
    """
    content = mapped(path, ".ply")
    try:
        header = _header(content)
        read_as = _ascii if header.format == "ascii" else _binary
        return Scan(read_as(header, content), header.left_out)
    except ValueError as error:
        raise UserError(f"{path}: {error}; save the cloud as binary .ply again") from error


def _header(content: mmap.mmap) -> _PlyHeader:
    lines, size = _lines(content)
    coded = ""
    elements: list[_Element] = []
    for line in lines:
        match line.split():
            case ["format", name, "1.0"] if name == "ascii" or name in _ORDERS:
                coded = name
            case ["element", name, count] if _is_whole(count):
                elements.append(_Element(name, int(count)))
            case ["property", "list", _, _, _] if elements:
                elements[-1].has_lists = True
            case ["property", kind, name] if elements and kind in _TYPES:
                if name in elements[-1].properties:
                    raise ValueError(f"it has a property {shown(name, 30)} twice")
                elements[-1].properties[name] = _TYPES[kind]
            case [] | ["comment" | "obj_info", *_]:
                pass
            case _:
                raise ValueError(f"its header has a line {shown(line, 30)}")
    if not coded:
        raise ValueError("its header has no format line")
    *before, points = _to_points(elements)
    check_counts(len(points.properties), len(points.properties))
    others = [element for element in elements if element.name != POINTS and element.count]
    left_out = tuple(f"element {shown(element.name, 30)}" for element in others)
    return _PlyHeader(coded, points, before, left_out, size)


def _lines(content: mmap.mmap) -> tuple[list[str], int]:
    """Return the header's lines between its first and its last, and its bytes."""
    lines: list[str] = []
    at = 0
    while not lines or lines[-1] != "end_header":
        end = content.find(b"\n", at, LONGEST_HEADER)
        if end < 0:
            raise ValueError("its header has no end_header line")
        lines.append(content[at:end].decode("latin-1").strip())
        at = end + 1
        if lines[0] != "ply":
            raise ValueError("it does not start with ply")
    return lines[1:-1], at


def _to_points(elements: list[_Element]) -> list[_Element]:
    """Return the elements up to the points; each must have one size. Raises ValueError."""
    names = [element.name for element in elements]
    if POINTS not in names:
        raise ValueError("it has no element vertex")
    first = elements[: names.index(POINTS) + 1]
    for element in first:
        if element.has_lists or not element.properties:
            raise ValueError(f"its element {shown(element.name, 30)} has lists or nothing")
    return first


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 13


def _binary(header: _PlyHeader, content: mmap.mmap) -> Points:
    order = _ORDERS[header.format]
    start = header.size + sum(e.count * e.dtype(order).itemsize for e in header.before)
    dtype = header.points.dtype(order)
    there = max(0, len(content) - start) // dtype.itemsize
    if there < header.points.count:
        raise ValueError(f"it is cut off, {there} of {header.points.count} points are there")
    # An offset at the content's end is refused even for no points.
    points = np.frombuffer(content, np.uint8)[start:][: header.points.count * dtype.itemsize]
    return without_gaps(points.view(dtype))


def _ascii(header: _PlyHeader, content: mmap.mmap) -> Points:
    dtype = header.points.dtype("<")
    width = len(header.points.properties)
    skipped = sum(element.count * len(element.properties) for element in header.before)
    count = skipped + header.points.count * width
    # A value takes two bytes at least, so that no more are asked for than the file can hold.
    if count > len(content):
        raise ValueError(f"it is cut off, it cannot hold {header.points.count} points")
    values = numbers(content, header.size)
    if len(values) < count:
        raise ValueError(f"it is cut off, {len(values)} of {count} values are there")
    rows = values[skipped:count].reshape(header.points.count, width)
    return points_of_text(content, header.size, rows, dtype, list(range(width)), skipped)
