# SPDX-License-Identifier: Apache-2.0
"""A reader of packed clouds, written from docs/formats/clouds.md alone, in plain Python."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from typing import Any

SIZES = (0, 1, 1, 2, 2, 4, 4, 4, 8)
CODES = " bBhHiIfd"
FLOATS = (7, 8)
LARGEST = (2 - 2**-23) * 2.0**127
"""The largest float of 32 bits."""


class Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, size: int) -> bytes:
        assert self.at + size <= len(self.data)
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, code: str) -> Any:
        return struct.unpack("<" + code, self.take(struct.calcsize("<" + code)))[0]

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.number("B")
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value


def unfolded(value: int) -> int:
    return -(value + 1) // 2 if value & 1 else value // 2


def wrapped(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def classes(data: bytes, count: int) -> list[int]:
    if not count:
        return []
    reader = Reader(data)
    used = reader.number("B")
    lengths: list[int] = []
    while len(lengths) < used:
        byte = reader.number("B")
        lengths += [byte & 15, byte >> 4]
    lengths = lengths[:used]
    codes: dict[tuple[int, int], int] = {}
    code = 0
    for length in range(1, 12):
        for number, own in enumerate(lengths):
            if own == length:
                codes[length, code] = number
                code += 1
        code <<= 1
    only = lengths.index(15) if 15 in lengths else None
    sizes = [reader.number("I") for _ in range(3)]
    runs = [reader.take(size) for size in sizes]
    runs.append(reader.take(len(data) - reader.at))
    each = -(-count // 4)
    values: list[int] = []
    for number, run in enumerate(runs):
        bits = int.from_bytes(run, "little")
        for _ in range(min(each, max(0, count - number * each))):
            of_class = only
            length = code = 0
            while of_class is None:
                code = code << 1 | bits & 1
                bits >>= 1
                length += 1
                of_class = codes.get((length, code))
            behind = max(0, of_class - 1)
            values.append((1 << behind | bits & (1 << behind) - 1) if of_class else 0)
            bits >>= behind
    return values


def small(reader: Reader, count: int) -> list[int]:
    way = reader.number("B")
    if way == 0:
        return [0] * count
    if way == 3:
        return groups(reader, count)
    if way == 1:
        return classes(reader.take(reader.number("I")), count)
    others = reader.varint()
    gaps = classes(reader.take(reader.number("I")), others)
    numbers = classes(reader.take(reader.number("I")), others)
    values: list[int] = []
    for gap, number in zip(gaps, numbers, strict=True):
        values += [0] * gap + [number + 1]
    return values + [0] * (count - len(values))


def groups(reader: Reader, count: int) -> list[int]:
    lowest, size = reader.number("B"), reader.number("I")
    many = -(-count // 8)
    codes = reader.take(-(-many // 2))
    data = Reader(reader.take(size))
    values: list[int] = []
    for each in range(many):
        code = codes[each // 2] >> 4 * (each % 2) & 15
        width = 0 if code == 0 else lowest + code - 1
        if code == 15 or width > 25:
            width = 32
        bits = int.from_bytes(data.take(width), "little")
        values += [bits >> width * one & (1 << width) - 1 for one in range(8)]
    assert data.at == size
    return values[:count]


def stream(reader: Reader, count: int, bits: int = 32, lags: bytes = b"") -> list[int]:
    way, base = reader.number("B"), reader.number("i" if bits == 32 else "q")
    differences = small(reader, count)
    if bits == 64:
        upper = small(reader, count)
        differences = [low | high << 32 for low, high in zip(differences, upper, strict=True)]
    if way == 0:
        return [wrapped(base + one, bits) for one in differences]
    values: list[int] = []
    step = 0
    if way == 3:
        for at, difference in enumerate(map(unfolded, differences)):
            lag = lags[at // 32]
            values.append(wrapped((values[at - lag] if at >= lag else base) + difference, bits))
        return values
    for difference in map(unfolded, differences):
        step = step + difference if way == 2 else difference
        base = wrapped(base + step, bits)
        values.append(base)
    return values


def float_of(order: int, bits: int) -> float:
    wide = order & ((1 << bits) - 1)
    if order < 0:
        wide ^= (1 << bits - 1) - 1
    codes = ("I", "f") if bits == 32 else ("Q", "d")
    return float(struct.unpack("<" + codes[1], struct.pack("<" + codes[0], wide))[0])


def order_of(value: float) -> int:
    (bits,) = struct.unpack("<i", struct.pack("<f", value))
    return bits ^ 0x7FFFFFFF if bits < 0 else bits


@dataclass
class Cloud:
    count: int
    beams: list[int] = field(default_factory=list)
    beam_count: int = 0
    order: list[int] = field(default_factory=list)
    lags: bytes = b""
    read: list[tuple[list[int], float]] = field(default_factory=list)
    """Numbers in sorted order and their step, of each value that may stand beside a cone."""


def unpack(data: bytes) -> tuple[int, int, bytes]:
    """Return height, width and the points."""
    reader = Reader(data)
    assert reader.take(4) == b"WPC1"
    height, width, step = reader.varint(), reader.varint(), reader.varint()
    cloud = Cloud(height * width)
    fields = []
    for _ in range(reader.varint()):
        reader.take(reader.varint())
        fields.append((reader.varint(), reader.number("B"), reader.varint()))
    order = reader.number("B")
    if order == 1:
        sort(cloud, reader)
    elif order == 2:
        cloud.lags = reader.take(-(-cloud.count // 32))
        assert min(cloud.lags) >= 8
    points = bytearray(cloud.count * step)
    for offset, kind, values in fields:
        for each in range(values):
            at = offset + each * SIZES[kind]
            for place, value in enumerate(values_of(reader, kind, cloud)):
                begin = place * step + at
                points[begin : begin + SIZES[kind]] = value
    assert reader.at == len(data)
    return height, width, bytes(points)


def sort(cloud: Cloud, reader: Reader) -> None:
    cloud.beam_count = reader.number("B") + 1
    followers, before = [(one + 1) % cloud.beam_count for one in range(cloud.beam_count)], 0
    for number in small(reader, cloud.count):
        beam = (followers[before] + number) % cloud.beam_count
        followers[before] = before = beam
        cloud.beams.append(beam)
    cloud.order = sorted(range(cloud.count), key=cloud.beams.__getitem__)


def values_of(reader: Reader, kind: int, cloud: Cloud) -> list[bytes]:
    byte = reader.number("B")
    mode, is_sorted = byte & 127, byte >= 128
    size = SIZES[kind]
    if mode in (0, 6):
        cloud.read.append(([], 0.0))
        if mode == 6:
            return [one.to_bytes(size, "little") for one in cloud.beams]
        return [reader.take(size)] * cloud.count if cloud.count else []
    step = reader.number("d") if mode in (3, 4) else 0.0
    excepted = exceptions(reader) if step else {}
    if mode in (4, 5):
        numbers = cone(reader, step, cloud)
    else:
        numbers = stream(reader, cloud.count, 64 if mode == 2 else 32, cloud.lags)
    cloud.read.append((numbers if is_sorted else [], step))
    made = [b""] * cloud.count
    for at, number in enumerate(numbers):
        place = cloud.order[at] if is_sorted else at
        made[place] = (
            struct.pack("<" + CODES[kind], number * step) if step else bits_of(number, kind)
        )
    for place, number in excepted.items():
        made[place] = bits_of(number, kind)
    return made


def exceptions(reader: Reader) -> dict[int, int]:
    many = reader.varint()
    found, place = {}, -1
    if many:
        gaps = small(reader, many)
        for gap, order in zip(gaps, stream(reader, many, 64), strict=True):
            place += gap + 1
            found[place] = order
    return found


def cone(reader: Reader, step: float, cloud: Cloud) -> list[int]:
    (x, x_step), (y, y_step) = cloud.read[reader.varint()], cloud.read[reader.varint()]
    slopes = [reader.number("d") for _ in range(cloud.beam_count)]
    numbers = []
    for at, folded in enumerate(small(reader, cloud.count)):
        across = x[at] * x_step if x_step else float_of(x[at], 32)
        along = y[at] * y_step if y_step else float_of(y[at], 32)
        height = math.sqrt(across * across + along * along) * slopes[cloud.beams[cloud.order[at]]]
        expected = 0
        if step and abs(height) < 0x7FFFFFFF:
            expected = round(height)
        elif not step and abs(height) <= LARGEST:
            expected = order_of(height)
        numbers.append(wrapped(expected + unfolded(folded), 32))
    return numbers


def bits_of(number: int, kind: int) -> bytes:
    bits = 8 * SIZES[kind]
    if kind in FLOATS and number < 0:
        number ^= (1 << bits - 1) - 1
    return (number & ((1 << bits) - 1)).to_bytes(SIZES[kind], "little")
