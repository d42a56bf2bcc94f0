# SPDX-License-Identifier: Apache-2.0
"""Tables of many columns as one segment: what arrives, what is copied, and what is refused."""

from __future__ import annotations

import random
import struct
from typing import Any

import msgpack
import numpy as np
import pytest

from support import needs
from wirecost.messaging.tensor import FrameError, decode, encode
from wirecost.messaging.tensor.arrow_arrays import write_array
from wirecost.messaging.tensor.layout import build
from wirecost.messaging.tensor.matching import match
from wirecost.messaging.tensor.memory import own_copy
from wirecost.messaging.tensor.writer import Writer
from wirecost.system.errors import UserError

pa = needs.package("pyarrow")


def there_and_back(value: Any, **options: Any) -> Any:
    return decode(own_copy(memoryview(encode(value).tobytes())), **options)


def wide(columns: int = 200) -> Any:
    numbers = np.random.default_rng(1).random((columns, 40))
    return pa.table({f"c{i}": numbers[i] for i in range(columns)})


def typed() -> Any:
    texts = ["a", None, "ü" * 30, ""] * 5
    return pa.table(
        {
            "null": pa.nulls(20),
            "bool": pa.array([True, None, False, True] * 5),
            "text": pa.array(texts),
            "view": pa.array(texts, pa.string_view()),
            "words": pa.array(texts).dictionary_encode(),
            "ends": pa.array(["a", "b", "b", "b"] * 5).dictionary_encode().indices,
            "runs": pa.RunEndEncodedArray.from_arrays([7, 20], pa.array([1, None])),
            "lists": pa.array([[1], None, [], [2, 3]] * 5),
            "list views": pa.array([[1], None, [], [2, 3]] * 5, pa.list_view(pa.int8())),
            "structs": pa.array([{"a": 1, "b": "x"}, None] * 10),
            "maps": pa.array([[("k", 1)], None] * 10, pa.map_(pa.string(), pa.int8())),
            "decimals": pa.array([1, None] * 10, pa.decimal128(30, 2)),
        }
    )


def test_tables_of_every_type_their_slices_and_chunks() -> None:
    table = typed()
    for value in (table, table.slice(3, 9), table.slice(20), pa.concat_tables([table, table])):
        restored = there_and_back(value)
        restored.validate(full=True)
        assert (restored.schema, restored.num_rows) == (value.schema, value.num_rows)
        assert restored.to_pydict() == value.to_pydict()
    (batch,) = table.to_batches()
    assert there_and_back(batch.slice(5)).to_pydict() == batch.slice(5).to_pydict()


def test_a_table_without_batches() -> None:
    table = typed().schema.empty_table()
    nothing = pa.Table.from_batches([], typed().schema)
    for value in (table, nothing):
        assert there_and_back(value).equals(table)
    if needs.package("pandas"):
        column = nothing.select(["runs", "text"])
        assert len(there_and_back(column, as_="pandas")) == 0


def test_columns_with_other_chunks_arrive_with_common_ones() -> None:
    chunks = pa.chunked_array([["a", "b"], ["c"]]), pa.chunked_array([[1], [2, 3]])
    table = pa.table(chunks, ["s", "n"])
    restored = there_and_back(table)
    assert restored.equals(table)
    assert [len(chunk) for chunk in restored.column("n").chunks] == [1, 1, 1]


def test_dictionaries_that_differ_between_chunks() -> None:
    words = [pa.array(w).dictionary_encode() for w in (["a", "b"], ["c", "a", "d"])]
    table = pa.table({"w": pa.chunked_array(words)})
    assert there_and_back(table).to_pydict() == table.to_pydict()


def test_no_column_is_copied_and_one_segment_has_them_all() -> None:
    table = wide()
    frame = encode(table)
    assert frame.copies == 0
    parts = frame.parts()
    at = [np.frombuffer(part, "u1").__array_interface__["data"][0] for part in parts if len(part)]
    assert {column.chunk(0).buffers()[1].address for column in table.columns} <= set(at)
    whole = own_copy(memoryview(frame.tobytes()))
    start = whole.__array_interface__["data"][0]
    for column in decode(whole).columns:
        address = column.chunk(0).buffers()[1].address
        assert start < address < start + len(whole)
        assert address % 8 == 0
    room = bytearray(frame.nbytes)
    frame.write_into(room)
    assert (bytes(room), len(parts)) == (frame.tobytes(), len(parts))
    checked = encode(table, checksum=True)
    assert decode(checked.tobytes()).equals(table)


