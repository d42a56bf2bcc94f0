# SPDX-License-Identifier: Apache-2.0
"""Frames that once cost far more than their bytes, and others that would if nobody looked."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import msgpack
import numpy as np

from attack.tensor.corpus import installed
from wirecost.messaging.tensor import codes, compress, encode
from wirecost.messaging.tensor.layout import build
from wirecost.messaging.tensor.matching import match
from wirecost.messaging.tensor.writer import Writer

_ONE_HASH = (1 << 61) - 1
"""Every multiple of it has the hash 0."""


def an_object(framework: str, kind: str, body: Any) -> bytes:
    """Return a frame of an object as no sender would write it."""
    return whole(lambda writer: writer.extension(codes.OBJECT, [framework, kind, body]))


def whole(write: Callable[[Writer], Any]) -> bytes:
    """Return a frame of what ``write`` gives to MessagePack."""
    writer = Writer(match)
    description = msgpack.packb(write(writer))
    header, layout = build(description, [segment.nbytes for segment in writer.segments], False)
    frame = bytearray(layout.total)
    frame[: len(header)] = header
    for (offset, length), segment in zip(layout.segments, writer.segments, strict=True):
        data = segment.tobytes() if hasattr(segment, "tobytes") else b"".join(segment.pieces)
        frame[offset : offset + length] = data
    return bytes(frame)


def _keys(code: int, keys: list[Any]) -> bytes:
    flat = [False, *keys] if code == codes.SET else [part for key in keys for part in (key, 0)]
    return whole(lambda writer: msgpack.ExtType(code, writer.pack(flat)))


def _values(value: Any) -> bytes:
    return whole(lambda _: value)


def values() -> dict[str, bytes]:
    same = [k * _ONE_HASH for k in range(1, 50_001)]
    # hash(a + b·i) is hash(a) + 1000003 · hash(b), modulo 2^64.
    plane = [complex(1e12 - 1_000_003 * k, k) for k in range(30_000)]
    pair = msgpack.packb([1, 2])
    nested: Any = b"\xc0" * 300_000
    for _ in range(40):
        nested = msgpack.packb(msgpack.ExtType(codes.TUPLE, msgpack.packb([nested])))
    return {
        "a set of equal hashes": _keys(codes.SET, same),
        "a dict of equal hashes": _keys(codes.MAP, same),
        "complex numbers of equal hashes": _keys(codes.SET, plane),
        "one key many times": _keys(codes.MAP, [7] * 50_000),
        "empty lists": _values([[]] * 1_000_000),
        "empty dicts": _values([{}] * 1_000_000),
        "integers of two bytes": _values([-128] * 2_000_000),
        "short texts": _values([f"{i:04x}" for i in range(65536)] * 10),
        "nothing, many times": _values([None] * 4_000_000),
        "tiny tuples": _values([msgpack.ExtType(codes.TUPLE, b"\x90")] * 100_000),
        "pairs": _values([msgpack.ExtType(codes.TUPLE, pair)] * 100_000),
        "bytes in tuples in tuples": build(nested, [], False)[0],
        "a claim of 2^32 elements": build(b"\xdd\xff\xff\xff\xff" * 1000, [], False)[0],
        "a shape of many dimensions": _tensor("|u1", [(1 << 62) + 1] * 100_000),
        "a tensor without memory": _tensor("|V0", [1 << 40]),
        "no elements of 10^9 bytes": _tensor("|V999999999", [0]),
        "no texts of 10^9 letters": _tensor("<U499999999", [0]),
        "empty tensors": encode([np.zeros(0)] * 30).tobytes(),
        "a framework of many letters": an_object("x" * 1_000_000, "array", None),
        "a framework that is a list": an_object([None] * 500_000, "array", None),  # type: ignore[arg-type]
    }


def compressed() -> dict[str, bytes]:
    import lz4.block
    import zstandard

    def one(writer: Writer, codec: str, dtype: str, shape: list[int], data: bytes) -> Any:
        described = [writer.segment(memoryview(data)), codec, dtype, shape, None]
        return msgpack.ExtType(codes.COMPRESSED, msgpack.packb(described))

    def made(codec: str, dtype: str, shape: list[int], *data: bytes) -> bytes:
        return whole(lambda writer: [one(writer, codec, dtype, shape, part) for part in data])

    def table(writer: Writer) -> Any:
        body = {"block": one(writer, "zstd", "|u1", [16, 1 << 16], frame)}
        return msgpack.ExtType(codes.OBJECT, msgpack.packb(["pandas", "frame", body]))

    def within(writer: Writer) -> Any:
        described = msgpack.packb(one(writer, "lz4", "|u1", [1 << 20], block))
        return msgpack.ExtType(codes.COMPRESSED, described)

    megabyte = bytes(1 << 20)
    block = lz4.block.compress(megabyte, store_size=False)
    frame = zstandard.ZstdCompressor().compress(megabyte)
    image = bytes(compress(np.zeros((2000, 3000, 3), "u1"), "jpeg").data)
    comments = image[:2] + b"\xff\xfe\0\2" * 100_000 + image[2:]
    wide = bytes(compress(np.zeros((1, 65500), "u1"), "jpeg").data)
    return {
        "lz4 of a megabyte": made("lz4", "|u1", [1 << 20], block),
        "zstd of a megabyte": made("zstd", "|u1", [1 << 20], frame),
        "zstd that is cut": made("zstd", "|u1", [1 << 20], frame[:-1]),
        "a gigabyte of zstd": made("zstd", "|u1", [1 << 20], *[frame] * 1024),
        "a gigabyte of lz4": made("lz4", "|u1", [1 << 20], *[block] * 1024),
        "ten large images": made("jpeg", "|u1", [2000, 3000, 3], *[image] * 10),
        "an image of comments": made("jpeg", "|u1", [2000, 3000, 3], comments),
        "rows of a pixel": made("jpeg", "|u1", [1, 65500], *[wide] * 50),
        "tiny ones": made("zstd", "|u1", [1], *[zstandard.ZstdCompressor().compress(b"a")] * 3000),
        "tiny blocks": made("lz4", "|u1", [1], *[b"\x10a"] * 3000),
        "of 10^18": made("zstd", "|u1", [10**18], frame),
        "a type of 10^9 bytes": made("lz4", "|V999999999", [1], block),
        "in a table": whole(table),
        "in its own description": whole(within),
    }


def _tensor(dtype: Any, shape: list[int]) -> bytes:
    payload = msgpack.packb([0, dtype, shape, None, "numpy"])
    description = msgpack.packb(msgpack.ExtType(codes.TENSOR, payload))
    return build(description, [0], False)[0]


def zarr() -> dict[str, bytes]:
    def array(data: Any, chunks: list[int]) -> bytes:
        return an_object("zarr", "array", {"data": data, "chunks": chunks, "attributes": {}})

    return {
        "a chunk of 10^10": array(np.zeros(1, "u1"), [10**10]),
        "chunks of one": array(np.zeros(1 << 20, "u1"), [1]),
        "chunks beyond in each dimension": array(np.zeros((1,) * 20, "u1"), [10] * 20),
        "letters that JSON writes as six": an_object(
            "zarr", "group", {"members": {}, "attributes": {"a": "\0" * 3_000_000}}
        ),
        "no elements of 10^9 bytes": _zarr_of_nothing(),
        "no chunks at all": array(np.zeros((0, 1 << 40), "u1"), [1, 1]),
    }


def _zarr_of_nothing() -> bytes:
    tensor = msgpack.ExtType(codes.TENSOR, msgpack.packb([0, "|V999999999", [0], None, "numpy"]))
    body = {"data": tensor, "chunks": [1], "attributes": {}}
    described = msgpack.packb(["zarr", "array", body])
    return build(msgpack.packb(msgpack.ExtType(codes.OBJECT, described)), [0], False)[0]


def dask() -> dict[str, bytes]:
    def array(data: Any, chunks: list[list[int]]) -> bytes:
        return an_object("dask", "array", {"data": data, "chunks": chunks})

    parts = {
        "chunks of one": array(np.zeros((60, 60, 60), "u1"), [[1] * 60] * 3),
        "chunks of nothing": array(np.zeros((0, 0, 0)), [[0] * 3000] * 3),
    }
    if installed("pandas"):
        rows = _frame({"range": [0, 1 << 40, 1], "name": None}, _NOTHING, arrays=[])
        frame = msgpack.ExtType(codes.OBJECT, msgpack.packb(["pandas", "frame", rows]))
        parts["rows of nothing"] = _dask_frame(frame, 2)
        part = {"range": [0, 1 << 20, 1], "name": None}
        frame = msgpack.ExtType(
            codes.OBJECT, msgpack.packb(["pandas", "frame", _frame(part, _NOTHING, arrays=[])])
        )
        parts["partitions of nothing"] = _dask_frame(frame, 1 << 20)
    return parts


def _dask_frame(frame: Any, partitions: int) -> bytes:
    body = {"data": frame, "partitions": partitions}
    return _values(msgpack.ExtType(codes.OBJECT, msgpack.packb(["dask", "dataframe", body])))


_NOTHING = {"range": [0, 0, 1], "name": None}


def _frame(index: Any, columns: Any, **rest: Any) -> dict[str, Any]:
    return {"index": index, "columns": columns, "attributes": {}, **rest}


def pandas() -> dict[str, bytes]:
    def frame(index: Any, columns: Any, **rest: Any) -> bytes:
        return an_object("pandas", "frame", _frame(index, columns, **rest))

    many = {"range": [0, 1 << 40, 1], "name": None}
    # pandas' tables know 32 bits of a hash: the first half of it with the second.
    folded = [k << 32 | k for k in range(30_000)]
    labels = {"labels": folded, "name": None}
    long = {"labels": ["x" * 100_000], "name": None}
    codes_of_one = np.zeros(20_000, "i1")
    return {
        "columns of nothing": frame(_NOTHING, many, block=np.zeros((0, 1 << 40))),
        "a value for many rows": frame(many, _NOTHING, arrays=[["numpy", np.zeros(1)]]),
        "rows without columns": frame(many, _NOTHING, arrays=[]),
        "labels that collide": an_object(
            "pandas", "index",
            {"levels": [labels], "codes": [np.arange(30_000)], "names": [None]},
        ),
        "a level of 2^40": an_object(
            "pandas", "index", {"levels": [many], "codes": [codes_of_one], "names": [None]}
        ),
        "a long label for many rows": frame(
            {"levels": [long], "codes": [codes_of_one], "names": ["l"]},
            {"range": [0, 2, 1], "name": None}, block=np.zeros((20_000, 2), "u1"),
        ),
        "texts of one letter": an_object(
            "pandas", "series",
            {"index": {"range": [0, 500_000, 1], "name": None}, "name": None, "attributes": {},
             "values": ["numpy", np.full(500_000, "é", "<U1")]},
        ),
        "attributes that JSON writes as six": an_object(
            "pandas", "frame",
            _frame(_NOTHING, _NOTHING, arrays=[]) | {"attributes": {"a": "\0" * 3_000_000}},
        ),
        "a zone that is a file": an_object(
            "pandas", "series",
            {"index": {"range": [0, 1, 1], "name": None}, "name": None, "attributes": {},
             "values": ["zoned", np.zeros(1, "i8"), "ns", "dateutil//dev/zero"]},
        ),
    }  # fmt: skip


def pyarrow() -> dict[str, bytes]:
    import pyarrow as pa

    def table(**columns: Any) -> bytes:
        return encode(pa.table(columns)).tobytes()

    many, zeros = 1 << 26, np.zeros(50_000, "i1")
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([many], pa.int32()), pa.array([1.0]))
    nothing = [None, pa.py_buffer(b"")]
    views = np.zeros((20_000, 4), "<i4")
    views[:, :2] = 400_000, 0x61616161
    letters = [None, pa.py_buffer(views.tobytes()), pa.py_buffer(b"a" * 400_000)]
    starts, sizes = np.zeros(20_000, "<i4"), np.full(20_000, 20_000, "<i4")

    def words(*values: Any) -> Any:
        return pa.DictionaryArray.from_arrays(zeros, pa.array(values))

    nulls = pa.nulls(many)
    column = pa.array([{"a": True}] * 100_000)
    return {
        "200 columns of nulls": table(**{f"c{i}": nulls for i in range(200)}),
        "structs of nulls": table(a=pa.StructArray.from_arrays([nulls], ["b"])),
        "lists of nulls": table(a=pa.FixedSizeListArray.from_arrays(nulls, 1 << 13)),
        "100 columns of runs": table(**{f"c{i}": runs for i in range(100)}),
        "binaries of no bytes": table(
            a=pa.FixedSizeBinaryArray.from_buffers(pa.binary(0), many, nothing)
        ),
        "codes of a long text": table(a=words("x" * 100_000)),
        "codes of long bytes": table(a=words(b"x" * 100_000)),
        "codes of a list": table(a=words([1.0] * 10_000)),
        "codes in structs": table(a=pa.StructArray.from_arrays([words("x" * 100_000)], ["b"])),
        "structs of a bit": table(a=column),
        "bits or null": table(a=pa.array([True, None] * 500_000)),
        "days": table(a=pa.array(np.zeros(1_000_000, "<M8[D]"))),
        "bytes of one letter": table(a=pa.array([b"ab"] * 500_000)),
        "views of one text": table(
            a=pa.Array.from_buffers(pa.string_view(), len(views), letters)
        ),
        "lists of one list": table(
            a=pa.ListViewArray.from_arrays(starts, sizes, pa.array(zeros[:20_000]))
        ),
        "one schema many times": _shared_fields(pa),
        "a dictionary in parts": _dictionary_in_parts(pa),
        "null chunks": an_object(
            "pyarrow", "chunked",
            {"schema": _schema(pa, pa.null()), "chunks": [[1, 0, [None], [], None]] * 10_000},
        ),
        "a masked column of nulls": an_object(
            "pandas", "series",
            {"index": {"range": [0, many, 1], "name": None}, "name": None, "attributes": {},
             "values": ["arrow", {"schema": _schema(pa, pa.null()),
                                  "chunks": [[many, 0, [None], [], None]]}, "Int64"]},
        ),
    }  # fmt: skip


def _schema(pa: Any, kind: Any) -> bytes:
    return bytes(pa.schema([pa.field("", kind)]).serialize().to_pybytes())


def _shared_fields(pa: Any) -> bytes:
    """Return a schema with one field of many children, which are one child each."""
    count = 250
    children = pa.struct([pa.field(f"{i:04}", pa.int8()) for i in range(count)])
    kinds = [children, *[pa.int8()] * (count - 1)]
    schema = pa.schema([pa.field(f"{i:04}", kind) for i, kind in enumerate(kinds)])
    stream = bytearray(schema.serialize().to_pybytes())
    # Every entry of the longest vectors refers to where the first one does.
    for start in _vectors(stream, count):
        first = start + struct.unpack_from("<I", stream, start)[0]
        for at in range(start, start + 4 * count, 4):
            if first > at:
                struct.pack_into("<I", stream, at, first - at)
    return an_object("pyarrow", "table", {"stream": np.frombuffer(bytes(stream), "u1")})


def _vectors(data: bytes, count: int) -> list[int]:
    """Return where vectors of that many elements begin."""
    pattern, places, at = struct.pack("<I", count), [], -1
    while (at := data.find(pattern, at + 1)) >= 0:
        if at % 4 == 0 and at + 4 + 4 * count <= len(data):
            places.append(at + 4)
    return places


def _dictionary_in_parts(pa: Any) -> bytes:
    kind = pa.dictionary(pa.int8(), pa.string())
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
    with pa.ipc.new_stream(sink, pa.schema([("w", kind)]), options=options) as stream:
        for count in range(1, 120):
            words = pa.array([f"{i}" * 2000 for i in range(count)])
            part = pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), words)
            stream.write_batch(pa.record_batch([part], ["w"]))
    data = np.frombuffer(sink.getvalue(), "u1")
    return an_object("pyarrow", "table", {"stream": data})


def polars() -> dict[str, bytes]:
    return {}


def xarray() -> dict[str, bytes]:
    def variable(dims: list[str], data: Any) -> dict[str, Any]:
        return {"dims": dims, "data": data, "attributes": {}}

    letters = np.arange(200_000).astype("<i4").view("<U1")
    return {
        "one name for two": an_object(
            "xarray", "dataset",
            {"variables": {"x": variable(["a"], np.zeros(30_000, "u1"))},
             "coordinates": {"x": variable(["b"], np.zeros(30_000, "u1"))},
             "indexed": [], "attributes": {}},
        ),
        "labels of one letter": an_object(
            "xarray", "dataset",
            {"variables": {}, "coordinates": {"x": variable(["x"], np.full(400_000, b"ab"))},
             "indexed": ["x"], "attributes": {}},
        ),
        "letters": an_object(
            "xarray", "data array",
            {"name": None, "variable": variable(["x"], np.zeros(len(letters), "u1")),
             "coordinates": {"x": variable(["x"], np.abs(letters.view("<i4")).view("<U1"))},
             "indexed": ["x"]},
        ),
    }  # fmt: skip


def pint() -> dict[str, bytes]:
    units = " * ".join(["meter", "second", "gram", "kelvin"] * 24)
    return {
        "a text to evaluate": an_object("pint", "quantity", ["9 ** 9 ** 9", "m"]),
        "a list for an array": an_object("pint", "quantity", [[0] * 1_000_000, "m"]),
        "many units": an_object("pint", "unit", units),
        "unknown units": an_object("pint", "unit", " * ".join(f"{'q' * 30}{i}" for i in range(16))),
    }


def pillow() -> dict[str, bytes]:
    def image(mode: str, width: int, height: int, pixels: Any) -> bytes:
        body = {"mode": mode, "size": [width, height], "pixels": pixels}
        return an_object("pillow", "image", body | {"palette": None, "transparency": None})

    return {
        "rows without pixels": image("L", 0, (1 << 31) - 1, np.zeros(0, "u1")),
        "pixels without rows": image("L", (1 << 31) - 1, 0, np.zeros(0, "u1")),
        "rows of a bit": image("1", 1, 3_000_000, np.zeros(3_000_000, "u1")),
    }


_MAKERS: dict[str, Callable[[], dict[str, bytes]]] = {
    "values": values,
    "compressed": compressed,
    "zarr": zarr,
    "dask": dask,
    "pandas": pandas,
    "pyarrow": pyarrow,
    "xarray": xarray,
    "pint": pint,
    "pillow": pillow,
}


def hostile(framework: str) -> dict[str, bytes]:
    """By what is wrong with them."""
    return _MAKERS[framework]() if framework in _MAKERS else {}
