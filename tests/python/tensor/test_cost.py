# SPDX-License-Identifier: Apache-2.0
"""Messages take memory and time in proportion to their frames; the rest is refused beforehand.

That nothing gets past what is looked at here is tests/attack/tensor's matter.
"""

from __future__ import annotations

import dataclasses
import sys
import tracemalloc
from typing import Any

import msgpack
import numpy as np
import pytest

from support import needs
from support.hostile_tensors import hostile
from wirecost.messaging.tensor import FrameError, codes, decode, encode, register
from wirecost.messaging.tensor.budget import FREE_BYTES, FREE_NANOSECONDS, Budget
from wirecost.messaging.tensor.collisions import check_labels, dict_of, set_of
from wirecost.messaging.tensor.frameworks import dask as dask_tables
from wirecost.messaging.tensor.layout import build
from wirecost.messaging.tensor.memory import own_copy
from wirecost.messaging.tensor.sizes import MOST_PER_BYTE, bytes_of_values
from wirecost.messaging.tensor.zones import known

EQUAL = [k * ((1 << 61) - 1) for k in range(1, 1001)]
"""Integers whose hash is 0."""


def frame_of(description: bytes) -> bytes:
    return build(description, [], False)[0]


def extension(code: int, value: Any) -> msgpack.ExtType:
    return msgpack.ExtType(code, msgpack.packb(value))


def test_a_budget_is_refused_with_what_it_was_for_and_a_remedy() -> None:
    budget = Budget(1000)
    budget.take("a table", FREE_BYTES, FREE_NANOSECONDS)
    budget.take("another", 8000, 100_000)
    with pytest.raises(FrameError) as raised:
        budget.take("a third", 1, remedy="send less")
    assert str(raised.value).startswith("frame: a third")
    with pytest.raises(FrameError, match=r"a fourth, 1,000,001 ns, would take more than 0 bytes"):
        Budget(0).take("a fourth", 0, 1_000_001)


@pytest.mark.parametrize("code", [codes.SET, codes.MAP])
def test_keys_of_equal_hashes_are_refused(code: int) -> None:
    assert {hash(key) for key in EQUAL} == {0}
    flat = [False, *EQUAL] if code == codes.SET else [part for key in EQUAL for part in (key, 0)]
    packed = [integer(part) for part in flat]
    with pytest.raises(FrameError, match="one hash"):
        decode(frame_of(msgpack.packb(extension(code, packed))))


def integer(value: int) -> Any:
    """Return an integer as frames have those beyond 64 bits."""
    if value < 1 << 64:
        return value
    return msgpack.ExtType(codes.INTEGER, value.to_bytes(16, "little", signed=True))


def test_keys_of_few_equal_hashes_are_taken() -> None:
    powers = [2.0**exponent for exponent in range(-1074, 1024)]
    assert decode(encode(set(powers)).tobytes()) == set(powers)
    some = {*EQUAL[:60], *range(100_000)}
    assert decode(encode(some).tobytes()) == some
    pairs = {(i, str(i)): i for i in range(5000)}
    assert decode(encode(pairs).tobytes()) == pairs


def test_keys_that_meet_in_a_table_without_equal_hashes_are_refused_in_time() -> None:
    class Slow(int):
        """Differs from all others by its hash, and takes as long as one that meets them."""

        def __hash__(self) -> int:
            sum(range(20_000))
            return int(self)

    keys = [Slow(i) for i in range(3000)]
    for make in (lambda: set_of(keys, Budget(100)), lambda: dict_of(keys, keys, Budget(100))):
        with pytest.raises(FrameError, match="collide"):
            make()


def test_labels_that_meet_in_tables_of_pandas_are_refused() -> None:
    folded = [k << 32 | k for k in range(100)]
    assert set_of(folded, Budget(1000)) == set(folded)
    with pytest.raises(FrameError, match="one hash"):
        check_labels(folded)
    check_labels(list(range(100_000)))


