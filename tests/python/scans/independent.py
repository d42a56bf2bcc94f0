# SPDX-License-Identifier: Apache-2.0
"""A reader of packed clouds, written from docs/formats/clouds.md alone, in plain Python."""

from __future__ import annotations

import math
import struct
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
    if way == 1:
        return classes(reader.take(reader.number("I")), count)
    others = reader.varint()
    gaps = classes(reader.take(reader.number("I")), others)
    numbers = classes(reader.take(reader.number("I")), others)
    values: list[int] = []
    for gap, number in zip(gaps, numbers, strict=True):
        values += [0] * gap + [number + 1]
    return values + [0] * (count - len(values))


def stream(reader: Reader, count: int, bits: int = 32) -> list[int]:
    way, base = reader.number("B"), reader.number("i" if bits == 32 else "q")
    differences = small(reader, count)
    if bits == 64:
        upper = small(reader, count)
        differences = [low | high << 32 for low, high in zip(differences, upper, strict=True)]
    if way == 0:
        return [wrapped(base + one, bits) for one in differences]
    values, step = [], 0
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


def unpack(data: bytes) -> tuple[int, int, bytes]:
    """Return height, width and the points."""
    reader = Reader(data)
    assert reader.take(4) == b"WPC1"
    height, width, step = reader.varint(), reader.varint(), reader.varint()
    count = height * width
    fields = []
    for _ in range(reader.varint()):
        reader.take(reader.varint())
        fields.append((reader.varint(), reader.number("B"), reader.varint()))
    beams: list[int] = []
    beam_count = 0
    if reader.number("B"):
        beam_count = reader.number("B") + 1
        followers, before = [(one + 1) % beam_count for one in range(beam_count)], 0
        for number in small(reader, count):
            beam = (followers[before] + number) % beam_count
            followers[before] = before = beam
            beams.append(beam)
    order = sorted(range(count), key=beams.__getitem__) if beam_count else list(range(count))
    points = bytearray(count * step)
    read: list[tuple[list[int], float]] = []
    """Values in sorted order, and the step of each that may stand beside a cone."""
    for offset, kind, values in fields:
        for each in range(values):
            at = offset + each * SIZES[kind]
            made, kept = _value(reader, kind, count, order, beams, beam_count, read)
            read.append(kept)
            for place, value in enumerate(made):
                begin = place * step + at
                points[begin : begin + SIZES[kind]] = value
    assert reader.at == len(data)
    return height, width, bytes(points)


def _value(
    reader: Reader,
    kind: int,
    count: int,
    order: list[int],
    beams: list[int],
    beam_count: int,
    read: list[tuple[list[int], float]],
) -> tuple[list[bytes], tuple[list[int], float]]:
    byte = reader.number("B")
    mode, is_sorted = byte & 127, byte >= 128
    size, code = SIZES[kind], CODES[kind]
    if mode == 0:
        return [reader.take(size)] * count if count else [], ([], 0.0)
    if mode == 6:
        return [one.to_bytes(size, "little") for one in beams], ([], 0.0)
    step, exceptions = 0.0, {}
    if mode in (3, 4):
        step = reader.number("d")
        if many := reader.varint():
            place = -1
            gaps = small(reader, many)
            for gap, one in zip(gaps, stream(reader, many, 64), strict=True):
                place += gap + 1
                exceptions[place] = one
    if mode in (4, 5):
        (x, x_step), (y, y_step) = read[reader.varint()], read[reader.varint()]
        slopes = [reader.number("d") for _ in range(beam_count)]
        numbers = []
        for at, folded in enumerate(small(reader, count)):
            across = x[at] * x_step if x_step else float_of(x[at], 32)
            along = y[at] * y_step if y_step else float_of(y[at], 32)
            height = math.sqrt(across * across + along * along) * slopes[beams[order[at]]]
            expected = 0
            if step and abs(height) < 0x7FFFFFFF:
                expected = round(height)
            elif not step and abs(height) <= LARGEST:
                expected = order_of(height)
            numbers.append(wrapped(expected + unfolded(folded), 32))
    else:
        numbers = stream(reader, count, 64 if mode == 2 else 32)
    made = [b""] * count
    for at, number in enumerate(numbers):
        place = order[at] if is_sorted else at
        if place in exceptions:
            number = exceptions[place]
        if step and place not in exceptions:
            made[place] = struct.pack("<" + code, number * step)
        elif kind in FLOATS:
            bits = 8 * size
            wide = number & ((1 << bits) - 1)
            wide ^= ((1 << bits - 1) - 1) if number < 0 else 0
            made[place] = wide.to_bytes(size, "little")
        else:
            made[place] = (number & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    return made, (numbers if is_sorted else [], step)
