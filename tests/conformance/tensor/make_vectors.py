# SPDX-License-Identifier: Apache-2.0
"""Golden vectors of the tensor frame, written by the text of the format alone.

Run ``python tests/conformance/tensor/make_vectors.py``."""

from __future__ import annotations

import json
import struct
from binascii import crc32
from collections.abc import Callable
from pathlib import Path
from typing import Any

from compressed_data import jpeg, lz4, marker, zstd

HERE = Path(__file__).parent
HEAD = "# SPDX-License-Identifier: Apache-2.0\n# Made by make_vectors.py. Do not edit.\n"


def pack(value: Any) -> bytes:  # noqa: PLR0911  one line a form
    """MessagePack of what the descriptions here need; bytes objects are packed already."""
    match value:
        case bytes():
            return value
        case None:
            return b"\xc0"
        case bool():
            return b"\xc3" if value else b"\xc2"
        case int():
            return struct.pack("B", value) if 0 <= value < 128 else struct.pack(">Bq", 0xD3, value)
        case float():
            return struct.pack(">Bd", 0xCB, value)
        case str():
            text = value.encode()
            return struct.pack("BB", 0xD9, len(text)) + text
        case list():
            return struct.pack(">BH", 0xDC, len(value)) + b"".join(map(pack, value))
        case dict():
            return struct.pack(">BH", 0xDE, len(value)) + b"".join(
                pack(k) + pack(v) for k, v in value.items()
            )
    raise TypeError(value)


def ext(code: int, payload: bytes) -> bytes:
    return struct.pack(">BIb", 0xC9, len(payload), code) + payload


def binary(data: bytes) -> bytes:
    return struct.pack("BB", 0xC4, len(data)) + data


def tensor(segment: int, dtype: Any, shape: Any, axes: Any = None, by: Any = "numpy") -> bytes:
    return ext(1, pack([segment, dtype, shape, axes, by]))


def packed(codec: Any, dtype: Any, shape: Any, axes: Any = None, segment: int = 0) -> bytes:
    """Return a compressed tensor."""
    return ext(12, pack([segment, codec, dtype, shape, axes]))


def shared(ring: Any = bytes(16), number: Any = 1, dtype: Any = "<f8", shape: Any = 3) -> bytes:
    """Return a tensor of one dimension on a device, in a ring that nobody has."""
    token = binary(ring) if type(ring) is bytes else ring
    return ext(13, pack([token, number, 0, dtype, [shape], "torch"]))


def frame(
    description: bytes,
    *data: bytes,
    table: list[tuple[int, int]] | None = None,
    checksum: int | None = None,
    version: int = 1,
    flags: int = 0,
    header: int | None = None,
    total: int | None = None,
    reserved: int = 0,
    magic: bytes = b"WCTF",
) -> bytes:
    """Return a frame; what is given as a keyword is written whether it is true or not."""
    size = 32 + 16 * len(data if table is None else table) + len(description)
    body, parts = bytes(size), []
    for item in data:
        if item:
            body += bytes(-len(body) % 64)
        parts.append((len(body) if item else 0, len(item)))
        body += item
    if checksum is not None:
        body += bytes(-len(body) % 8) + struct.pack("<Q", checksum)
        flags |= 1
    table = parts if table is None else table
    rest = b"".join(struct.pack("<QQ", *entry) for entry in table) + description
    start = magic + struct.pack(
        "<HHQIII",
        version,
        flags,
        len(body) if total is None else total,
        size if header is None else header,
        len(table),
        reserved,
    )
    return start + struct.pack("<I", crc32(start + rest)) + rest + body[size:]