VALUES = {
    "nothing": [None] * 3000,
    "empty lists": [[] for _ in range(3000)],
    "empty dicts": [{} for _ in range(3000)],
    "dicts of one": [{"": None} for _ in range(3000)],
    "dicts of twenty": [{str(i): None for i in range(20)} for _ in range(200)],
    "small integers": [-128] * 3000,
    "integers": list(range(1000, 4000)),
    "floats": [i / 7 for i in range(3000)],
    "texts": [f"{i:05}" for i in range(3000)],
    "long texts": ["x" * 200 + str(i) for i in range(300)],
    "wide texts": ["ü" * 40 + str(i) for i in range(300)],
    "bytes": [bytes([i % 256, i // 256]) for i in range(3000)],
    "long bytes": [bytes(300) + bytes([i % 256, i // 256]) for i in range(300)],
    "lists in lists": [[[1, [2, [i]]]] for i in range(1000)],
    "tuples": [(i, i + 1000) for i in range(1000)],
    "sets": [{i, i + 1000} for i in range(1000)],
    "a set": set(range(1000, 4000)),
    "a dict": {i: i for i in range(1000, 4000)},
    "large integers": [1 << 100 | i for i in range(1000)],
    "complex numbers": [complex(i, 1) for i in range(1000)],
    "scalars": [np.float64(i) for i in range(1000)],
    "tensors": [np.zeros(0) for _ in range(300)],
}


@pytest.mark.parametrize("name", VALUES)
def test_what_values_take_is_known_before_they_are_made(name: str) -> None:
    frame = encode(VALUES[name]).tobytes()
    (header,) = np.frombuffer(frame, "<u4", 1, 16).tolist()
    (segments,) = np.frombuffer(frame, "<u4", 1, 20).tolist()
    description = frame[32 + 16 * segments : header]
    counted = bytes_of_values(description, sys.maxsize)
    decode(frame)
    tracemalloc.start()
    decoded = decode(frame)
    allocated, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert type(decoded) is type(VALUES[name])
    assert 0.8 * allocated - 4096 < counted <= MOST_PER_BYTE * len(description)
    assert counted < 9 * allocated + 4096
    assert bytes_of_values(description, counted / 2) <= counted


def test_counting_goes_on_at_the_borders_of_blocks_and_ends_where_a_value_is_cut() -> None:
    for shift in range(40):
        text = "x" * (8192 - 20 + shift)
        packed = msgpack.packb([text, 1.5, b"y" * 300, [], {"a": 2}])
        plain = msgpack.packb(["", 1.5, b"y" * 300, [], {"a": 2}])
        more = bytes_of_values(packed, sys.maxsize) - bytes_of_values(plain, sys.maxsize)
        assert more == 56 + 2 * len(text)
        for size in range(len(packed) - 320, len(packed)):
            assert bytes_of_values(packed[:size], sys.maxsize) <= more + 10_000


@pytest.mark.parametrize(
    "value", [[[]] * 1_000_000, [-128] * 3_000_000, [extension(codes.TUPLE, [])] * 300_000]
)
def test_values_that_take_far_more_than_their_bytes_are_refused(value: Any) -> None:
    frame = frame_of(msgpack.packb(value))
    with pytest.raises(FrameError, match="let the sender make arrays"):
        decode(frame)


def test_tiny_extensions_are_counted() -> None:
    good = [(i % 100, 2) for i in range(5000)]
    assert decode(encode(good).tobytes()) == good
    with pytest.raises(FrameError, match="tiny tuples"):
        decode(encode([()] * 5000).tobytes())


def test_shapes_of_many_dimensions_and_elements_without_memory_are_refused() -> None:
    for dtype, shape in (("|u1", [(1 << 62) + 1] * 10_000), ("|V0", [1 << 40])):
        tensor = extension(codes.TENSOR, [0, dtype, shape, None, "numpy"])
        with pytest.raises(FrameError, match="a tensor of"):
            decode(build(msgpack.packb(tensor), [0], False)[0])
    assert decode(encode(np.zeros(3, "V0")).tobytes()).shape == (3,)


def test_what_a_frame_repeats_is_not_repeated_in_its_refusal() -> None:
    for name in ("x" * 100_000, [None] * 100_000, 1 << 63, b"\0\n" * 5000, {"a" * 999: 1}):
        with pytest.raises(FrameError) as raised:
            decode(frame_of(msgpack.packb(extension(codes.OBJECT, [name, "array", None]))))
        assert len(str(raised.value)) < 300
        assert str(raised.value).isprintable()


@register
@dataclasses.dataclass
class Point:
    x: int


def test_a_refusal_is_one_line_whatever_a_field_is_called() -> None:
    frame = encode(Point(1)).tobytes()
    fields = {"x\n\0": 1}
    name = f"{__name__}:Point"
    assert decode(frame) == Point(1)
    with pytest.raises(FrameError) as raised:
        decode(frame_of(msgpack.packb(extension(codes.RECORD, ["dataclass", name, fields]))))
    assert str(raised.value).isprintable()


@pytest.mark.parametrize("name", ["dateutil//dev/zero", "/etc/passwd", "../Berlin", "Nowhere", ""])
def test_a_zone_is_one_that_there_is(name: str) -> None:
    with pytest.raises((KeyError, ValueError)):
        known(name)
    assert known("Europe/Berlin") == "Europe/Berlin"
    assert known("UTC+05:30") == "UTC+05:30"


def there_and_back(value: Any, **options: Any) -> Any:
    return decode(own_copy(memoryview(encode(value).tobytes())), **options)


def test_tables_of_nothing_arrive_in_arrow_and_are_refused_where_they_would_take_room() -> None:
    pa = needs.package("pyarrow")
    needs.package("pandas")
    rows = 1 << 26
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([rows], pa.int32()), pa.array([1.0]))
    words = pa.array(["x" * 100_000] * 2).dictionary_encode().take(pa.array([0] * 10_000))
    for column in (pa.nulls(rows), runs, pa.StructArray.from_arrays([words], ["w"])):
        table = pa.table({f"c{i}": column for i in range(3)})
        assert there_and_back(table).num_rows == len(column)
        with pytest.raises(FrameError, match=r"would take more than .* as_=.pyarrow"):
            there_and_back(table, as_="pandas")


def test_tables_of_some_thousand_rows_become_whatever_is_asked_for() -> None:
    pa, pl = needs.package("pyarrow"), needs.package("polars")
    needs.package("pandas")
    content = {
        "null": pa.nulls(5000),
        "truth": pa.array([True, None] * 2500),
        "text": pa.array(["ab", None] * 2500),
        "words": pa.array(["ab", "c"] * 2500).dictionary_encode(),
        "lists": pa.array([[1], []] * 2500, pa.list_(pa.int8())),
        "maps": pa.array([[("k", 1)], []] * 2500, pa.map_(pa.string(), pa.int8())),
    }
    table = pa.table(content)
    assert len(there_and_back(table, as_="pandas")) == 5000
    assert there_and_back(table, as_="polars").height == 5000
    assert there_and_back(pl.DataFrame(table), as_="pandas").shape == (5000, 6)
    structs = pa.table({"a": pa.array([{"x": 1, "y": "b"}] * 1000)})
    assert there_and_back(structs, as_="pandas")["a"][999] == {"x": 1, "y": "b"}


def test_chunks_of_zarr_are_cut_when_they_are_read() -> None:
    zarr = needs.package("zarr")
    data = np.arange(35, dtype=">i4").reshape(5, 7)
    array = zarr.create_array({}, data=data, chunks=(2, 3))
    room = own_copy(memoryview(encode(array).tobytes()))
    decoded = decode(room)
    assert (decoded.chunks, decoded.dtype) == ((2, 3), np.dtype("i4"))
    assert (decoded[...] == data).all()
    assert (decoded[4, 6], decoded[1:4, ::2].tolist()) == (34, data[1:4, ::2].tolist())
    decoded[1:3, 1] = 0
    decoded.attrs["a"] = 1
    assert decoded[...].tolist() != data.tolist()
    assert (decoded[3:] == data[3:]).all()
    assert (decode(room)[...] == data).all()
    decoded.resize((6, 7))
    assert decoded[5].tolist() == [0] * 7
    for kind in ("?", "f2", "c16", "M8[ns]", "U3", "S2", "i4, f8"):
        stored = zarr.create_array({}, data=np.zeros(4, kind), chunks=(3,))
        again = there_and_back(stored)
        assert (again.dtype, again[...].tolist()) == (stored.dtype, stored[...].tolist())
    nothing = there_and_back(zarr.create_array({}, data=np.float32(7)))
    assert (nothing.shape, float(nothing[()])) == ((), 7)


def test_groups_of_zarr_arrive_with_what_is_in_them() -> None:
    zarr = needs.package("zarr")
    group = zarr.create_group({}, attributes={"a": 1})
    group.create_array("x", data=np.arange(5), chunks=(2,))
    below = group.create_group("below", attributes={"b": 2})
    below.create_array("y", data=np.eye(2))
    restored = there_and_back(group)
    assert sorted(restored) == ["below", "x"]
    assert dict(restored["below"].attrs) == {"b": 2}
    assert restored["x"][...].tolist() == [0, 1, 2, 3, 4]
    assert restored["below/y"][...].tolist() == [[1, 0], [0, 1]]
    restored["x"][:2] = 7
    restored.create_array("z", data=np.ones(1))
    del restored["below"]
    assert sorted(restored) == ["x", "z"]
    assert restored["x"][...].tolist() == [7, 7, 2, 3, 4]


def test_chunks_that_would_take_more_than_their_array_are_refused() -> None:
    needs.package("zarr")
    many, single = np.zeros(1 << 20, "u1"), np.zeros(1)
    for data, chunks in ((single, [1 << 40]), (many, [1]), (np.zeros((1,) * 20), [10] * 20)):
        with pytest.raises(FrameError, match="would take more than"):
            hostile("zarr", "array", {"data": data, "chunks": chunks, "attributes": {}})
    decoded = hostile("zarr", "array", {"data": single, "chunks": [10**6], "attributes": {}})
    assert (decoded.chunks, decoded[0]) == ((10**6,), 0)


def test_a_quantity_is_no_text() -> None:
    needs.package("pint")
    for magnitude in ("9 ** 9 ** 9", [1, 2], None, b"1"):
        with pytest.raises(FrameError, match="a magnitude of type"):
            hostile("pint", "quantity", [magnitude, "m"])


def test_a_table_of_dask_is_made_of_a_table_of_pandas_alone() -> None:
    frames, pandas = needs.package("dask.dataframe"), needs.package("pandas")
    table = pandas.DataFrame({"a": [1, 2]})
    frame = dask_tables.restore("dataframe", {"data": table, "partitions": 2}, Budget(1000))
    assert frame.compute().equals(table)
    for data in (frames.from_pandas(table, npartitions=1), [1, 2], np.ones(3)):
        with pytest.raises(ValueError, match="no table"):
            dask_tables.restore("dataframe", {"data": data, "partitions": 1}, Budget(1000))