def test_what_arrow_copies_of_a_slice_is_counted() -> None:
    frame = encode(pa.table({"s": ["text"] * 1000})[501:])
    assert frame.copies == 1
    assert 4 * 499 <= frame.copied_bytes < 3000


def made(body: Any, sender: str, kind: str) -> bytearray:
    """Return a frame of an object that has this body."""
    writer = Writer(match)
    description = msgpack.packb(writer.extension(2, [sender, kind, body]))
    header, layout = build(description, [part.nbytes for part in writer.segments], False)
    whole = bytearray(layout.total)
    whole[: len(header)] = header
    for (offset, length), segment in zip(layout.segments, writer.segments, strict=True):
        whole[offset : offset + length] = segment.tobytes()
    return whole


def test_tables_of_before_are_read() -> None:
    """Each buffer a segment, as senders wrote them first."""
    table = wide(3).append_column("s", pa.array(["a", None] * 20))
    columns = [[write_array(c, Writer(match)) for c in column.chunks] for column in table.columns]
    schema = table.schema.serialize().to_pybytes()
    body = {"schema": schema, "columns": columns, "rows": table.num_rows}
    assert decode(made(body, "pyarrow", "table")).equals(table)
    old = made({"table": body}, "polars", "frame")
    assert decode(old, as_="pyarrow").equals(table)
    polars = needs.package("polars")
    assert decode(old).equals(polars.DataFrame(table.to_pydict()))


def test_changed_streams_are_refused_or_sound() -> None:
    """Bytes of the stream are changed, which the header's checksum does not see."""
    noise = random.Random(5)
    good = bytearray(encode(typed()).tobytes())
    (start,) = struct.unpack_from("<Q", good, 32)
    refused = 0
    for _ in range(1500):
        frame = bytearray(good)
        for _ in range(noise.choice([1, 1, 2, 8])):
            at = noise.randrange(start, len(frame))
            frame[at] = noise.choice([0, 1, 127, 128, 255, noise.randrange(256)])
        try:
            decoded = decode(frame)
        except FrameError:
            refused += 1
            continue
        decoded.validate(full=True)
        assert decoded.num_rows <= 1 << 26
    assert refused > 100


@pytest.mark.parametrize("around", ["none", "list", "struct", "array"])
def test_views_that_a_null_hides_are_looked_at(around: str) -> None:
    """PyArrow's validation does not, and its casts follow them out of memory."""
    views = np.array([1, 97, 0, 0, -5, 7, 1 << 30, 1 << 30], "<i4")
    buffers = pa.py_buffer(b"\1"), pa.py_buffer(views)
    array = pa.Array.from_buffers(pa.string_view(), 2, buffers, 1)
    array.validate(full=True)
    if around == "list":
        array = pa.ListArray.from_arrays([0, 2], array)
    if around == "struct":
        array = pa.StructArray.from_arrays([array], ["a"])
    frame = encode(array if around == "array" else pa.table({"a": array})).tobytes()
    for _ in range(2):
        with pytest.raises(FrameError, match="negative size"):
            decode(frame)


def test_polars_refuses_python_objects_and_takes_what_arrow_has() -> None:
    polars = needs.package("polars")
    objects = polars.DataFrame({"o": polars.Series([object()], dtype=polars.Object)})
    with pytest.raises(UserError, match="dtype Object"):
        encode(objects)
    with pytest.raises(UserError, match=r"^polars: a frame cannot be sent"):
        encode(polars.DataFrame({"i": polars.Series([1], dtype=polars.Int128)}))
    for name in (
        polars.DataFrame({"a\0": [1]}),
        polars.DataFrame({"a": [[{"b": 1, "\0": 2}]]}),
    ):
        with pytest.raises(UserError, match="the character NUL"):
            encode(name)
    chunks = polars.concat([polars.DataFrame({"a": [1, 2]})] * 2, rechunk=False)
    assert there_and_back(chunks).equals(chunks)
    assert there_and_back(chunks.clear()).equals(chunks.clear())