class Flat:
    """A flatbuffer: what a table refers to is written behind it. Slots of tables take 8 bytes."""

    def __init__(self, root: list[Any]) -> None:
        self.out = bytearray(8)
        struct.pack_into("<I", self.out, 0, self.table(root))
        self.align()

    def align(self, rest: int = 0) -> int:
        self.out += bytes((rest - len(self.out)) % 8)
        return len(self.out)

    def table(self, fields: list[Any]) -> int:
        """``fields``: numbers, None for what is not there, or functions that write a part."""
        slots = [0 if value is None else 8 + 8 * i for i, value in enumerate(fields)]
        vtable, size = self.align(), 8 + 8 * len(fields)
        self.out += struct.pack(f"<{2 + len(slots)}H", 4 + 2 * len(slots), size, *slots)
        at = self.align()
        self.out += struct.pack("<i", at - vtable) + bytes(size - 4)
        for slot, value in zip(slots, fields, strict=True):
            if callable(value):
                struct.pack_into("<I", self.out, at + slot, value(self) - at - slot)
            elif value is not None:
                struct.pack_into("<q", self.out, at + slot, value)
        return at


def text(value: str) -> Callable[[Flat], int]:
    def write(flat: Flat) -> int:
        at = flat.align()
        flat.out += struct.pack("<I", len(value)) + value.encode() + b"\0"
        return at

    return write


def part(*fields: Any) -> Callable[[Flat], int]:
    return lambda flat: flat.table(list(fields))


def parts(*tables: Callable[[Flat], int]) -> Callable[[Flat], int]:
    def write(flat: Flat) -> int:
        at = flat.align()
        flat.out += struct.pack("<I", len(tables)) + bytes(4 * len(tables))
        for slot, table in enumerate(tables, 1):
            struct.pack_into("<I", flat.out, at + 4 * slot, table(flat) - at - 4 * slot)
        return at

    return write


def pairs(*numbers: tuple[int, int]) -> Callable[[Flat], int]:
    def write(flat: Flat) -> int:
        at = flat.align(4)
        flat.out += struct.pack("<I", len(numbers))
        for pair in numbers:
            flat.out += struct.pack("<qq", *pair)
        return at

    return write


def message(kind: int, header: Callable[[Flat], int], body: bytes = b"") -> bytes:
    """Return a message of Arrow IPC, version 5 of its metadata.

    ``kind``: 1 schema, 3 record batch."""
    flat = Flat([4, kind, header, len(body)]).out
    return struct.pack("<Ii", 0xFFFFFFFF, len(flat)) + flat + body


def schema(*fields: Callable[[Flat], int], order: int = 0) -> bytes:
    return message(1, part(order, parts(*fields)))


def field(name: str, kind: int, *about: Any) -> Callable[[Flat], int]:
    return part(text(name), 1, kind, part(*about), None, parts())


def batch(rows: int, nodes: Any, buffers: Any, body: bytes, compression: Any = None) -> bytes:
    return message(3, part(rows, pairs(*nodes), pairs(*buffers), compression), body)


def table(*stream: bytes) -> bytes:
    whole = b"".join(stream)
    of = pack(["pyarrow", "table", {"stream": tensor(0, "|u1", [len(whole)])}])
    return frame(ext(2, of), whole)


GREY = packed("jpeg", "|u1", [8, 8])
END = struct.pack("<II", 0xFFFFFFFF, 0)
NUMBERS = field("n", 2, 64, 1), field("x", 3, 2)
I8 = struct.pack("<3q", 1, -2, 3)
MASK = b"\5" + bytes(7)
BODY = I8 + MASK + struct.pack("<3d", 0.5, 0, 2.5)
PLACES = (0, 0), (0, 24), (24, 1), (32, 24)
ROWS = batch(3, [(3, 0), (3, 1)], PLACES, BODY)
NOTHING = field("n", 1)

F8 = struct.pack("<6d", *range(6))
ONE = tensor(0, "<f8", [2, 3])

# One line an example reads best here.
# ruff: noqa: E501
GOOD: list[tuple[str, Any, bytes]] = [
    ("none", None, frame(b"\xc0")),
    ("values", {"a": [1, -5, 2.5, True, "ü"]}, frame(pack({"a": [1, -5, 2.5, True, "ü"]}))),
    ("tuple", {"tuple": [1, {"tuple": []}]}, frame(ext(5, pack([1, ext(5, pack([]))])))),
    ("integer", {"integer": str(-(2**70))}, frame(ext(3, (-(2**70)).to_bytes(9, "little", signed=True)))),
    ("map", {"map": [[1, "a"], [None, 2]]}, frame(ext(7, pack([1, "a", None, 2])))),
    ("bytes", {"hex": "00ff"}, frame(binary(b"\0\xff"))),
    ("long-bytes", {"hex": "00ff"}, frame(ext(11, pack([0, 0])), b"\0\xff")),
    ("matrix", {"dtype": "<f8", "shape": [2, 3], "items": [0, 1, 2, 3, 4, 5]}, frame(ONE, F8)),
    (
        "columns",
        {"dtype": "<f8", "shape": [3, 2], "items": [0, 3, 1, 4, 2, 5]},
        frame(tensor(0, "<f8", [3, 2], [1, 0]), F8),
    ),
    (
        "gap",
        {"dtype": "<f8", "shape": [2, 3], "items": [0, 1, 2, 3, 4, 5]},
        frame(ONE, table=[(512, 48)], total=560) + bytes(512 - 48 - len(ONE)) + F8,
    ),
    ("big-endian", {"dtype": ">i2", "shape": [2], "items": [1, -2]}, frame(tensor(0, ">i2", [2]), struct.pack(">hh", 1, -2))),
    ("empty", {"dtype": "|u1", "shape": [0, 7], "items": []}, frame(tensor(0, "|u1", [0, 7]), b"")),
    ("number", {"dtype": "<i4", "shape": [], "items": [7]}, frame(tensor(0, "<i4", []), struct.pack("<i", 7))),
    (
        "two",
        [{"dtype": "|b1", "shape": [3], "items": [True, False, True]}, {"x": {"dtype": "<f4", "shape": [1], "items": [0.5]}}],
        frame(pack([tensor(1, "|b1", [3]), {"x": tensor(0, "<f4", [1])}]), struct.pack("<f", 0.5), b"\1\0\1"),
    ),
    ("table", {"table": {"n": [1, -2, 3], "x": [0.5, None, 2.5]}}, table(schema(*NUMBERS), ROWS, END)),
    ("table-of-two", {"table": {"n": [1, -2, 3] * 2, "x": [0.5, None, 2.5] * 2}}, table(schema(*NUMBERS), ROWS, ROWS)),
    ("table-of-nothing", {"table": {"n": [None, None]}}, table(schema(NOTHING), batch(2, [(2, 2)], [], b""), END)),
    ("lz4", {"dtype": "<i2", "shape": [3], "items": [1, -2, 3]}, frame(packed("lz4", "<i2", [3]), lz4(struct.pack("<3h", 1, -2, 3)))),
    ("zstd", {"dtype": "<f8", "shape": [2, 3], "items": [0, 1, 2, 3, 4, 5]}, frame(packed("zstd", "<f8", [2, 3]), zstd(F8))),
    (
        "zstd-columns",
        [{"dtype": "<f8", "shape": [3, 2], "items": [0, 3, 1, 4, 2, 5]}, 1],
        frame(pack([packed("zstd", "<f8", [3, 2], [1, 0]), 1]), zstd(F8)),
    ),
    ("zstd-of-nothing", {"dtype": "<f8", "shape": [0, 7], "items": []}, frame(packed("zstd", "<f8", [0, 7]), zstd(b""))),
    ("jpeg", {"dtype": "|u1", "shape": [8, 8], "items": [128] * 64}, frame(GREY, jpeg())),
    ("followed", None, frame(b"\xc0") + b"what else the buffer holds"),
]  # fmt: skip

HUGE = 1 << 60
REFUSED: list[tuple[str, bytes]] = [
    ("empty", b""),
    ("short", b"WCTF\1\0"),
    ("magic", frame(b"\xc0", magic=b"WCTG")),
    ("version", frame(b"\xc0", version=2)),
    ("flags", frame(b"\xc0", flags=2)),
    ("reserved", frame(b"\xc0", reserved=1)),
    ("total", frame(b"\xc0", total=HUGE)),
    ("total-below-header", frame(b"\xc0", total=31)),
    ("header", frame(b"\xc0", header=1 << 31)),
    ("header-small", frame(b"\xc0", header=16)),
    ("checksum-no-room", frame(b"\xc0", flags=1)),
    ("no-value", frame(b"")),
    ("two-values", frame(b"\xc0\xc0")),
    ("half-a-value", frame(b"\x92\xc0")),
    ("list-of-2^32", frame(b"\xdd\xff\xff\xff\xff" * 3)),
    ("map-of-2^32", frame(b"\xdf\xff\xff\xff\xff\xa1a")),
    ("deep", frame(b"\x91" * 5000 + b"\xc0")),
    ("deeper-than-64", frame(b"\x91" * 66 + b"\xc0")),
    ("deep-in-an-error", frame(ext(8, pack([1, b"\x91" * 1000 + b"\xc0", 2])))),
    ("deep-key", frame(ext(7, pack([b"\x91" * 1000 + b"\xc0", 2])))),
    ("text", frame(b"\xa2\xff\xff")),
    ("extension", frame(ext(99, b"\xc0"))),
    ("segment-missing", frame(ONE)),
    ("segment-twice", frame(pack([ONE, ONE]), F8)),
    ("segment-unused", frame(b"\xc0", F8)),
    ("segment-number", frame(tensor(-1, "<f8", [2, 3]), F8)),
    ("segment-outside", frame(ONE, F8, table=[(128, HUGE)])),
    ("segment-wraps", frame(ONE, F8, table=[(2**64 - 64, 48)])),
    ("segment-in-header", frame(ONE, F8, table=[(0, 48)])),
    ("segment-not-aligned", frame(ONE, F8 * 4, table=[(136, 48)])),
    ("segments-overlap", frame(pack([tensor(0, "<f8", [8]), tensor(1, "<f8", [8])]), bytes(256), table=[(192, 64), (192, 64)])),
    ("shape-too-large", frame(tensor(0, "<f8", [HUGE]), F8)),
    ("shape-too-small", frame(tensor(0, "<f8", [5]), F8)),
    ("shape-negative", frame(tensor(0, "<f8", [-2, -3]), F8)),
    ("shape-wraps", frame(tensor(0, "|u1", [2**32, 2**32]), b"")),
    ("shape-no-list", frame(tensor(0, "<f8", 6), F8)),
    ("shape-of-100", frame(tensor(0, "<f8", [1] * 100 + [6]), F8)),
    ("axes", frame(tensor(0, "<f8", [2, 3], [0, 0]), F8)),
    ("axes-too-many", frame(tensor(0, "<f8", [2, 3], [0, 1, 2]), F8)),
    ("dtype", frame(tensor(0, "O", [6]), F8)),
    ("dtype-object", frame(tensor(0, "|O8", [6]), F8)),
    ("dtype-in-struct", frame(tensor(0, ["struct", 8, [["a", "|O8", 0]]], [6]), F8)),
    ("struct-outside", frame(tensor(0, ["struct", 8, [["a", "<f8", 4]]], [6]), F8)),
    ("struct-negative", frame(tensor(0, ["struct", 8, [["a", "<f4", -4]]], [6]), F8)),
    ("array-huge", frame(tensor(0, ["array", "<f8", [HUGE]], [1]), F8)),
    ("framework", frame(tensor(0, "<f8", [2, 3], None, "os"), F8)),
    ("framework-path", frame(ext(2, pack(["../numpy", "x", None])))),
    ("framework-kind", frame(ext(2, pack(["pint", "system", None])))),
    ("tensors-of-xarray", frame(tensor(0, "<f8", [2, 3], None, "xarray"), F8)),
    ("plugin", frame(ext(2, pack(["plugin", "nobody", None])))),
    ("record", frame(ext(8, pack(["class", "os:system", {}])))),
    ("scalar", frame(ext(10, pack(["<f8", binary(b"abc")])))),
    ("map-odd", frame(ext(7, pack([1])))),
    ("map-of-lists", frame(ext(7, pack([[1], 1])))),
    ("set-of-lists", frame(ext(6, pack([False, [1]])))),
    ("complex", frame(ext(4, bytes(15)))),
    ("time", frame(ext(9, pack(["datetime", "yesterday", None, 0])))),
    ("time-fold", frame(ext(9, pack(["datetime", "2020-01-01T00:00:00", None, 7])))),
    ("zone", frame(ext(9, pack(["datetime", "2020-01-01T00:00:00", "../../etc/passwd", 0])))),
    ("timedelta", frame(ext(9, pack(["timedelta", HUGE, 0, 0])))),
    ("table-no-bytes", table()),
    ("table-no-schema", table(ROWS, END)),
    ("table-cut", table(schema(*NUMBERS), ROWS[:-8])),
    ("table-cut-metadata", table(schema(*NUMBERS), ROWS[:100])),
    ("table-big-endian", table(schema(*NUMBERS, order=1), ROWS, END)),
    ("table-compressed", table(schema(*NUMBERS), batch(3, [(3, 0), (3, 1)], PLACES, BODY, part(1)), END)),
    ("table-bomb", table(schema(*NUMBERS), batch(3, [(3, 0), (3, 1)], PLACES, struct.pack("<q", HUGE) + BODY[8:], part(0)), END)),
    ("table-nulls", table(schema(*NUMBERS), batch(3, [(3, 0), (3, 2)], PLACES, BODY), END)),
    ("table-rows", table(schema(*NUMBERS), batch(2, [(3, 0), (3, 1)], PLACES, BODY), END)),
    ("table-rows-missing", table(schema(*NUMBERS), batch(4, [(4, 0), (4, 1)], PLACES, BODY), END)),
    ("table-of-much-nothing", table(schema(NOTHING), batch(HUGE, [(HUGE, HUGE)], [], b""), END)),
    ("table-of-no-columns", table(schema(), batch(HUGE, [], [], b""), END)),
    ("table-same-memory", table(schema(*NUMBERS), batch(3, [(3, 0), (3, 0)], [(0, 0), (0, 56), (0, 0), (0, 56)], BODY), END)),
    ("table-outside", table(schema(*NUMBERS), batch(3, [(3, 0), (3, 0)], [(0, 0), (1 << 40, 24), (0, 0), (0, 24)], BODY), END)),
    ("table-negative", table(schema(*NUMBERS), batch(3, [(3, 0), (3, 0)], [(0, 0), (0, -24), (0, 0), (0, 24)], BODY), END)),
    ("table-columns-missing", table(schema(*NUMBERS), batch(3, [(3, 0)], [(0, 0), (0, 24)], I8), END)),
    ("table-of-tensors", table(schema(*NUMBERS), message(4, part()), END)),
    ("timestamp", frame(ext(-1, bytes(5)))),
    ("compression", frame(packed("gzip", "|u1", [3]), b"abc")),
    ("compression-none", frame(packed("none", "|u1", [3]), b"abc")),
    ("compression-number", frame(packed(1, "|u1", [3]), b"abc")),
    ("compressed-fields", frame(ext(12, pack([0, "lz4", "|u1", [3]])), lz4(b"abc"))),
    ("compressed-object", frame(packed("lz4", "|O8", [1]), lz4(bytes(8)))),
    ("compressed-segment-twice", frame(pack([packed("lz4", "|u1", [3])] * 2), lz4(b"abc"))),
    ("compressed-in-zarr", frame(ext(2, pack(["zarr", "array", {"data": packed("lz4", "|u1", [3]), "chunks": [3], "attributes": {}}])), lz4(b"abc"))),
    ("shared-unknown", frame(shared())),
    ("shared-fields", frame(ext(13, pack([binary(bytes(16)), 1, 0, "<f8", [3]])))),
    ("shared-ring", frame(shared(ring=bytes(15)))),
    ("shared-ring-text", frame(shared(ring="../../../etc/passwd"))),
    ("shared-number", frame(shared(number=0))),
    ("shared-number-large", frame(shared(number=HUGE))),
    ("shared-shape", frame(shared(shape=HUGE))),
    ("shared-object", frame(shared(dtype="|O8"))),
    ("lz4-empty", frame(packed("lz4", "|u1", [3]), b"")),
    ("lz4-short", frame(packed("lz4", "|u1", [4]), lz4(b"abc"))),
    ("lz4-long", frame(packed("lz4", "|u1", [2]), lz4(b"abc"))),
    ("lz4-outside", frame(packed("lz4", "|u1", [10]), b"\x14a\xff\xff" + bytes(8))),
    ("lz4-bomb", frame(packed("lz4", "|u1", [HUGE]), lz4(b"abc"))),
    ("zstd-empty", frame(packed("zstd", "|u1", [3]), b"")),
    ("zstd-magic", frame(packed("zstd", "|u1", [3]), b"x" + zstd(b"abc")[1:])),
    ("zstd-short", frame(packed("zstd", "|u1", [4]), zstd(b"abc"))),
    ("zstd-long", frame(packed("zstd", "|u1", [2]), zstd(b"abc"))),
    ("zstd-less-than-it-says", frame(packed("zstd", "|u1", [4]), zstd(b"abc", 4))),
    ("zstd-cut", frame(packed("zstd", "|u1", [3]), zstd(b"abc")[:-1])),
    ("zstd-bomb", frame(packed("zstd", "|u1", [HUGE]), zstd(b"abc", HUGE))),
    ("zstd-just-too-large", frame(packed("zstd", "|u1", [1 << 28]), zstd(b"abc", 1 << 28))),
    ("zstd-window", frame(packed("zstd", "|u1", [3]), struct.pack("<IBB", 0xFD2FB528, 0xC0, 0x88) + struct.pack("<QI", 3, 0x19)[:-1] + b"abc")),
    ("jpeg-empty", frame(GREY, b"")),
    ("jpeg-cut", frame(GREY, jpeg()[:-30])),
    ("jpeg-other-size", frame(GREY, jpeg(16, 8))),
    ("jpeg-bomb", frame(packed("jpeg", "|u1", [65535, 65535]), jpeg(65535, 65535))),
    ("jpeg-no-height", frame(packed("jpeg", "|u1", [0, 8]), jpeg(0, 8))),
    ("jpeg-of-one-colour", frame(packed("jpeg", "|u1", [8, 8, 1]), jpeg())),
    ("jpeg-of-three-colours", frame(GREY, jpeg(colours=3, scanned=3))),
    ("jpeg-of-two-colours", frame(packed("jpeg", "|u1", [8, 8, 2]), jpeg(colours=2, scanned=2))),
    ("jpeg-of-halves", frame(packed("jpeg", "<f2", [8, 4]), jpeg())),
    ("jpeg-columns", frame(packed("jpeg", "|u1", [8, 8], [1, 0]), jpeg())),
    ("jpeg-of-12-bits", frame(GREY, jpeg(bits=12))),
    ("jpeg-progressive", frame(GREY, jpeg(frame=0xC2))),
    ("jpeg-of-scans", frame(packed("jpeg", "|u1", [8, 8, 3]), jpeg(colours=3))),
    ("jpeg-coarse", frame(packed("jpeg", "|u1", [8, 8, 3]), jpeg(colours=3, scanned=3, factors=0x44))),
    ("jpeg-of-comments", frame(GREY, jpeg(more=marker(0xFE, b"") * 100))),
]  # fmt: skip


def nested() -> bytes:
    content = pack([])
    for _ in range(70):
        content = ext(5, pack([content]))
    return frame(content)


def main() -> None:
    lines = [f"{n} {json.dumps(v).replace(' ', '')} {f.hex()}" for n, v, f in GOOD]
    (HERE / "good.txt").write_text(HEAD + "\n".join(lines) + "\n")
    refused = [*REFUSED, ("nested", nested())]
    (HERE / "refused.txt").write_text(HEAD + "".join(f"{n} {f.hex()}\n" for n, f in refused))


if __name__ == "__main__":
    main()
